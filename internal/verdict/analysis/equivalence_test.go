package analysis

import (
	"math"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// Two one-sided tests at 5 % decide equivalence: the entry has their interval of 90 %, and the one of 95 % may reach beyond the
// minimum effect. So it is of a control.
func TestEquivalenceHasItsOwnInterval(t *testing.T) {
	p := planOf(10, 1, "a", "b", "control")
	factors := map[string]float64{"a": 0, "b": 1, "control": 1}
	records := recordsOf(p, 0, func(string, int32) float64 { return 100 })
	for i, r := range records {
		records[i].Values[0].Value = 100 * math.Exp(factors[r.Target]*0.04*(2*float64(r.Block)/9-1))
	}
	got := conclude(t, Input{Layout: Layout{Plan: p}, Records: records}, 2, &v1alpha1.Analysis{
		Control: true, MinimumEffect: "2%", ErrorRate: "5%",
		Comparisons: []v1alpha1.Comparison{{Factor: v1alpha1.FactorTarget, Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}}}},
	})
	seen := map[v1alpha1.ComparisonFamily]int{}
	for _, e := range got.Entries {
		if e.Family == v1alpha1.FamilyExploratory {
			if e.EquivalenceLow != "" {
				t.Errorf("a comparison that was not declared has an interval of equivalence: %+v", e)
			}
			continue
		}
		seen[e.Family]++
		high, _ := figure.Decimal(e.IntervalHigh)
		shown, _ := figure.Decimal(e.EquivalenceHigh)
		level, _ := figure.Decimal(e.EquivalenceConfidence)
		if e.Verdict != v1alpha1.VerdictEquivalent || high <= 1.02 || !(shown < 1.02) || !(level >= 0.9 && level < 0.95) {
			t.Errorf("%s %s: %s, interval to %s, of equivalence to %s at %s", e.Family, e.Name, e.Verdict, e.IntervalHigh, e.EquivalenceHigh, e.EquivalenceConfidence)
		}
	}
	if seen[v1alpha1.FamilyPrimary] != 1 || seen[v1alpha1.FamilyControl] != 1 {
		t.Errorf("seen %v", seen)
	}
}
