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
		if got := lowest(index(value)); got != want {
			t.Errorf("%d ns is in the bucket of %d, want %d", value, got, want)
		}
	}
}

func TestPlacesHaveNoGap(t *testing.T) {
	for i := range len(histogram{}.counts) {
		if got := index(lowest(i)); got != i {
			t.Fatalf("the lowest value of place %d is at place %d", i, got)
		}
	}
}

func TestOnlyBucketsWithCounts(t *testing.T) {
	h := &histogram{}
	for _, v := range []int64{5000, 7, 5001, 7, 7} {
		h.record(v)
	}
	if got, want := h.buckets(), [][2]int64{{7, 3}, {5000, 2}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	h.reset()
	if got := h.buckets(); len(got) != 0 {
		t.Errorf("after reset there is %v", got)
	}
}
