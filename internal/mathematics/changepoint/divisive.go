package changepoint

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// MostValues of a series are looked at.
	MostValues = 500
	// leastSide is the least number of values on either side of a change: one value alone is an
	// outlier or the beginning of a change, and nothing in it tells which.
	leastSide = 2
	// mostChanges of a series are searched for, the clearest ones first: each costs a test.
	mostChanges = 8
	// exceedances end a test early: its p-value is certainly not small.
	exceedances = 20
)

// Options of a search.
type Options struct {
	// ErrorRate is the largest probability of a change in a series without one, such as 0.05.
	ErrorRate float64
	// Permutations of each test; 0 for as many as the error rate needs, at least 999.
	Permutations int
	// Seed of the permutations.
	Seed uint64
}

// Change of the level of a series.
type Change struct {
	// Index of the first value of the new level, from 0.
	Index int
	// P is the p-value of no change in the segment that was split, by the permutation test.
	P float64
	// Before and After are the medians of the levels, up to the changes beside.
	Before, After float64
}

// ErrNotFinite is the error for a series with a value that is no number.
var ErrNotFinite = errors.New("a series has a value that is not finite")

// TooLongError is the error for a series that is too long.
type TooLongError struct {
	// Values of the series.
	Values int
}

// Error has the bound.
func (e *TooLongError) Error() string {
	return fmt.Sprintf("a series of %d values is longer than %d: leave out the oldest", e.Values, MostValues)
}

// Find the changes of a series, in their order, by E-divisive means: the best split of any segment is
// tested by permuting the values within all segments, and segments are split for as long as a test
// finds a change.
//
// The values must be exchangeable where nothing changes: independent, with one distribution. A slow
// drift, or values that depend on the ones before, look like changes. The error rate holds for a
// series without a change. In one with changes, each further test has it again. At most 8 changes are
// found.
//
// It fails with ErrNotFinite or a TooLongError. A series of fewer than 2*2 values has no change; how
// many more a test needs follows from the error rate: of 6 values, 20 arrangements are different.
//
// Source: see best; the test ends early as in J. Besag and P. Clifford, Sequential Monte Carlo
// p-values, Biometrika 78 (1991), 301-304.
func Find(series []float64, o Options) ([]Change, error) {
	if len(series) > MostValues {
		return nil, &TooLongError{len(series)}
	}
	for _, v := range series {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, ErrNotFinite
		}
	}
	return searched.of(series, o, func() []Change { return find(series, o) }), nil
}

func find(series []float64, o Options) []Change {
	s := &search{x: series, ends: []int{len(series)}, o: o, random: rand.New(rand.NewPCG(o.Seed, uint64(len(series))))}
	if s.o.Permutations == 0 {
		s.o.Permutations = PermutationsFor(o.ErrorRate)
	}
	for len(s.p) < mostChanges && s.next() {
		continue
	}
	return s.changes()
}

// PermutationsFor a test with an error rate: enough for a p-value well below it.
func PermutationsFor(errorRate float64) int { return max(999, int(math.Ceil(10/errorRate))-1) }

// search for changes.
type search struct {
	x []float64
	// ends of the segments, in their order: the index behind each of them.
	ends []int
	// p-values of the changes by their indices.
	p      []found
	o      Options
	random *rand.Rand
}

type found struct {
	index int
	p     float64
}

// next splits the segment with the most distant sides; false when that split is there by chance, or
// when there is none.
func (s *search) next() bool {
	at, ok := s.farthest(s.x)
	if !ok || at.q <= 0 {
		return false
	}
	p := s.test(at.q)
	if p > s.o.ErrorRate {
		return false
	}
	s.p, s.ends = append(s.p, found{at.index, p}), append(s.ends, at.index)
	slices.Sort(s.ends)
	return true
}

// farthest split of all segments of x.
func (s *search) farthest(x []float64) (out split, ok bool) {
	begin := 0
	for _, end := range s.ends {
		if one, is := best(x[begin:end], leastSide); is && (!ok || one.q > out.q) {
			out, ok = split{begin + one.index, one.q}, true
		}
		begin = end
	}
	return out, ok
}

// test returns the p-value of the largest q among permutations within the segments. Values of equal
// distance up to rounding count as equal.
func (s *search) test(q float64) float64 {
	x, exceeded := slices.Clone(s.x), 0
	for done := 1; done <= s.o.Permutations; done++ {
		begin := 0
		for _, end := range s.ends {
			part := x[begin:end]
			s.random.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
			begin = end
		}
		if other, _ := s.farthest(x); other.q >= q*(1-1e-9) {
			exceeded++
		}
		if exceeded == exceedances {
			return float64(exceeded) / float64(done)
		}
	}
	return float64(exceeded+1) / float64(s.o.Permutations+1)
}

func (s *search) changes() []Change {
	slices.SortFunc(s.p, func(a, b found) int { return a.index - b.index })
	var out []Change
	for i, f := range s.p {
		begin := 0
		if i > 0 {
			begin = s.p[i-1].index
		}
		out = append(out, Change{Index: f.index, P: f.p, Before: median(s.x[begin:f.index]), After: median(s.x[f.index:s.ends[i+1]])})
	}
	return out
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
