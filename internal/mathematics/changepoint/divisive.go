package changepoint

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/assay-bench/assay/internal/mathematics/stats"
)

const (
	// MostValues of a series are searched.
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
// It fails with ErrNotFinite, and when the context ends. A series of fewer than 2*2 values has no change; how
// many more a test needs follows from the error rate: of 6 values, 20 arrangements are different.
//
// Source: see best; the test ends early as in J. Besag and P. Clifford, Sequential Monte Carlo
// p-values, Biometrika 78 (1991), 301-304.
func Find(ctx context.Context, series []float64, errorRate float64) ([]Change, error) {
	data := binary.BigEndian.AppendUint64(nil, math.Float64bits(errorRate))
	for _, v := range series {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, ErrNotFinite
		}
		data = binary.BigEndian.AppendUint64(data, math.Float64bits(v))
	}
	changes, err := searched.Try(sha256.Sum256(data), func([sha256.Size]byte) ([]Change, error) { return find(ctx, series, errorRate) })
	return slices.Clone(changes), err
}

func find(ctx context.Context, series []float64, errorRate float64) ([]Change, error) {
	s := &search{x: series, ends: []int{len(series)}, errorRate: errorRate, random: rand.New(rand.NewPCG(0, uint64(len(series))))}
	for len(s.p) < mostChanges {
		if is, err := s.next(ctx); err != nil || !is {
			return s.changes(), err
		}
	}
	return s.changes(), nil
}

// Work of Find on so many values, at most, in steps of three or four nanoseconds (BenchmarkFind).
func Work(values int, errorRate float64) float64 {
	return float64(mostChanges) * float64(PermutationsFor(errorRate)) * steps(values)
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
func (s *search) next(ctx context.Context) (bool, error) {
	segments := s.segments()
	at, ok := farthest(segments)
	if !ok || at.q <= 0 {
		return false, nil
	}
	p, err := s.test(ctx, segments, at.q)
	if err != nil || p > s.errorRate {
		return false, err
	}
	s.p, s.ends = append(s.p, found{at.index, p}), append(s.ends, at.index)
	slices.Sort(s.ends)
	return true, nil
}

func (s *search) segments() (out []*segment) {
	begin := 0
	for _, end := range s.ends {
		out = append(out, newSegment(s.x[begin:end]))
		begin = end
	}
	return out
}

// farthest split of all segments.
func farthest(segments []*segment) (out split, ok bool) {
	begin := 0
	for _, s := range segments {
		if one, is := s.best(leastSide); is && (!ok || one.q > out.q) {
			out, ok = split{begin + one.index, one.q}, true
		}
		begin += len(s.order)
	}
	return out, ok
}

// test returns the p-value of the largest q among permutations within the segments, which it permutes. Values of equal
// distance up to rounding count as equal. It fails when the context ends.
func (s *search) test(ctx context.Context, segments []*segment, q float64) (float64, error) {
	exceeded, permutations := 0, PermutationsFor(s.errorRate)
	for done := 1; done <= permutations; done++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		for _, one := range segments {
			s.random.Shuffle(len(one.order), func(i, j int) { one.order[i], one.order[j] = one.order[j], one.order[i] })
		}
		if other, _ := farthest(segments); other.q >= q*(1-1e-9) {
			exceeded++
		}
		if exceeded == exceedances {
			return float64(exceeded) / float64(done), nil
		}
	}
	return float64(exceeded+1) / float64(permutations+1), nil
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
