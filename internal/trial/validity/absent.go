package validity

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// absent lists the measurements without a value, and the reasons. One that is NotMeasured was tried and
// failed, or executed other work than intended; one that is Unsupported the tool reports as such.
func absent(state contract.AbsenceState, what string) say {
	return func(r contract.Result, _ runner.Expectations) string {
		var all []string
		for _, m := range r.Measurements {
			if m.Absent != nil && m.Absent.State == state {
				all = append(all, fmt.Sprintf("%s (%s)", asWords(m.Labels), m.Absent.Reason))
			}
		}
		if len(all) == 0 {
			return ""
		}
		return fmt.Sprintf("%d measurements %s: %s", len(all), what, strings.Join(atMost(5, all), "; "))
	}
}

// atMost n texts, and how many more there are.
func atMost(n int, texts []string) []string {
	if more := len(texts) - n; more > 0 {
		return append(slices.Clone(texts[:n]), fmt.Sprintf("and %d more", more))
	}
	return texts
}

func asWords(labels map[string]string) string {
	words := make([]string, 0, len(labels))
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		words = append(words, name+"="+labels[name])
	}
	return strings.Join(words, " ")
}
