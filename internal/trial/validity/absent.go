package validity

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// notMeasured: a measurement was tried and failed, or executed other work than intended.
func notMeasured(r contract.Result, _ runner.Expectations) string {
	return absentNote(r, contract.NotMeasured, "could not be measured")
}

// unsupported: the tool reports that it does not support a measurement.
func unsupported(r contract.Result, _ runner.Expectations) string {
	return absentNote(r, contract.Unsupported, "are not supported")
}

// absentNote lists the measurements without a value and the reasons, up to the length limit.
func absentNote(r contract.Result, state contract.AbsenceState, what string) string {
	const most = 5
	var all []string
	for _, m := range r.Measurements {
		if m.Absent != nil && m.Absent.State == state {
			all = append(all, fmt.Sprintf("%s (%s)", asWords(m.Labels), m.Absent.Reason))
		}
	}
	n := len(all)
	switch {
	case n == 0:
		return ""
	case n > most:
		all = append(all[:most], fmt.Sprintf("and %d more", n-most))
	}
	return fmt.Sprintf("%d measurements %s: %s", n, what, strings.Join(all, "; "))
}

func asWords(labels map[string]string) string {
	words := make([]string, 0, len(labels))
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		words = append(words, name+"="+labels[name])
	}
	return strings.Join(words, " ")
}
