package drivers

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Bytes allocated are those of an operation of the throughput, over all rounds that count. None is a measurement, and an unknown number is absent, also
// where one round alone does not say it.
func TestAllocatedBytes(t *testing.T) {
	rounds := 0
	tests := map[string]struct {
		change func(a *answer)
		want   map[string]counted
	}{
		"every answer has it": {
			func(a *answer) { a.Collection = &collection{Allocated: new(1500*a.Operations + 1)} },
			map[string]counted{"Update": {1501, 2}, "SelectByKey": {1500.001, 1000}},
		},
		"none was allocated": {
			func(a *answer) { a.Collection = &collection{Allocated: new(int64(0))} }, map[string]counted{"Update": {0, 2}, "SelectByKey": {0, 1000}},
		},
		"no answer has it":          {func(a *answer) { a.Collection = &collection{Count: new(int64(1))} }, map[string]counted{}},
		"a language without a heap": {func(a *answer) { a.Collection = nil }, map[string]counted{}},
		"the last round has not told": {
			func(a *answer) {
				a.Collection = &collection{Allocated: new(1500 * a.Operations)}
				if rounds++; rounds%3 == 0 && a.Operations == 1 {
					a.Collection.Allocated = nil
				}
			}, map[string]counted{"SelectByKey": {1500, 1000}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			rounds = 0
			got := countedOf(t, NameAllocated, tc.change, func(m contract.Measurement) bool { return m.Unit == "B" && m.Direction == contract.LowerIsBetter })
			if diff := cmp.Diff(tc.want, got, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })); diff != "" {
				t.Errorf("bytes differ (-want +got):\n%s", diff)
			}
		})
	}
}
