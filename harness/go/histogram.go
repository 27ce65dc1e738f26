package main

import (
	"math/bits"
	"sync/atomic"
)

// histogram counts nanoseconds in buckets with three significant digits: a value below 2048 is a bucket of its own; of a
// greater one the 11 leading bits stay. The counters lie in one array, so that recording is an index and an addition.
type histogram struct {
	counts [54 * 1024]int64 // 63 bits of a positive int64: shifts up to 52, indices below 54 * 1024
}

func (h *histogram) record(nanoseconds int64) { h.counts[index(nanoseconds)]++ }

// add records what one of several goroutines measured.
func (h *histogram) add(nanoseconds int64) { atomic.AddInt64(&h.counts[index(nanoseconds)], 1) }

func (h *histogram) reset() { h.counts = [54 * 1024]int64{} }

// index is the place of a value's bucket. For a shift s the leading bits are 1024 to 2047, so the places of s follow those
// of s-1 without a gap.
func index(v int64) int {
	if v < 2048 {
		return int(v)
	}
	shift := bits.Len64(uint64(v)) - 11
	return shift*1024 + int(v>>shift)
}

// buckets are those that are not empty, in ascending order: index and count.
func (h *histogram) buckets() [][2]int64 {
	found := [][2]int64{}
	for i, n := range h.counts {
		if n > 0 {
			found = append(found, [2]int64{int64(i), n})
		}
	}
	return found
}
