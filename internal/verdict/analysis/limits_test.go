package analysis

import (
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
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
		}, "ClientLimit of=20 trials=10", "ClientLimit of=20 trials=10"},
		"servers at their limits": {func(r *contract.Record) { r.LimitedBy = []contract.RecordedLimit{{By: string(v1alpha1.LimitCPU)}} },
			"ServerLimit of=20 trials=20", "ServerLimit of=20 trials=20"},
		"a server that is seldom at its limit": {func(r *contract.Record) {
			if r.Block < 5 {
				r.LimitedBy = []contract.RecordedLimit{{By: string(v1alpha1.LimitCPU)}}
			}
		}, "", ""},
		"both ends on one CPU": {func(r *contract.Record) {
			r.Facts = contract.NewFacts(map[string]string{"client/cpu-set": "one, that of the server"})
		},
			"OneCPU of=20 trials=20", "OneCPU of=20 trials=20"},
		"an offered rate": {func(r *contract.Record) { r.Values = append(r.Values, offered) }, "RateOffered", ""},
		"a rate beyond all servers": {func(r *contract.Record) { r.Values, r.Saturated = append(r.Values, offered), true },
			"", "Saturated of=20 trials=20"},
		"windows too short to know": {func(r *contract.Record) { r.Steadiness = string(stats.TooShort) },
			"WindowTooShort of=20 trials=20", "WindowTooShort of=20 trials=20"},
		"some windows are not steady, the rest is": {func(r *contract.Record) {
			if r.Steadiness = string(stats.Steady); r.Target == "a" && r.Block < 3 {
				r.Steadiness = string(stats.NotSteady)
			}
		}, "NotSteady of=20 trials=3", "NotSteady of=20 trials=3"},
	} {
		p := planOf(10, 1, "a", "b")
		records := recordsOf(p, 0.001, bOver(1.5))
		for i := range records {
			tc.change(&records[i])
		}
		got := conclude(t, Input{Layout: Layout{Plan: p}, Records: records}, 2, nil)
		for i, want := range []string{tc.throughput, tc.latency} {
			if e := got.Entries[i]; said(e.Reasons) != want || e.Verdict != v1alpha1.VerdictFaster {
				t.Errorf("%s, %s: %s, %q, want %q", name, e.Name, e.Verdict, said(e.Reasons), want)
			}
		}
	}
}
