package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
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
		// verdicts of the family, how many of each.
		verdicts map[v1alpha1.ComparisonVerdict]int
	}{
		"S0.4: better is said of 23 % the other way": {
			ratio: [3]float64{0.77, 0.77, 0.77}, throughput: [3]v1alpha1.ComparisonVerdict{"Slower", "Slower", "Slower"}, latency: "Slower", verdicts: map[v1alpha1.ComparisonVerdict]int{"Slower": 6},
		},
		"S0.5: close is said of 48 %": {
			ratio: [3]float64{1.48, 1.48, 1.48}, throughput: [3]v1alpha1.ComparisonVerdict{"Faster", "Faster", "Faster"}, latency: "Faster", verdicts: map[v1alpha1.ComparisonVerdict]int{"Faster": 6},
		},
		"S0.6: a claim holds for one of three sizes": {
			ratio: [3]float64{1.5, 1, 1}, throughput: [3]v1alpha1.ComparisonVerdict{"Faster", "Inconclusive", "Inconclusive"}, latency: "Faster", verdicts: map[v1alpha1.ComparisonVerdict]int{"Faster": 2, "Inconclusive": 4},
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
			throughput: [3]v1alpha1.ComparisonVerdict{"Inconclusive", "Inconclusive", "Inconclusive"}, latency: "Inconclusive", verdicts: map[v1alpha1.ComparisonVerdict]int{"Inconclusive": 6},
		},
		"S1.5: a headline hides a latency that is worse": {
			ratio: [3]float64{1.3, 1.3, 1.3}, change: func(all []contract.Record) {
				for i := range all {
					if all[i].Target == "b" {
						all[i].Values[1].Value *= 2
					}
				}
			},
			throughput: [3]v1alpha1.ComparisonVerdict{"Faster", "Faster", "Faster"}, latency: "Slower", verdicts: map[v1alpha1.ComparisonVerdict]int{"Faster": 3, "Slower": 3},
		},
		"S2.5: no measurable cost is said of 27 %": {
			ratio: [3]float64{1 / 1.27, 1 / 1.27, 1 / 1.27}, throughput: [3]v1alpha1.ComparisonVerdict{"Slower", "Slower", "Slower"}, latency: "Slower", verdicts: map[v1alpha1.ComparisonVerdict]int{"Slower": 6},
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
			latencies, verdicts := 0, map[v1alpha1.ComparisonVerdict]int{}
			for _, e := range got.Entries {
				if e.Family == v1alpha1.FamilyPrimary {
					verdicts[e.Verdict]++
				}
				switch {
				case e.Family != v1alpha1.FamilyPrimary:
				case e.Name == "throughput" && e.Verdict != tc.throughput[e.Cell]:
					t.Errorf("cell %d: %s, want %s", e.Cell, e.Verdict, tc.throughput[e.Cell])
				case e.Name == "latency.percentile" && e.Cell == 0:
					if latencies++; e.Verdict != tc.latency {
						t.Errorf("latency: %s, want %s", e.Verdict, tc.latency)
					}
				}
			}
			if diff := cmp.Diff(tc.verdicts, verdicts); latencies != 1 || diff != "" {
				t.Errorf("%d latencies, and the verdicts (-want +got):\n%s", latencies, diff)
			}
		})
	}
}
