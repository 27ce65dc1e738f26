// Package stats has the statistics that Assay reports. In: samples of numbers, without units or
// names. Out: estimates and decisions. Empty samples and values that are not finite
// are refused; comparisons are of ratios, and refuse values that are not positive.
//
// The way from numbers to a verdict: BlocksNeeded and DetectableEffect before the start,
// ComparePaired or CompareUnpaired for every comparison, Decide for the family of all of them.
//
// A statistic that a sample does not support is absent.
package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrEmpty is the error for a sample without values.
var ErrEmpty = errors.New("the sample is empty")

// NotFiniteError is the error for a value that is not finite.
type NotFiniteError struct {
	// Index of the value in the sample, from 0.
	Index int
	// Value is NaN or an infinity.
	Value float64
}

// Error has the value and its position.
func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("value %d of the sample is %v: leave out what was not measured", e.Index, e.Value)
}

// Summary describes a sample. All but N have the unit of the values.
type Summary struct {
	// N is the number of values, at least 1.
	N int
	// Median is the middle value, or the mean of the two middle ones.
	Median float64
	// Min is the smallest value, Max the largest.
	Min, Max float64
}

// Summarize describes the sample, which it leaves as it is. It fails with
// ErrEmpty or a NotFiniteError.
func Summarize(sample []float64) (Summary, error) {
	sorted, err := sortedCopy(sample)
	if err != nil {
		return Summary{}, err
	}
	return summaryOf(sorted), nil
}

func summaryOf(sorted []float64) Summary {
	n := len(sorted)
	// Halved before the sum, which could overflow.
	median := sorted[(n-1)/2]/2 + sorted[n/2]/2
	if n%2 == 1 {
		median = sorted[n/2]
	}
	return Summary{N: n, Median: median, Min: sorted[0], Max: sorted[n-1]}
}

func sortedCopy(sample []float64) ([]float64, error) {
	if len(sample) == 0 {
		return nil, ErrEmpty
	}
	for i, v := range sample {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, &NotFiniteError{Index: i, Value: v}
		}
	}
	sorted := slices.Clone(sample)
	slices.Sort(sorted)
	return sorted, nil
}
