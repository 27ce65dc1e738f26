package contract

import (
	"cmp"
	"math"
	"slices"
)

// MergeHistograms adds the counts of buckets of equal value. The result is exact when the
// histograms have the same bounds. Histograms of one tool do, because its bounds do not depend
// on the data. ok is false for different units or different ways to read percentiles.
func MergeHistograms(hs ...Histogram) (merged Histogram, ok bool) {
	if len(hs) == 0 {
		return Histogram{}, false
	}
	lists := make([][]Bucket, 0, len(hs))
	for _, h := range hs {
		if h.Unit != hs[0].Unit || h.RoundUp != hs[0].RoundUp {
			return Histogram{}, false
		}
		lists = append(lists, ascending(h.Buckets))
	}
	return Histogram{Unit: hs[0].Unit, RoundUp: hs[0].RoundUp, Buckets: mergeAll(lists)}, true
}

// ascending are buckets in the order of their values, each value once; the same list where it is so.
func ascending(buckets []Bucket) []Bucket {
	sorted := true
	for i := 1; i < len(buckets) && sorted; i++ {
		sorted = buckets[i-1].Value < buckets[i].Value
	}
	if sorted {
		return buckets
	}
	byValue := slices.Clone(buckets)
	slices.SortFunc(byValue, func(a, b Bucket) int { return cmp.Compare(a.Value, b.Value) })
	out := byValue[:1]
	for _, b := range byValue[1:] {
		if last := &out[len(out)-1]; last.Value == b.Value {
			last.Count += b.Count
		} else {
			out = append(out, b)
		}
	}
	return out
}

// mergeAll merges halves: with common bounds the lists do not grow, and without any it takes the logarithm
// of their number times as long.
func mergeAll(lists [][]Bucket) []Bucket {
	switch n := len(lists); n {
	case 1:
		return slices.Clone(lists[0])
	case 2:
		return mergeTwo(lists[0], lists[1])
	default:
		return mergeTwo(mergeAll(lists[:n/2]), mergeAll(lists[n/2:]))
	}
}

func mergeTwo(a, b []Bucket) []Bucket {
	out := make([]Bucket, 0, max(len(a), len(b)))
	for len(a) > 0 && len(b) > 0 {
		switch x, y := a[0], b[0]; {
		case x.Value < y.Value:
			out, a = append(out, x), a[1:]
		case y.Value < x.Value:
			out, b = append(out, y), b[1:]
		default:
			out, a, b = append(out, Bucket{Value: x.Value, Count: x.Count + y.Count}), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// N is the number of operations in the histogram.
func (h Histogram) N() int64 {
	var n int64
	for _, b := range h.Buckets {
		n += b.Count
	}
	return n
}

// Percentile is the value of the bucket with the operation whose rank is nearest to p percent of all, as sysbench reads
// it, or the next rank up (RoundUp). For a merged histogram it is the value that a single tool would have printed for
// all operations. p is over 0 and at most 100. ok is false for an empty histogram.
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
