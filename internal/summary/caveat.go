package summary

import (
	"fmt"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/validity"
)

// caveat of an entry, from the limits of the trials behind it.
func caveat(e v1alpha1.SummaryEntry) string {
	var words []string
	for _, l := range e.LimitedBy {
		share, known := number(l.ThrottledShare)
		if !known || l.By == v1alpha1.LimitMemory {
			continue
		}
		if text := validity.QuotaCaveat(e.Name, e.Labels, share); text != "" {
			words = append(words, inSome(l.N, e.N)+text)
		}
	}
	if e.Saturated > 0 {
		if text := validity.SaturationCaveat(e.Name); text != "" {
			words = append(words, inSome(e.Saturated, e.N)+text)
		}
	}
	return strings.Join(words, "; ")
}

// inSome says of how many trials something holds; nothing where it holds of all.
func inSome(n, of int32) string {
	if n >= of {
		return ""
	}
	return fmt.Sprintf("in %d of %d trials: ", n, of)
}
