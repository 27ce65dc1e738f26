package analysis

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// Rounding never moves a number over the bound that decides.
func TestRoundingKeepsTheSide(t *testing.T) {
	for _, tc := range []struct {
		v, bound float64
		want     string
	}{
		{1.00002, 1, "1.00002"}, {1.0000002, 1, "1.0000002"}, {0.99999996, 1, "0.99999996"}, {1, 1, "1"}, {1.5234567, 1, "1.523"}, {0.9987654, 1, "0.998765"},
		{0.05000021, 0.05, "0.0500002"}, {0.0499999, 0.05, "0.0499999"}, {0.05, 0.05, "0.05"}, {0.0039062, 0.05, "0.003906"},
		{math.Nextafter(1, 2), 1, "1"},
	} {
		if got := besides(tc.v, tc.bound); got != tc.want {
			t.Errorf("%v beside %v: %s, want %s", tc.v, tc.bound, got, tc.want)
		}
	}
	if got := figure.Beside(4, 0.99999, 1); got != "0.99999" {
		t.Errorf("a confidence of 0.99999 is %s", got)
	}
}

// Less memory is no speed, and a shorter time is.
func TestOnlySpeedsAreFaster(t *testing.T) {
	for _, tc := range []struct {
		unit, direction string
		want            stats.Direction
	}{
		{"ms", "LowerIsBetter", stats.LowerIsBetter}, {"s", "LowerIsBetter", stats.LowerIsBetter}, {"tx/s", "HigherIsBetter", stats.HigherIsBetter},
		{"B", "LowerIsBetter", stats.NoDirection}, {"s/Mop", "LowerIsBetter", stats.NoDirection}, {"EUR/Mop", "LowerIsBetter", stats.NoDirection}, {"B/op", "", stats.NoDirection},
	} {
		if got := directionOf(v1alpha1.ComparisonEntry{Unit: tc.unit, Direction: tc.direction}); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
}

// A resolution is the interval of the control, not one that was stretched to hold 0. Without an
// interval there is none.
func TestResolution(t *testing.T) {
	p := planOf(10, 1, "a", "b", "control")
	records := recordsOf(p, 0, func(target string, _ int32) float64 {
		if target == "control" {
			return 103
		}
		return 100
	})
	for rate, want := range map[string]v1alpha1.ComparisonEntry{
		"5%": {
			IntervalLow: "1.03", IntervalHigh: "1.03", IntervalConfidence: "0.9512", Verdict: "Inconclusive",
			Reasons: []v1alpha1.VerdictReason{
				{Code: v1alpha1.CodeCoarserThanEffect, Values: map[string]string{"minimumEffect": "0.02"}},
				{Code: v1alpha1.CodeControlUnchecked, Values: map[string]string{"blocks": "10", "needed": "12"}},
			},
		},
		"0.1%": {Verdict: "Inconclusive", Reasons: []v1alpha1.VerdictReason{{Code: v1alpha1.CodeNoInterval, Values: map[string]string{"blocks": "10", "errorRate": "0.001"}}}},
	} {
		got := conclude(t, Input{Layout: Layout{Plan: p}, Records: records}, 2, &v1alpha1.Analysis{
			Control: true, MinimumEffect: "2%", ErrorRate: rate, Comparisons: []v1alpha1.Comparison{{Factor: "target", Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}, {Name: "latency.avg"}}}},
		})
		c := got.Entries[slices.IndexFunc(got.Entries, func(e v1alpha1.ComparisonEntry) bool { return e.Family == v1alpha1.FamilyControl })]
		shown := v1alpha1.ComparisonEntry{IntervalLow: c.IntervalLow, IntervalHigh: c.IntervalHigh, IntervalConfidence: c.IntervalConfidence, Verdict: c.Verdict, Reasons: c.Reasons}
		if diff := cmp.Diff(want, shown); diff != "" {
			t.Errorf("error rate %s (-want +got):\n%s", rate, diff)
		}
	}
}

// ABBA turns the targets round, and not the cells.
func TestCellsInOneOrderAreNamed(t *testing.T) {
	p := planOf(10, 2, "a", "b")
	p.Order = v1alpha1.OrderABBA
	records := recordsOf(p, 0.01, func(_ string, cell int32) float64 { return 100 * float64(1+cell) })
	for factor, want := range map[string]string{"threads": "OneOrder", "target": ""} {
		got := conclude(t, Input{Layout: Layout{Plan: p}, Records: records}, 2, analysisOf(v1alpha1.Comparison{Factor: factor, Measurements: []v1alpha1.MeasurementRef{{Name: contract.NameThroughput}}}))
		if e := got.Entries[0]; said(e.Reasons) != want {
			t.Errorf("%s: %s", factor, said(e.Reasons))
		}
	}
}

// A comparison of servers that were started once says so; one of an axis is of the same starts on both sides.
func TestOneStartIsNamed(t *testing.T) {
	p := planOf(10, 2, "a", "b")
	records := recordsOf(p, 0.01, func(_ string, cell int32) float64 { return 100 * float64(1+cell) })
	for _, tt := range []struct {
		factor string
		design v1alpha1.Design
		want   bool
	}{
		{"target", v1alpha1.Design{Starts: v1alpha1.StartsOne}, true}, {"target", v1alpha1.Design{Starts: v1alpha1.StartsPerBlock}, false},
		{"target", v1alpha1.Design{Starts: v1alpha1.StartsOne, DataReset: v1alpha1.ResetPerBlock}, false}, {"threads", v1alpha1.Design{Starts: v1alpha1.StartsOne}, false},
	} {
		a := analysisOf(v1alpha1.Comparison{Factor: tt.factor, Measurements: []v1alpha1.MeasurementRef{{Name: contract.NameThroughput}}})
		d, err := Declare(v1alpha1.BenchmarkRunSpec{Analysis: a, Design: tt.design}, []string{contract.NameThroughput})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Conclude(Input{Layout: Layout{Plan: p}, Records: records, Declaration: d, Names: []string{contract.NameThroughput}, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		if e := got.Entries[0]; strings.Contains(said(e.Reasons), "OneStart") != tt.want {
			t.Errorf("%s, %+v: %s", tt.factor, tt.design, said(e.Reasons))
		}
	}
}

// Every p-value of a family is shown on its own side of the error rate.
func TestShownPAgreesWithTheVerdict(t *testing.T) {
	for _, p := range []float64{0.0499999999, 0.05, 0.0500000001, 0.051, 0.049} {
		shown, err := strconv.ParseFloat(besides(p, 0.05), 64)
		if err != nil || (shown <= 0.05) != (p <= 0.05) {
			t.Errorf("%v is shown as %v (%v)", p, shown, err)
		}
	}
}
