package analysis

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/stats"
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
	if got := besidesIn(4, 0.99999, 1); got != "0.99999" {
		t.Errorf("a confidence of 0.99999 is %s", got)
	}
}

func TestWordsOfNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0 %", 0.00002: "+0.002 %", -0.00002: "-0.002 %", -0.0000004: "-0.00004 %", 0.038: "+3.8 %", -0.5: "-50 %", 0.0012: "+0.12 %"} {
		if got := signed(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
	for v, want := range map[float64]string{1: "1.00", 1.0004: "1.0004", 0.9996: "0.9996", 1.523: "1.52", 0.0123: "0.0123", 123.4: "123", 99.96: "100.0", 12.34: "12.3"} {
		if got := Factor(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

// The text of a comparison agrees with its verdict, and says which way a latency goes.
func TestTextOfAComparison(t *testing.T) {
	a := &analyst{Input: Input{Declaration: Declaration{ErrorRate: 0.05, MinimumEffect: 0.02}}}
	base := v1alpha1.ComparisonEntry{
		Family: v1alpha1.FamilyPrimary, Factor: v1alpha1.FactorTarget, Value: "b", Baseline: "a", Name: "throughput", Unit: "tx/s", Direction: "HigherIsBetter",
		Verdict: v1alpha1.VerdictFaster, Ratio: "1.5", IntervalLow: "1.4", IntervalHigh: "1.6", P: "0.002", AdjustedP: "0.004", BlockCount: 10, PlannedBlockCount: 10,
	}
	for name, tc := range map[string]struct {
		change func(*v1alpha1.ComparisonEntry)
		want   string
	}{
		"throughput": {func(*v1alpha1.ComparisonEntry) {}, "b 1.50x a (1.40 to 1.60, p 0.004)"},
		"a longer latency": {func(e *v1alpha1.ComparisonEntry) {
			e.Name, e.Unit, e.Direction, e.Verdict = "latency.avg", "ms", "LowerIsBetter", v1alpha1.VerdictSlower
		}, "latency.avg: b 1.50x a (1.40 to 1.60, p 0.004): slower"},
		"a little shorter latency": {func(e *v1alpha1.ComparisonEntry) {
			e.Name, e.Unit, e.Direction, e.Ratio, e.IntervalLow, e.IntervalHigh, e.BelowMinimumEffect = "latency.avg", "ms", "LowerIsBetter", "0.995", "0.991", "0.99998", true
		}, "latency.avg: b -0.5 % against a (-0.9 % to -0.002 %, p 0.004): faster by less than matters"},
		"a p-value just above the error rate": {func(e *v1alpha1.ComparisonEntry) {
			e.Verdict, e.IntervalLow, e.AdjustedP = v1alpha1.VerdictInconclusive, "0.9997", "0.0501"
		}, "b 1.50x a (0.9997 to 1.60, p 0.0501): inconclusive"},
		"an interval just above 1": {func(e *v1alpha1.ComparisonEntry) { e.IntervalLow, e.AdjustedP = "1.0003", "0.0499" },
			"b 1.50x a (1.0003 to 1.60, p 0.0499)"},
		"blocks that do not count": {func(e *v1alpha1.ComparisonEntry) { e.BlockCount = 8 }, "b 1.50x a (1.40 to 1.60, p 0.004, 8 of 10 blocks)"},
	} {
		e := base
		tc.change(&e)
		if got := a.describe(e, ""); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
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
	for rate, want := range map[string]string{"5%": "; resolution +3 % to +3 % (unchecked: that takes 12 blocks), not around 0 (5 % of sound controls are so)", "0.1%": "; no resolution: 10 blocks have no interval at an error rate of 0.1 %"} {
		got := conclude(t, Input{Layout: Layout{Plan: p}, Records: records}, 2, &v1alpha1.Analysis{
			Control: true, MinimumEffect: "2%", ErrorRate: rate, Comparisons: []v1alpha1.Comparison{{Factor: "target", Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}, {Name: "latency.avg"}}}},
		})
		if !strings.HasSuffix(got.Verdict, want) {
			t.Errorf("error rate %s: %q lacks %q", rate, got.Verdict, want)
		}
	}
}

// ABBA turns the targets round, and not the cells.
func TestCellsInOneOrderAreNamed(t *testing.T) {
	p := planOf(10, 2, "a", "b")
	p.Order = v1alpha1.OrderABBA
	records := recordsOf(p, 0.01, func(_ string, cell int32) float64 { return 100 * float64(1+cell) })
	for factor, want := range map[string]bool{"threads": true, "target": false} {
		got := conclude(t, Input{Layout: Layout{Plan: p}, Records: records}, 2, analysisOf(v1alpha1.Comparison{Factor: factor, Measurements: []v1alpha1.MeasurementRef{{Name: contract.NameThroughput}}}))
		if strings.Contains(got.Verdict, "the cells in one order") != want {
			t.Errorf("%s: %s", factor, got.Verdict)
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

// What is not alike may be long. The API server refuses a status with a reason of more than 1,024
// characters, and the run would never end.
func TestReasonsAreBounded(t *testing.T) {
	p := planOf(10, 1, "a", "b")
	got := conclude(t, Input{
		Layout: Layout{Plan: p}, Records: recordsOf(p, 0.01, bOver(1.5)), Alike: func(Sides) Likeness { return Likeness{Unmet: strings.Repeat("größer ", 1000)} },
	}, 2, &v1alpha1.Analysis{MinimumEffect: "2%", ErrorRate: "5%", RequireLike: []v1alpha1.LikeAspect{"durability"}})
	for _, e := range got.Entries {
		if len([]rune(e.Reason)) > 1024 || len([]rune(e.Text)) > 1024 {
			t.Errorf("a reason of %d characters, and a text of %d", len([]rune(e.Reason)), len([]rune(e.Text)))
		}
	}
}
