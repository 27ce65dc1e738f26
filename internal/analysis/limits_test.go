package analysis

import (
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
)

// A comparison says what else than the servers decides its numbers.
func TestLimitsOfAComparison(t *testing.T) {
	offered := contract.RecordedValue{Name: contract.NameOffered, Value: 100, Unit: "tx/s"}
	for name, tc := range map[string]struct {
		change              func(*contract.Record)
		throughput, latency string
	}{
		"nothing": {func(*contract.Record) {}, "", ""},
		"a client at its limit": {func(r *contract.Record) {
			if r.Target == "b" {
				r.LimitedBy = []contract.RecordedLimit{{By: string(v1alpha1.LimitClient)}}
			}
		}, "in 10 of 20 trials a client was at its own CPU limit", "in 10 of 20 trials a client was at its own CPU limit"},
		"a server at its limit is what is compared": {func(r *contract.Record) { r.LimitedBy = []contract.RecordedLimit{{By: string(v1alpha1.LimitCPU)}} }, "", ""},
		"an offered rate": {func(r *contract.Record) { r.Values = append(r.Values, offered) }, "a rate was offered, so that this is not the most that a server can do", ""},
		"a rate beyond all servers": {func(r *contract.Record) { r.Values, r.Saturated = append(r.Values, offered), true },
			"", "in 20 of 20 trials the offered rate was not achieved, and the latency grows with the window"},
	} {
		p := planOf(10, 1, "a", "b")
		records := recordsOf(p, 0.001, bOver(1.5))
		for i := range records {
			tc.change(&records[i])
		}
		got := conclude(t, Input{Layout: Layout{Plan: p}, Records: records}, 2, nil)
		for i, want := range []string{tc.throughput, tc.latency} {
			if e := got.Entries[i]; e.Reason != want || e.Verdict != v1alpha1.VerdictFaster || !strings.Contains(e.Text, want) {
				t.Errorf("%s, %s: %s, %q", name, e.Name, e.Verdict, e.Text)
			}
		}
	}
}
