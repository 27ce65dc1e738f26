package main

import (
	"math"
	"reflect"
	"testing"
)

func TestBuckets(t *testing.T) {
	for value, want := range map[int64]int64{
		0: 0, 1: 1, 2047: 2047, 2048: 2048, 2049: 2048, 2050: 2050, 4095: 4094, 4096: 4096, 4099: 4096, 4100: 4100,
		270532608: 270532608, 270532609: 270532608, 270794751: 270532608, 270794752: 270794752,
		math.MaxInt64: 2047 << 52,
	} {
		// A value and the lowest one of its bucket have one index, and the value below has the index before.
		if index(value) != index(want) || want > 0 && index(want-1) != index(want)-1 || index(value) >= len(histogram{}.counts) {
			t.Errorf("%d ns are in the bucket %d, and that of %d is %d", value, index(value), want, index(want))
		}
	}
}

func TestOnlyBucketsWithCounts(t *testing.T) {
	h := &histogram{}
	for _, v := range []int64{5000, 7, 5001, 7, 7} {
		h.record(v)
	}
	if got, want := h.buckets(), [][2]int64{{7, 3}, {3298, 2}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	h.reset()
	if got := h.buckets(); len(got) != 0 {
		t.Errorf("after reset there is %v", got)
	}
}
