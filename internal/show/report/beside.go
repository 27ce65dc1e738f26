package report

import (
	"fmt"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/readout"
)

// here is what this run has measured, to be found by a quoted number.
type here struct {
	// entries by what a quoted number has to say to mean them.
	entries map[string][]*v1alpha1.SummaryEntry
	of      ratios
	// single are the dimensions in which no two entries differ, by the measurement: a quoted number need not have them.
	single map[measured]map[string]bool
	// measured are the measurements by name and unit: percentiles are one each.
	measured map[[2]string][]measured
}

// measured is what an entry measures: percentiles are one each.
type measured struct{ name, percentile, unit string }

func measuredBy(e *v1alpha1.SummaryEntry) measured { return measured{e.Name, e.Labels["p"], e.Unit} }

func hereOf(in Input) here {
	out := here{entries: map[string][]*v1alpha1.SummaryEntry{}, of: ratiosOf(in), single: map[measured]map[string]bool{}, measured: map[[2]string][]measured{}}
	by := map[measured][]*v1alpha1.SummaryEntry{}
	for i := range in.Entries {
		e := &in.Entries[i]
		if _, ok := figure.Decimal(e.Median); !ok {
			continue
		}
		m := measuredBy(e)
		if by[m] == nil {
			name := [2]string{m.name, m.unit}
			out.measured[name] = append(out.measured[name], m)
		}
		by[m] = append(by[m], e)
	}
	for m, entries := range by {
		s, single := spanOf(entries), map[string]bool{}
		for name := range s.values {
			if !slices.Contains(s.names, name) {
				single[name] = true
			}
		}
		out.single[m] = single
		for _, e := range entries {
			key := out.keyOf(m, dimensionsOf(e))
			out.entries[key] = append(out.entries[key], e)
		}
	}
	return out
}

// keyOf a number of a measurement: its dimensions without those that a quoted number need not have.
func (h here) keyOf(m measured, d map[string]string) string {
	named := map[string]string{}
	for name, v := range d {
		if !h.single[m][name] {
			named[name] = v
		}
	}
	return fmt.Sprintf("%q %q %q %s", m.name, m.percentile, m.unit, labelKey(named))
}

// maxPercentiles of a name are searched for a quoted number that says no percentile: of more, it does not say which.
const maxPercentiles = 64

// beside a quoted number: the number of this run with the same name, unit and labels, with its ratio to the baseline. Empty where this
// run has none, or several.
func (h here) beside(quoted *v1alpha1.SummaryEntry) string {
	of := h.measured[[2]string{quoted.Name, quoted.Unit}]
	if p := quoted.Labels["p"]; p != "" {
		of = []measured{measuredBy(quoted), {quoted.Name, "", quoted.Unit}}
	}
	if len(quoted.Labels) == 0 || len(of) > maxPercentiles {
		return ""
	}
	var found *v1alpha1.SummaryEntry
	for _, m := range of {
		for _, e := range h.entries[h.keyOf(m, quoted.Labels)] {
			if !h.same(e, quoted.Labels) {
				break // the others of the key have the same dimensions
			}
			if found != nil {
				return ""
			}
			found = e
		}
	}
	if found == nil {
		return ""
	}
	median, _, _ := figuresOf(found)
	text := "here " + median
	if v, has := h.of.of(found); has && v.Effect != "" {
		text += " (" + h.of.inDoubt(v) + ")"
	}
	return text
}

// same says whether an entry is what a quoted number is about.
func (h here) same(e *v1alpha1.SummaryEntry, want map[string]string) bool {
	have, matched := dimensionsOf(e), 0
	for name, v := range have {
		w, said := want[name]
		switch {
		case said && w != v:
			return false
		case said:
			matched++
		case !h.single[measuredBy(e)][name]:
			return false
		}
	}
	return matched == len(want)
}

// bases are the baselines of the numbers of a table: those of the category baseline, or else those that the run compares with.
type bases struct {
	of map[*v1alpha1.SummaryEntry]*v1alpha1.SummaryEntry
	// speed: they are shown as speed-ups, which is what comparisons with categories print.
	speed bool
}

// basesOf placed numbers; declared is the comparison of the run.
func basesOf(all []placed, declared readout.Verdict) bases {
	out := bases{of: map[*v1alpha1.SummaryEntry]*v1alpha1.SummaryEntry{}}
	key := func(p placed) string { return p.across }
	is := func(p placed) bool { return p.entry.Labels["category"] == "baseline" }
	if out.speed = slices.ContainsFunc(all, is); !out.speed {
		key = func(p placed) string {
			d := dimensionsOf(p.entry)
			delete(d, declared.Factor)
			return labelKey(d)
		}
		is = func(p placed) bool { return dimensionsOf(p.entry)[declared.Factor] == declared.Baseline }
	}
	by := map[string]*v1alpha1.SummaryEntry{}
	for _, p := range all {
		if is(p) {
			by[key(p)] = p.entry
		}
	}
	for _, p := range all {
		out.of[p.entry] = by[key(p)]
	}
	return out
}

// against the baseline: +3.8 %, 52.0x, or 21.0x as fast. Empty for the baseline itself, and for what is a ratio already.
func (b bases) against(e *v1alpha1.SummaryEntry) string {
	base := b.of[e]
	if base == nil || base == e || e.Direction == "" || e.Unit == "1" || e.Unit == "%" {
		return ""
	}
	v, ok := figure.Decimal(e.Median)
	of, known := figure.Decimal(base.Median)
	switch {
	case !ok || !known || v <= 0 || of <= 0:
		return ""
	case b.speed && e.Direction == string(contract.LowerIsBetter):
		return figure.Factor(of/v) + "x as fast"
	case b.speed:
		return figure.Factor(v/of) + "x as fast"
	}
	if ratio := v / of; e.Direction == string(contract.HigherIsBetter) && ratio < 3 {
		return figure.Difference(ratio)
	}
	return figure.Factor(v/of) + "x"
}

// declaredOf the run is its first comparison, which says what the numbers of others are compared with, too.
func declaredOf(in Input) readout.Verdict {
	if all := in.doc.Family(v1alpha1.FamilyPrimary); len(all) > 0 {
		return all[0]
	}
	return readout.Verdict{}
}
