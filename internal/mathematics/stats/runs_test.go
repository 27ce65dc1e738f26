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

// runsAt are runs whose log-ratios are these.
func runsAt(t *testing.T, logs ...float64) Comparison {
	t.Helper()
	var runs []Comparison
	for _, x := range logs {
		runs = append(runs, Comparison{N: 8, Paired: true, Ratio: math.Exp(x), shifts: []float64{x}})
	}
	c, err := CompareRuns(runs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Of Student's t, one-sided: at 0.05 three runs need (2.920+1.061)/sqrt(3) = 2.298 spreads for a power of 80 %, and eight need
// (1.895+0.896)/sqrt(8) = 0.987.
func TestRunsNeeded(t *testing.T) {
	spread1 := runsAt(t, -1, 0, 1)
	tests := map[string]struct {
		of                  Comparison
		distance, errorRate float64
		want                int
		ok                  bool
	}{
		"just what three need":   {spread1, 2.30, 0.05, 3, true},
		"less than three need":   {spread1, 2.29, 0.05, 4, true},
		"just what eight need":   {spread1, 0.988, 0.05, 8, true},
		"a unit cancels out":     {runsAt(t, -0.1, 0, 0.1), 0.0988, 0.05, 8, true},
		"too near":               {spread1, 0.001, 0.05, 0, false},
		"at the bound":           {spread1, 0, 0.05, 0, false},
		"runs that are all one":  {runsAt(t, 1, 1, 1), 1, 0.05, 0, false},
		"nothing may be allowed": {spread1, 1, 0, 0, false},
		"no runs":                {Comparison{}, 1, 0.05, 0, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got, ok := tt.of.RunsNeeded(tt.distance, tt.errorRate, 0.8); got != tt.want || ok != tt.ok {
				t.Errorf("%d, %v, want %d, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

// Of variances that differ by no more than chance the common one has all the freedom that it may have. Of two degrees each, digamma(1) is
// -0.57722, so that the common variance of spreads s is the geometric mean of s² times e^0.57722 = 1.78107: 0.0178107 for 0.1. With 4 degrees
// of freedom more, a spread of 0.1 becomes sqrt((4*0.0178107 + 2*0.01)/6) = 0.12332.
func TestModerate(t *testing.T) {
	alike := []Comparison{runsAt(t, -0.1, 0, 0.1), runsAt(t, 0.9, 1, 1.1), runsAt(t, 1.9, 2, 2.1)}
	for i, c := range Moderate(alike, 4) {
		want := across{estimate: float64(i), standardError: 0.12332 / math.Sqrt(3), freedom: 6}
		if diff := cmp.Diff(want, c.across, cmp.AllowUnexported(across{}), cmpopts.EquateApprox(1e-4, 1e-9)); diff != "" || math.Abs(c.Spread-0.12332) > 1e-5 {
			t.Errorf("spread %v (-want +got):\n%s", c.Spread, diff)
		}
	}
	// The logarithms of the variances of these differ by 2*log(1000) = 13.8: far more than by chance. So each keeps nearly its own.
	apart := Moderate([]Comparison{runsAt(t, -0.001, 0, 0.001), runsAt(t, -1, 0, 1)}, 100)
	if small, large := apart[0], apart[1]; small.Spread > 0.05 || large.Spread < 0.9 || small.across.freedom > 2.5 {
		t.Errorf("%+v\n%+v", small, large)
	}
	one, none := []Comparison{runsAt(t, -0.1, 0, 0.1)}, []Comparison{runsAt(t, 1, 1, 1), runsAt(t, -0.1, 0, 0.1), {}}
	for _, same := range [][]Comparison{one, none, nil} {
		if diff := cmp.Diff(same, Moderate(same, 100), cmp.AllowUnexported(Comparison{}, across{})); diff != "" {
			t.Errorf("moderated (-before +after):\n%s", diff)
		}
	}
	if diff := cmp.Diff(alike, Moderate(alike, 0), cmp.AllowUnexported(Comparison{}, across{})); diff != "" {
		t.Errorf("without freedom (-before +after):\n%s", diff)
	}
}

// Intervals of three runs hold the truth as often as they say, where the spreads of 20 comparisons differ by a factor of up to ten, and are
// far narrower than those of each comparison alone.
func TestModeratedIntervalsHoldTheTruth(t *testing.T) {
	random := rand.New(rand.NewPCG(20, 3))
	const rounds, comparisons = 400, 20
	held, own, moderated := 0.0, 0.0, 0.0
	for range rounds {
		var all []Comparison
		for range comparisons {
			// A scaled inverse chi-squared with 6 degrees of freedom.
			squares := 0.0
			for range 6 {
				x := random.NormFloat64()
				squares += x * x
			}
			sigma := 0.1 * math.Sqrt(6/squares)
			all = append(all, runsAt(t, sigma*random.NormFloat64(), sigma*random.NormFloat64(), sigma*random.NormFloat64()))
		}
		for i, c := range Moderate(all, 38) {
			after, _ := c.Interval(0.05)
			before, _ := all[i].Interval(0.05)
			own, moderated = own+math.Log(before.High/before.Low), moderated+math.Log(after.High/after.Low)
			if after.Low <= 1 && 1 <= after.High {
				held++
			}
		}
	}
	if share := held / (rounds * comparisons); share < 0.94 || share > 0.965 {
		t.Errorf("%.3f of the intervals hold it, want 0.95", share)
	}
	if moderated > 0.65*own {
		t.Errorf("the intervals are %.2f times as wide as alone", moderated/own)
	}
}
