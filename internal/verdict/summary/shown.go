package summary

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// MaxShown is the maximum number of entries in the status.
const MaxShown = 128

// layer is a measurement across all cells and targets: whose it is, with 1 for that of a tenant or of a second load, which stand behind
// those of the whole workload; the name by its place in the list of names, and the labels by their place in the cell, because labels
// may differ by cell.
type layer struct{ part, name, labels int }

// Shown are the entries for the status, in the order of the summary. Measurements are added in
// the order of the names, those of tenants and of a second load last, each for all cells and targets. When the first measurement alone is
// too large, its first cells are shown.
func Shown(entries []v1alpha1.SummaryEntry, names []string, most int) []v1alpha1.SummaryEntry {
	if len(entries) <= most {
		return entries
	}
	of := layersOf(entries, names)
	sizes := map[layer]int{}
	for _, l := range of {
		sizes[l]++
	}
	order := make([]layer, 0, len(sizes))
	for l := range sizes {
		order = append(order, l)
	}
	slices.SortFunc(order, func(a, b layer) int {
		return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.name, b.name), cmp.Compare(a.labels, b.labels))
	})
	if sizes[order[0]] > most {
		return wholeCells(entries, of, order[0], most)
	}
	chosen, n := map[layer]bool{}, 0
	for _, l := range order {
		if n += sizes[l]; n > most {
			break
		}
		chosen[l] = true
	}
	var out []v1alpha1.SummaryEntry
	for i, e := range entries {
		if chosen[of[i]] {
			out = append(out, e)
		}
	}
	return out
}

// layersOf the entries, one for each.
func layersOf(entries []v1alpha1.SummaryEntry, names []string) []layer {
	type group struct {
		cell int32
		name string
	}
	seen := map[group]map[string]int{}
	out := make([]layer, len(entries))
	for i, e := range entries {
		g, labels := group{e.Cell, e.Name}, LabelText(e.Labels)
		if seen[g] == nil {
			seen[g] = map[string]int{}
		}
		at, known := seen[g][labels]
		if !known {
			at = len(seen[g])
			seen[g][labels] = at
		}
		part := 0
		if contract.OfGroup(e.Labels) {
			part = 1
		}
		out[i] = layer{part, slices.Index(names, e.Name), at}
	}
	return out
}

// wholeCells of a layer, from the first cell, as many as fit.
func wholeCells(entries []v1alpha1.SummaryEntry, of []layer, only layer, most int) []v1alpha1.SummaryEntry {
	var out, cell []v1alpha1.SummaryEntry
	for i, e := range entries {
		if of[i] != only {
			continue
		}
		if len(cell) > 0 && cell[0].Cell != e.Cell {
			out, cell = append(out, cell...), nil
		}
		cell = append(cell, e)
		if len(out)+len(cell) > most {
			return out
		}
	}
	return append(out, cell...)
}

// Elsewhere names the ConfigMaps with the entries that are not shown, for people; empty when
// all are shown.
func Elsewhere(run string, r *v1alpha1.ResultsStatus) string {
	if r == nil || r.ShownEntryCount >= r.SummaryEntryCount {
		return ""
	}
	where := fmt.Sprintf("ConfigMap %s, which has all of them", contract.SummaryName(run, 0))
	if r.SummaryConfigMapCount > 1 {
		where = fmt.Sprintf("ConfigMaps %s to %s, which have all of them", contract.SummaryName(run, 0), contract.SummaryName(run, r.SummaryConfigMapCount-1))
	}
	return fmt.Sprintf("status.summary has %d of %d entries: %d stand only in %s",
		r.ShownEntryCount, r.SummaryEntryCount, r.SummaryEntryCount-r.ShownEntryCount, where)
}
