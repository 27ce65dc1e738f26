package search

import (
	"fmt"

	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// maxText of a reason or an explanation, in bytes.
const maxText = 1024

// progress of a search, for the decision that follows one of its trials.
func (s state) progress(where string) string {
	switch {
	case s.lost != "":
		return where + ": no answer: " + s.lost
	case s.Done && s.Held == 0:
		return fmt.Sprintf("%s: no rate is known to hold: %s did not: %s", where, figure.Number(s.Failed), s.why)
	case s.Done && s.Failed == 0:
		return fmt.Sprintf("%s: %s or more: it held", where, figure.Number(s.Held))
	case s.Done:
		return fmt.Sprintf("%s: found: %s held, %s did not: %s", where, figure.Number(s.Held), figure.Number(s.Failed), s.why)
	case s.Held == 0:
		return fmt.Sprintf("%s: %s is not decided", where, figure.Number(s.Rate))
	case s.Failed == 0:
		return fmt.Sprintf("%s: %s held; next is %s", where, figure.Number(s.Held), figure.Number(s.Rate))
	}
	return fmt.Sprintf("%s: %s held, %s did not: %s; next is %s", where, figure.Number(s.Held), figure.Number(s.Failed), s.why, figure.Number(s.Rate))
}
