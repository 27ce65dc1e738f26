package stats

import (
	"cmp"
	"math"
	"slices"
)

// Holm returns the p-values adjusted for their number: of all with an adjusted value of at most
// an error rate, the probability that one or more is a false alarm is at most that rate, however
// the comparisons depend on one another. A value that is not a number counts as 1.
//
// Source: S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal
// of Statistics 6 (1979), 65-70.
func Holm(p []float64) []float64 {
	adjusted := make([]float64, len(p))
	largest := 0.0
	for step, i := range ascending(p) {
		largest = max(largest, min(1, float64(len(p)-step)*number(p[i])))
		adjusted[i] = largest
	}
	return adjusted
}

// HolmLevels returns the error rate at which Holm's procedure tested each p-value last. A value is
// at most its own level if and only if its adjusted value is at most errorRate. So an interval of
// this error rate excludes 1 if and only if the adjusted p-value is significant. Equal values share
// the strictest level of theirs, so that their order in the list decides nothing.
//
// Each interval has its own coverage of 1-level or more, and "excludes 1" holds for the whole
// family. That all intervals together contain their true values is not promised: that needs
// errorRate/len(p) for each, and such intervals would contradict some of the decisions.
func HolmLevels(p []float64, errorRate float64) []float64 {
	levels := make([]float64, len(p))
	level, going := errorRate, true
	last := math.Inf(-1)
	for step, i := range ascending(p) {
		if going && number(p[i]) > last {
			level, last = errorRate/float64(len(p)-step), number(p[i])
			going = reaches(number(p[i]), level)
		}
		levels[i] = level
	}
	return levels
}

// ascending are the indices of p in the order of its values.
func ascending(p []float64) []int {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(number(p[a]), number(p[b])) })
	return order
}

func number(p float64) float64 {
	if math.IsNaN(p) {
		return 1
	}
	return p
}
