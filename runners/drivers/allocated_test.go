package drivers

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Bytes allocated are those of an operation of the throughput, over all rounds that count. None is a measurement, and an unknown number is absent, also
// where one round alone does not say it.
func TestAllocatedBytes(t *testing.T) {
	type allocated struct {
		Bytes      float64
		Operations int64
	}
	rounds := 0
	tests := map[string]struct {
		change func(a *answer)
		want   map[string]allocated
	}{
		"every answer has it": {
			func(a *answer) { a.Collection = &collection{Allocated: new(1500*a.Operations + 1)} },
			map[string]allocated{"Update": {1501, 2}, "SelectByKey": {1500.001, 1000}},
		},
		"none was allocated": {
			func(a *answer) { a.Collection = &collection{Allocated: new(int64(0))} }, map[string]allocated{"Update": {0, 2}, "SelectByKey": {0, 1000}},
		},
		"no answer has it":          {func(a *answer) { a.Collection = &collection{Count: new(int64(1))} }, map[string]allocated{}},
		"a language without a heap": {func(a *answer) { a.Collection = nil }, map[string]allocated{}},
		"the last round has not told": {
			func(a *answer) {
				a.Collection = &collection{Allocated: new(1500 * a.Operations)}
				if rounds++; rounds%3 == 0 && a.Operations == 1 {
					a.Collection.Allocated = nil
				}
			}, map[string]allocated{"SelectByKey": {1500, 1000}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			rounds = 0
			out := answered(t, trial(spec), func(c cell, a *answer, _ *runner.Exchange) {
				if named("Update", "")(c) || named("SelectByKey", "")(c) {
					tc.change(a)
				}
			})
			got := map[string]allocated{}
			for _, m := range parse(trial(spec), contract.PhaseRun, out).Measurements {
				of := m.Labels[contract.LabelOperation]
				if m.Name != NameAllocated || m.Labels[contract.LabelDriver] != "mysql2" || of != "Update" && of != "SelectByKey" {
					continue
				}
				if m.Unit != "B" || m.Direction != contract.LowerIsBetter {
					t.Errorf("%+v", m)
				}
				got[of] = allocated{*m.Value, *m.N}
			}
			if diff := cmp.Diff(tc.want, got, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })); diff != "" {
				t.Errorf("bytes differ (-want +got):\n%s", diff)
			}
		})
	}
}
