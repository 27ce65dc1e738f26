package analysis

import (
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/costs"
)

// Of two targets, one may flush within its windows what the other puts off: the finding names both.
func TestDebtDiffers(t *testing.T) {
	type costOf struct{ debt, flushed float64 }
	tests := map[string]struct {
		a, b costOf
		// everyThird: b flushes three times as much in every third block, and nothing in the others.
		everyThird bool
		want       string
	}{
		"one flushes and one does not": {costOf{1430, 0}, costOf{2040, 3100}, false, "a flushed 0 B of pages per operation, and its debt grew by 1,430 B of log per operation; b flushed 3,100 B, and its debt grew by 2,040 B: " +
			"the throughput of a is without work that b did within its windows; compare longer windows"},
		"the other way round":                {costOf{100, 3100}, costOf{1430, 200}, false, "b flushed 200 B"},
		"one flushes now and then":           {costOf{1430, 0}, costOf{2040, 3100}, true, "b flushed 3,100 B"},
		"both put off":                       {costOf{1430, 0}, costOf{2040, 0}, false, ""},
		"both flush":                         {costOf{10, 3000}, costOf{20, 3100}, false, ""},
		"both put off, and flush":            {costOf{1430, 3000}, costOf{1400, 3100}, false, ""},
		"one pays for earlier windows":       {costOf{-500, 5000}, costOf{30, 100}, false, ""},
		"reads, which write next to nothing": {costOf{3, 0}, costOf{2, 900}, false, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := planOf(9, 1, "a", "b")
			records := recordsOf(p, 0.01, bOver(1.2))
			for i := range records {
				of := tc.a
				if records[i].Target == "b" {
					if of = tc.b; tc.everyThird {
						of.flushed *= map[bool]float64{true: 3}[records[i].Block%3 == 0]
					}
				}
				for cost, v := range map[string]float64{costs.Debt: of.debt, costs.Flushed: of.flushed} {
					records[i].Values = append(records[i].Values, contract.RecordedValue{Name: cost, Value: v, Unit: "B/op", Direction: contract.LowerIsBetter})
				}
			}
			var got []string
			for _, f := range conclude(t, Input{Layout: Layout{Plan: p}, Records: records}, 2, nil).Findings {
				got = append(got, f.Check+": "+f.Message)
			}
			if len(got) > 1 || (tc.want == "") != (len(got) == 0) || len(got) == 1 && (!strings.HasPrefix(got[0], "debt-differs: ") || !strings.Contains(got[0], tc.want)) {
				t.Errorf("findings %q, want %q", got, tc.want)
			}
		})
	}
}
