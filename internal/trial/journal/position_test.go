package journal

import (
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func decided(d contract.Decision) func(*contract.Record) {
	return func(r *contract.Record) { r.Decision = &d }
}

// What follows a trial is the same for whoever reads the records, and behind a full part.
func TestPositionFollowsTheDecision(t *testing.T) {
	next := int32(7)
	for name, tt := range map[string]struct {
		record contract.Record
		want   Position
		ends   bool
	}{
		"no decision":          {record(2, 0, contract.Succeeded, true), Position{Index: 3}, false},
		"a stop":               {record(2, 0, contract.Succeeded, true, decided(contract.Decision{Stop: true})), Position{Index: 3, Stopped: true}, true},
		"a rate":               {record(2, 0, contract.Succeeded, true, decided(contract.Decision{Rate: 500})), Position{Index: 3, Rate: 500}, false},
		"a skip":               {record(2, 0, contract.Failed, true, decided(contract.Decision{Next: &next, Rate: 8})), Position{Index: 7, Rate: 8}, false},
		"the last of the plan": {record(9, 0, contract.Succeeded, true), Position{Index: 10}, true},
		"another attempt offers the same rate": {
			record(2, 1, contract.Failed, false, func(r *contract.Record) { r.Rate = 500 }), Position{Index: 2, Attempt: 2, Rate: 500}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			part := BeginChain("plan").Add(tt.record)
			for where, r := range map[string]Records{"as written": part, "as read": reread(t, part), "behind a full part": part.Next(), "behind one that was read": reread(t, part).Next()} {
				if got := r.Position(); got != tt.want || got.Ends(10) != tt.ends {
					t.Errorf("%s: %+v, ends: %t; want %+v, %t", where, got, got.Ends(10), tt.want, tt.ends)
				}
			}
		})
	}
}
