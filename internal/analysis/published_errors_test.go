package analysis

import (
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
)

// What published benchmarks said against their own numbers (docs/evidence/traps.md) is decided by the
// comparison that their experiment declares.
func TestPublishedErrors(t *testing.T) {
	tests := map[string]struct {
		// ratio of b to a by cell.
		ratio  [3]float64
		change func([]contract.Record)
		// throughput of each cell, and latency of the first one.
		throughput [3]v1alpha1.ComparisonVerdict
		latency    v1alpha1.ComparisonVerdict
		// verdict has this text in it.
		verdict string
	}{
		"S0.4: better is said of 23 % the other way": {
			ratio: [3]float64{0.77, 0.77, 0.77}, throughput: [3]v1alpha1.ComparisonVerdict{"Slower", "Slower", "Slower"}, latency: "Slower", verdict: "6 slower",
		},
		"S0.5: close is said of 48 %": {
			ratio: [3]float64{1.48, 1.48, 1.48}, throughput: [3]v1alpha1.ComparisonVerdict{"Faster", "Faster", "Faster"}, latency: "Faster", verdict: "6 faster",
		},
		"S0.6: a claim holds for one of three sizes": {
			ratio: [3]float64{1.5, 1, 1}, throughput: [3]v1alpha1.ComparisonVerdict{"Faster", "Inconclusive", "Inconclusive"}, latency: "Faster", verdict: "2 faster, 4 inconclusive",
		},
		"S0.7: a speed-up rides on an outlier of the baseline": {
			ratio: [3]float64{1, 1, 1}, change: func(all []contract.Record) {
				for i := range all {
					if all[i].Block == 4 && all[i].Target == "a" {
						all[i].Values[0].Value /= 20
						all[i].Values[1].Value *= 20
					}
				}
			},
			throughput: [3]v1alpha1.ComparisonVerdict{"Inconclusive", "Inconclusive", "Inconclusive"}, latency: "Inconclusive", verdict: "6 inconclusive",
		},
		"S1.5: a headline hides a latency that is worse": {
			ratio: [3]float64{1.3, 1.3, 1.3}, change: func(all []contract.Record) {
				for i := range all {
					if all[i].Target == "b" {
						all[i].Values[1].Value *= 2
					}
				}
			},
			throughput: [3]v1alpha1.ComparisonVerdict{"Faster", "Faster", "Faster"}, latency: "Slower", verdict: "3 faster, 3 slower",
		},
		"S2.5: no measurable cost is said of 27 %": {
			ratio: [3]float64{1 / 1.27, 1 / 1.27, 1 / 1.27}, throughput: [3]v1alpha1.ComparisonVerdict{"Slower", "Slower", "Slower"}, latency: "Slower", verdict: "6 slower",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := planOf(12, 3, "a", "b")
			records := recordsOf(p, 0.03, func(target string, cell int32) float64 { return bOver(tc.ratio[cell])(target, cell) })
			if tc.change != nil {
				tc.change(records)
			}
			got := conclude(t, Input{Layout: Layout{Plan: p}, Records: records}, 2, nil)
			latencies := 0
			for _, e := range got.Entries {
				switch {
				case e.Family != v1alpha1.FamilyPrimary:
				case e.Name == "throughput" && e.Verdict != tc.throughput[e.Cell]:
					t.Errorf("cell %d: %s, want %s", e.Cell, e.Text, tc.throughput[e.Cell])
				case e.Name == "latency.percentile" && e.Cell == 0:
					if latencies++; e.Verdict != tc.latency {
						t.Errorf("%s, want %s", e.Text, tc.latency)
					}
				}
			}
			if latencies != 1 || !strings.Contains(got.Verdict, tc.verdict) {
				t.Errorf("%d latencies, and the verdict %q, want %q in it", latencies, got.Verdict, tc.verdict)
			}
		})
	}
}
