package conclude

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// saturatedCells is the finding of a sweep over an offered rate: the cells in which the target did not
// keep up in most of the counted trials, by the first name that has entries. Empty for a run of one
// cell, whose headline says so.
func saturatedCells(names []string, entries []v1alpha1.SummaryEntry) []v1alpha1.Finding {
	var where []string
	cells := map[int32]bool{}
	first := slices.IndexFunc(names, func(n string) bool {
		return slices.ContainsFunc(entries, func(e v1alpha1.SummaryEntry) bool { return e.Name == n })
	})
	for _, e := range entries {
		if first < 0 || e.Name != names[first] || len(e.Labels) > 0 {
			continue
		}
		cells[e.Cell] = true
		if 2*e.SaturatedTrialCount > e.TrialCount {
			where = append(where, fmt.Sprintf("%s %s (%d of %d trials)", e.Target, cellText(e), e.SaturatedTrialCount, e.TrialCount))
		}
	}
	if len(where) == 0 || len(cells) < 2 {
		return nil
	}
	named := strings.Join(where[:min(len(where), maxNamed)], ", ")
	if more := len(where) - maxNamed; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return []v1alpha1.Finding{{Check: "saturated-cells", Severity: v1alpha1.SeverityWarning, Message: contract.Cut(fmt.Sprintf(
		"the target did not keep up with the offered rate in %s: their throughput is the most that it achieved, and their latencies grow with the window", named), contract.MaxMessage)}}
}

// cellText is the cell of an entry for people, by the names of its axes.
func cellText(e v1alpha1.SummaryEntry) string {
	var words []string
	for name, value := range e.Parameters {
		words = append(words, name+"="+value.String())
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}
