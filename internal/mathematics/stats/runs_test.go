package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// ofRun is the comparison of a run whose ratios are all about this one.
func ofRun(t *testing.T, logRatio float64) Comparison {
	t.Helper()
	return around(t, 10, math.Exp(logRatio), 0.001)
}

// Student's sleep data: the extra hours of sleep by the second drug over those by the first. R:
// t.test(extra ~ group, data = sleep, paired = TRUE): t = -4.0621, df = 9, p-value = 0.002833,
// interval 0.7001142 to 2.4598858, mean 1.58.
func TestCompareRunsIsStudentsTest(t *testing.T) {
	var runs []Comparison
	for _, hours := range []float64{1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4} {
		runs = append(runs, Comparison{N: 10, Paired: true, Ratio: math.Exp(hours), shifts: []float64{hours}})
	}
	c, err := CompareRuns(runs)
	if err != nil {
		t.Fatal(err)
	}
	want := result{P: 0.002833, Estimate: 1.58, Low: 0.7001142, High: 2.4598858, Coverage: 0.95}
	if diff := cmp.Diff(want, resultOf(t, c, 0.05), cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c.N != 100 || !c.Paired {
		t.Errorf("%d values, paired %v", c.N, c.Paired)
	}
	// The interval at twice the p-value of equivalence just touches the margin.
	p := c.Equivalence(math.Expm1(2))
	if touching, _ := c.Interval(2 * p); math.Abs(math.Log(touching.High)-2) > 1e-9 {
		t.Errorf("equivalence %v: the interval ends at %v, want 2", p, math.Log(touching.High))
	}
}

func TestRunsAreDecidedTogether(t *testing.T) {
	tests := map[string]struct {
		ratios []float64
		want   Verdict
	}{
		"each run is certain, and they disagree": {[]float64{0.05, -0.04, 0.01}, Inconclusive},
		"all runs agree":                         {[]float64{0.05, 0.051, 0.049}, Faster},
		"and below":                              {[]float64{-0.05, -0.051, -0.049}, Slower},
		"all are about 1":                        {[]float64{0.001, -0.001, 0.0005, -0.0002}, Equivalent},
		"exactly alike, and 1":                   {[]float64{0, 0, 0}, Inconclusive},
		"exactly alike, and not 1":               {[]float64{0.5, 0.5}, Inconclusive},
		"six runs that are exactly alike":        {[]float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, Faster},
	}
	for name, tc := range tests {
		var runs []Comparison
		for _, r := range tc.ratios {
			one := ofRun(t, r)
			one.Ratio = math.Exp(r)
			runs = append(runs, one)
		}
		c, err := CompareRuns(runs)
		if err != nil {
			t.Fatal(err)
		}
		if got := Decide([]Comparison{c}, 0.05, 0.02)[0]; got.Verdict(HigherIsBetter) != tc.want || (got.Interval == nil) != (c.Spread == 0 && len(runs) < 6) || got.P == 0 {
			t.Errorf("%s: %s, want %s: %+v", name, got.Verdict(HigherIsBetter), tc.want, got)
		}
	}
	both, err := CompareRuns([]Comparison{ofRun(t, 0.1), ofRun(t, 0.2)})
	if err != nil {
		t.Fatal(err)
	}
	for errorRate, want := range map[float64]bool{-1: false, 0: false, 0.05: true, 1: true, 3: true} {
		if interval, ok := both.Interval(errorRate); ok != want || ok && !(interval.Low <= both.Ratio && both.Ratio <= interval.High) {
			t.Errorf("at %v: interval %v, %v, want %v", errorRate, interval, ok, want)
		}
	}
	if _, err := CompareRuns([]Comparison{ofRun(t, 0)}); !errors.Is(err, ErrOneRun) {
		t.Errorf("one run: %v, want ErrOneRun", err)
	}
	if _, err := CompareRuns([]Comparison{ofRun(t, 0), {}}); !errors.Is(err, ErrEmpty) {
		t.Errorf("an empty run: %v, want ErrEmpty", err)
	}
}

// Where runs differ, the interval of the runs holds the truth as often as it says. That of all
// blocks together does not.
func TestIntervalsAcrossRunsIncludeTheirDifference(t *testing.T) {
	random := rand.New(rand.NewPCG(25, 26))
	const rounds, errorRate = 1500, 0.05
	held, pooledHeld := 0, 0
	for range rounds {
		var runs []Comparison
		var all, ones []float64
		for range 4 {
			effect := 0.02 * random.NormFloat64()
			var subject, baseline []float64
			for range 8 {
				subject, baseline = append(subject, math.Exp(effect+0.02*random.NormFloat64())), append(baseline, 1)
			}
			one, err := ComparePaired(subject, baseline)
			if err != nil {
				t.Fatal(err)
			}
			runs, all, ones = append(runs, one), append(all, subject...), append(ones, baseline...)
		}
		c, err := CompareRuns(runs)
		if err != nil {
			t.Fatal(err)
		}
		pooled, err := ComparePaired(all, ones)
		if err != nil {
			t.Fatal(err)
		}
		held, pooledHeld = held+count(c.P() > errorRate), pooledHeld+count(pooled.P() > errorRate)
	}
	if share, allowed := float64(held)/rounds, 4*math.Sqrt(errorRate*(1-errorRate)/rounds); math.Abs(share-0.95) > allowed {
		t.Errorf("%.3f of the intervals hold the ratio, want 0.95 ± %.3f", share, allowed)
	}
	if share := float64(pooledHeld) / rounds; share > 0.8 {
		t.Errorf("%.3f of the pooled intervals hold it: this test shows nothing", share)
	}
}

// Of Student's t: at 0.05 one-sided, 2 runs need 6.314/sqrt(2) = 4.46 spreads, 3 need 2.920/sqrt(3) = 1.69, and 8 need 1.895/sqrt(8) = 0.67.
func TestRunsNeeded(t *testing.T) {
	tests := map[string]struct {
		distance, spread, errorRate float64
		want                        int
		ok                          bool
	}{
		"far away":               {4.5, 1, 0.05, 2, true},
		"less than two need":     {4.4, 1, 0.05, 3, true},
		"just what three need":   {1.69, 1, 0.05, 3, true},
		"just what eight need":   {0.67, 1, 0.05, 8, true},
		"a unit cancels out":     {0.067, 0.1, 0.05, 8, true},
		"too near":               {0.001, 1, 0.05, 0, false},
		"at the bound":           {0, 1, 0.05, 0, false},
		"runs that are all one":  {1, 0, 0.05, 0, false},
		"nothing may be allowed": {1, 1, 0, 0, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got, ok := RunsNeeded(tt.distance, tt.spread, tt.errorRate); got != tt.want || ok != tt.ok {
				t.Errorf("%d, %v, want %d, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}
