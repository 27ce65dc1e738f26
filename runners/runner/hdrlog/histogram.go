package hdrlog

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// maxCount is beyond the operations of any run; sums of some thousand of them still fit.
const maxCount = 1 << 48

// Grid says where buckets begin and end. Histograms of the same grid add up exactly,
// whatever their range.
type Grid struct {
	// Digits of a value that count.
	Digits int64
	// Lowest value above 0 that is told apart from 0.
	Lowest int64
}

// String is for people.
func (g Grid) String() string {
	return fmt.Sprintf("%d significant digits from %d on", g.Digits, g.Lowest)
}

// width of the bucket that begins at a value. It is a power of two: of a value, so many
// leading bits stay as twice the power of ten needs, and the others fall into the bucket.
func (g Grid) width(begin int64) int64 {
	kept := bits.Len64(uint64(2*math.Pow10(int(g.Digits))) - 1)
	smallest := bits.Len64(uint64(g.Lowest)) - 1
	return 1 << max(0, smallest, bits.Len64(uint64(begin))-kept)
}

// Histogram is the sum of all intervals of one tag.
type Histogram struct {
	Tag string

	grid Grid
	n    int64
	// counts by the value with which a bucket begins; none of them is 0.
	counts map[int64]int64
}

func (h *Histogram) add(more *hdrhistogram.PackedHistogram) error {
	for begin, count := range more.ForEachBucket {
		if count > maxCount || h.n+count > maxCount {
			return errors.New("the counts are larger than any run")
		}
		h.counts[begin] += count
		h.n += count
	}
	return nil
}

// Plus is the sum with another histogram of the same grid; ok is false where the grids
// differ. An empty one of no grid takes that of the other.
func (h Histogram) Plus(more Histogram) (sum Histogram, ok bool) {
	sum = Histogram{Tag: h.Tag, grid: h.grid, n: h.n + more.n, counts: map[int64]int64{}}
	if h.grid == (Grid{}) {
		sum.grid = more.grid
	} else if more.grid != (Grid{}) && more.grid != h.grid {
		return Histogram{}, false
	}
	for _, counts := range []map[int64]int64{h.counts, more.counts} {
		for begin, count := range counts {
			sum.counts[begin] += count
		}
	}
	return sum, true
}

// begins of the buckets that are not empty, in ascending order.
func (h Histogram) begins() []int64 { return slices.Sorted(maps.Keys(h.counts)) }

// highest value that falls into a bucket.
func (h Histogram) highest(begin int64) int64 { return begin + h.grid.width(begin) - 1 }

// N is the number of values.
func (h Histogram) N() int64 { return h.n }

// Min is the smallest value as far as its bucket tells: the lowest in it. ok is false for
// an empty histogram.
func (h Histogram) Min() (value int64, ok bool) {
	all := h.begins()
	if len(all) == 0 {
		return 0, false
	}
	return all[0], true
}

// Max is the greatest value as far as its bucket tells: the highest in it. ok is false for
// an empty histogram.
func (h Histogram) Max() (value int64, ok bool) {
	all := h.begins()
	if len(all) == 0 {
		return 0, false
	}
	return h.highest(all[len(all)-1]), true
}

// Mean takes every value for the middle of its bucket. ok is false for an empty histogram.
func (h Histogram) Mean() (mean float64, ok bool) {
	for _, begin := range h.begins() { // in one order, so that the same log has the same mean
		middle := begin + h.grid.width(begin)/2
		mean += float64(middle) * float64(h.counts[begin]) / float64(h.n)
	}
	return mean, h.n > 0
}

// In another unit, of which perUnit values are one. A bucket stands for the highest value
// in it, which is what HdrHistogram answers for a percentile.
func (h Histogram) In(unit string, perUnit float64) contract.Histogram {
	out := contract.Histogram{Unit: unit, RoundUp: true, Buckets: make([]contract.Bucket, 0, len(h.counts))}
	for _, begin := range h.begins() {
		out.Buckets = append(out.Buckets, contract.Bucket{Value: float64(h.highest(begin)) / perUnit, Count: h.counts[begin]})
	}
	return out
}
