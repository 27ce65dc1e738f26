package contract

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMergeHistograms(t *testing.T) {
	ms := func(buckets ...Bucket) Histogram { return Histogram{Unit: "ms", Buckets: buckets} }
	tests := map[string]struct {
		in   []Histogram
		want []Bucket
	}{
		"one":             {[]Histogram{ms(Bucket{1, 2})}, []Bucket{{1, 2}}},
		"common bounds":   {[]Histogram{ms(Bucket{1, 2}, Bucket{2, 3}), ms(Bucket{1, 5}, Bucket{2, 7})}, []Bucket{{1, 7}, {2, 10}}},
		"one is longer":   {[]Histogram{ms(Bucket{1, 2}), ms(Bucket{1, 5}, Bucket{2, 7}, Bucket{3, 1})}, []Bucket{{1, 7}, {2, 7}, {3, 1}}},
		"none in common":  {[]Histogram{ms(Bucket{2, 1}), ms(Bucket{1, 1}), ms(Bucket{3, 1})}, []Bucket{{1, 1}, {2, 1}, {3, 1}}},
		"empty":           {[]Histogram{ms(), ms(Bucket{1, 1}), ms()}, []Bucket{{1, 1}}},
		"out of order":    {[]Histogram{ms(Bucket{2, 1}, Bucket{1, 1}, Bucket{2, 4}), ms(Bucket{1, 1})}, []Bucket{{1, 2}, {2, 5}}},
		"a hostile value": {[]Histogram{ms(Bucket{math.Inf(1), 1}), ms(Bucket{math.Inf(1), 2})}, []Bucket{{math.Inf(1), 3}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var before [][]Bucket
			for _, h := range tc.in {
				before = append(before, slices.Clone(h.Buckets))
			}
			got, ok := MergeHistograms(tc.in...)
			if diff := cmp.Diff(tc.want, got.Buckets); !ok || diff != "" {
				t.Errorf("%v (-want +got):\n%s", ok, diff)
			}
			if len(got.Buckets) > 0 {
				got.Buckets[0].Count = -1
			}
			for i, h := range tc.in {
				if !slices.Equal(h.Buckets, before[i]) {
					t.Errorf("histogram %d was changed", i)
				}
			}
		})
	}
	if _, ok := MergeHistograms(); ok {
		t.Error("of none there is one")
	}
	if _, ok := MergeHistograms(ms(), Histogram{Unit: "us"}); ok {
		t.Error("units were mixed")
	}
	if _, ok := MergeHistograms(ms(), Histogram{Unit: "ms", RoundUp: true}); ok {
		t.Error("ways to read percentiles were mixed")
	}
}

// The bar: 1,000 histograms in 200 ms. Those of HdrHistogram with three digits over six decades have some
// 20,000 buckets at most, and a trial fills some 3,000 of them.
func BenchmarkMergeHistograms(b *testing.B) {
	all := make([]Histogram, 1000)
	for i := range all {
		all[i].Unit = "ms"
		for j := range 3000 {
			if (i+j)%7 > 0 { // not every one has every bucket
				all[i].Buckets = append(all[i].Buckets, Bucket{Value: 0.01 * math.Pow(1.004, float64(j)), Count: int64(j)})
			}
		}
	}
	for b.Loop() {
		if _, ok := MergeHistograms(all...); !ok {
			b.Fatal("not merged")
		}
	}
}
