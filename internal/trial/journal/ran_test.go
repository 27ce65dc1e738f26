package journal

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// What a decision leaves out of a plan is not missing; what a failed run did not reach is.
func TestRanLeavesOutWhatWasDecided(t *testing.T) {
	p := &plan.Plan{}
	for i := range int32(8) {
		p.Trials = append(p.Trials, plan.Trial{Index: i})
	}
	stop, on := decided(contract.Decision{Stop: true}), decided(contract.Decision{Why: "goes on"})
	skip := func(to int32) func(*contract.Record) { return decided(contract.Decision{Next: &to}) }
	for name, tt := range map[string]struct {
		records []contract.Record
		want    []int32
	}{
		"no record":       {nil, []int32{0, 1, 2, 3, 4, 5, 6, 7}},
		"no decision":     {[]contract.Record{record(0, 0, contract.Succeeded, true)}, []int32{0, 1, 2, 3, 4, 5, 6, 7}},
		"a look":          {[]contract.Record{record(1, 0, contract.Succeeded, true, on)}, []int32{0, 1, 2, 3, 4, 5, 6, 7}},
		"a stop":          {[]contract.Record{record(1, 0, contract.Succeeded, true), record(3, 0, contract.Failed, true, stop)}, []int32{0, 1, 2, 3}},
		"two skips":       {[]contract.Record{record(0, 0, contract.Succeeded, true, skip(3)), record(3, 0, contract.Succeeded, true, skip(5))}, []int32{0, 3, 5, 6, 7}},
		"a skip, a stop":  {[]contract.Record{record(0, 0, contract.Succeeded, true, skip(3)), record(4, 0, contract.Succeeded, true, stop)}, []int32{0, 3, 4}},
		"a skip of none":  {[]contract.Record{record(2, 0, contract.Succeeded, true, skip(3))}, []int32{0, 1, 2, 3, 4, 5, 6, 7}},
		"another attempt": {[]contract.Record{record(2, 0, contract.Failed, false, stop)}, []int32{0, 1, 2, 3, 4, 5, 6, 7}},
	} {
		var got []int32
		for _, t := range Ran(p, tt.records).Trials {
			got = append(got, t.Index)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || len(p.Trials) != 8 {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
