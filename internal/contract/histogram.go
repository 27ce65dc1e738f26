package contract

import (
	"cmp"
	"math"
	"slices"
)

// MergeHistograms adds the counts of buckets of equal value. That is exact when
// the histograms have the same bounds, as those of one tool have: the bounds of a
// tool do not follow from its data. All have to be of one unit and one way to read
// percentiles, or ok is false.
func MergeHistograms(hs ...Histogram) (merged Histogram, ok bool) {
	if len(hs) == 0 {
		return Histogram{}, false
	}
	counts := map[float64]int64{}
	for _, h := range hs {
		if h.Unit != hs[0].Unit || h.RoundUp != hs[0].RoundUp {
			return Histogram{}, false
		}
		for _, b := range h.Buckets {
			counts[b.Value] += b.Count
		}
	}
	merged = Histogram{Unit: hs[0].Unit, RoundUp: hs[0].RoundUp, Buckets: make([]Bucket, 0, len(counts))}
	for value, count := range counts {
		merged.Buckets = append(merged.Buckets, Bucket{Value: value, Count: count})
	}
	slices.SortFunc(merged.Buckets, func(a, b Bucket) int { return cmp.Compare(a.Value, b.Value) })
	return merged, true
}

// N is the number of operations in the histogram.
func (h Histogram) N() int64 {
	var n int64
	for _, b := range h.Buckets {
		n += b.Count
	}
	return n
}

// Percentile is the value of the bucket that holds the operation whose rank is
// nearest to p percent of all, as sysbench reads it, or the next one up (RoundUp): what
// one tool would have printed that did the work of all. p is over 0 and at most 100. ok
// is false for an empty histogram.
func (h Histogram) Percentile(p float64) (value float64, ok bool) {
	n := h.N()
	if n <= 0 || !(p > 0 && p <= 100) {
		return 0, false
	}
	rank := max(1, int64(math.Floor(p*float64(n)/100+0.5)))
	if h.RoundUp {
		// One step below p, as in Histogram.getValueAtPercentile of HdrHistogram 2.2: 99.9 % of
		// 1000 are then 999 although the product is a little more.
		rank = max(1, int64(math.Ceil(math.Nextafter(p, 0)*float64(n)/100)))
	}
	var seen int64
	for _, b := range h.Buckets {
		if seen += b.Count; seen >= rank {
			return b.Value, true
		}
	}
	return 0, false
}
