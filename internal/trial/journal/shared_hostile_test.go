package journal

import (
	"fmt"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Labels and circumstances that differ in every trial are counted, so that a reader stops in time: an
// entry of a map takes far more than the value that it belongs to.
func TestTextsThatAreNotSharedAreCounted(t *testing.T) {
	var s Shared
	read := func(part, i int) int {
		rec := contract.Record{Facts: contract.Facts(fmt.Sprintf("set/x=%d", part))}
		for n := range 1000 {
			rec.Values = append(rec.Values, contract.RecordedValue{Name: "n", Labels: map[string]string{"x": fmt.Sprint(i*1000 + n)}})
		}
		compact := s.Compact(Records{Records: []contract.Record{rec}})
		if has := compact.Records[0].Facts != ""; has != (part < maxFacts) {
			t.Errorf("circumstances %d are kept: %t", part, has)
		}
		return s.Memory()
	}
	first := read(0, 0)
	if again := read(0, 0); again != first {
		t.Errorf("the same texts: %d bytes, then %d", first, again)
	}
	if other := read(1, 1); first < 400_000 || other < first+400_000 {
		t.Errorf("1,000 labels take %d bytes, and 1,000 others %d", first, other-first)
	}
	for part := range 300 {
		read(part, 0)
	}
}
