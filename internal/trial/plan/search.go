package plan

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// Rounds is the number of trials that a block has for each target in each cell: 1, or as many as a
// search can take at most, with those that are repeated. It fails when the search cannot be carried
// out; the error names the field.
func Rounds(spec v1alpha1.BenchmarkRunSpec) (int, error) {
	if spec.Search == nil {
		return 1, nil
	}
	s, err := SearchOf(*spec.Search)
	if err != nil {
		return 0, err
	}
	return s.MostTrials() + Repeats(*spec.Search), nil
}

// Repeats is how many trials of a search may be repeated.
func Repeats(s v1alpha1.Search) int {
	if s.MaxRepeats == nil {
		return v1alpha1.DefaultMaxRepeats
	}
	return int(*s.MaxRepeats)
}

// leastPrecision of a search, and the largest numbers of trials and repeats: the bounds of the API.
const (
	leastPrecision       = 0.001
	maxTrials, maxRepeat = 15, 20
)

// SearchOf is the bisection of a search that the API server accepted. It fails for any other; the
// error names the field.
func SearchOf(s v1alpha1.Search) (stats.Search, error) {
	precision, err := Percentage(s.Precision)
	if err != nil {
		return stats.Search{}, fmt.Errorf("spec.search.precision: %w", err)
	}
	out := stats.Search{Low: float64(s.Low), High: float64(s.High), Precision: precision, Unit: 1, Trials: int(s.Trials)}
	switch repeats := Repeats(s); {
	case precision < leastPrecision:
		return out, fmt.Errorf("spec.search.precision: %s is too small: use at least 0.1%%", s.Precision)
	case out.Trials > maxTrials:
		return out, fmt.Errorf("spec.search.trials: %d are too many: use at most %d", out.Trials, maxTrials)
	case repeats < 0 || repeats > maxRepeat:
		return out, fmt.Errorf("spec.search.maxRepeats: %d is not from 0 to %d", repeats, maxRepeat)
	}
	if err := out.Validate(); err != nil {
		return out, fmt.Errorf("spec.search: %w", err)
	}
	return out, nil
}

// Percentage such as 2.5% as a number such as 0.025, from 0 to 1. It fails for any other text.
func Percentage(text string) (float64, error) {
	number, ok := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(v >= 0 && v <= 100) {
		return 0, fmt.Errorf("%q is no percentage from 0%% to 100%%: write it like 2%%", text)
	}
	return v / 100, nil
}
