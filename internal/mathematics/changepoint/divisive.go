package changepoint

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/assay-bench/assay/internal/mathematics/stats"
)

const (
	// MostValues of a series are searched in a reasonable time: it grows with their square.
	MostValues = 500
	// leastSide is the least number of values on either side of a change: one value alone is an
	// outlier or the beginning of a change, and nothing in it tells which.
	leastSide = 2
	// mostChanges of a series are searched for, the clearest ones first: each costs a test.
	mostChanges = 8
	// exceedances end a test early: its p-value is certainly not small.
	exceedances = 20
)

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

// searched series and their changes: whoever looks at a series looks again before it is longer.
var searched = stats.Memo[[sha256.Size]byte, []Change]{Most: 4096}

// Find the changes of a series, in their order, by E-divisive means: the best split of any segment is
// tested by permuting the values within all segments, and segments are split for as long as a test
// finds a change. ErrorRate is the largest probability of a change in a series without one, such as 0.05.
//
// The values must be exchangeable where nothing changes: independent, with one distribution. A slow
// drift, or values that depend on the ones before, look like changes. The error rate holds for a
// series without a change. In one with changes, each further test has it again. At most 8 changes are
// found.
//
// It fails with ErrNotFinite. A series of fewer than 2*2 values has no change; how
// many more a test needs follows from the error rate: of 6 values, 20 arrangements are different.
//
// Source: see best; the test ends early as in J. Besag and P. Clifford, Sequential Monte Carlo
// p-values, Biometrika 78 (1991), 301-304.
func Find(series []float64, errorRate float64) ([]Change, error) {
	data := binary.BigEndian.AppendUint64(nil, math.Float64bits(errorRate))
	for _, v := range series {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, ErrNotFinite
		}
		data = binary.BigEndian.AppendUint64(data, math.Float64bits(v))
	}
	changes := searched.Of(sha256.Sum256(data), func([sha256.Size]byte) []Change { return find(series, errorRate) })
	return slices.Clone(changes), nil
}

func find(series []float64, errorRate float64) []Change {
	s := &search{x: series, ends: []int{len(series)}, errorRate: errorRate, random: rand.New(rand.NewPCG(0, uint64(len(series))))}
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
	p         []found
	errorRate float64
	random    *rand.Rand
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
	if p > s.errorRate {
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
	x, exceeded, permutations := slices.Clone(s.x), 0, PermutationsFor(s.errorRate)
	for done := 1; done <= permutations; done++ {
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
	return float64(exceeded+1) / float64(permutations+1)
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

// median of values, of which there is one or more, all finite.
func median(values []float64) float64 {
	s, _ := stats.Summarize(values)
	return s.Median
}
