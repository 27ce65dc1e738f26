package drivers

import (
	"math"
	"math/bits"
	"testing"
)

// indexOf the bucket of a duration in ns, as a harness computes it.
func indexOf(ns int64) int64 {
	shift := max(bits.Len64(uint64(ns))-11, 0)
	return int64(shift)*1024 + ns>>shift
}

func TestLowestIsTheLowestOfItsBucket(t *testing.T) {
	for _, ns := range []int64{0, 1, 2047, 2048, 2049, 4095, 4096, 65535, 270532609, 1 << 40, math.MaxInt64} {
		shift := max(bits.Len64(uint64(ns))-11, 0)
		if got, want := Lowest(indexOf(ns)), ns>>shift<<shift; got != want {
			t.Errorf("%d ns are in the bucket of %d, want %d", ns, got, want)
		}
	}
	for index := range int64(54 * 1024) {
		if got := indexOf(Lowest(index)); got != index {
			t.Fatalf("the lowest of bucket %d is in %d", index, got)
		}
	}
}
