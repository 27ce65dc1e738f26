package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	moremath "github.com/aclements/go-moremath/stats"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Hollander and Wolfe's examples are of differences: these are the values whose logarithms they are.
var (
	// Table 3.1: Hamilton depression scale factor before and after the first session.
	hamiltonBefore = exp(1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30)
	hamiltonAfter  = exp(0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29)
	// Table 4.1: water permeability of the chorioamnion at term and before.
	chorionTerm  = exp(0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46)
	chorionEarly = exp(1.15, 0.88, 0.90, 0.74, 1.21)
)

func exp(logs ...float64) []float64 {
	values := make([]float64, len(logs))
	for i, v := range logs {
		values[i] = math.Exp(v)
	}
	return values
}

// result is what a test expects of a comparison; the numbers are logarithms, as published.
type result struct {
	P, Estimate, Low, High, Coverage float64
}

func resultOf(t *testing.T, c Comparison, errorRate float64) result {
	t.Helper()
	interval, ok := c.Interval(errorRate)
	if !ok {
		t.Fatalf("no interval of %d values at %v", c.N, errorRate)
	}
	return result{c.P(), math.Log(c.Ratio), math.Log(interval.Low), math.Log(interval.High), interval.Coverage}
}

func TestCompareGivesThePublishedResults(t *testing.T) {
	paired, err := ComparePaired(hamiltonAfter, hamiltonBefore)
	if err != nil {
		t.Fatal(err)
	}
	unpaired, err := CompareUnpaired(chorionEarly, chorionTerm)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		comparison Comparison
		errorRate  float64
		want       result
	}{
		// Examples 3.1, 3.3 and 3.4 (T+ = 5; the interval is the 96.1 % one), and the example of R's
		// wilcox.test(x, y, paired = TRUE, alternative = "greater"): p-value 0.01953, one-sided.
		"signed rank": {paired, 0.05, result{2 * 0.01953125, -0.46, -0.786, -0.010, 0.9609375}},
		// Examples 4.1, 4.3 and 4.4 (96.0 %), and R's wilcox.test: W = 35, p-value 0.1272 one-sided.
		"rank sum": {unpaired, 0.041, result{0.2544, -0.305, -0.76, 0.15, 0.960}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, resultOf(t, tc.comparison, tc.errorRate), cmpopts.EquateApprox(0, 6e-4)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Critical values for 0.05, two-sided: the largest statistic that is significant. F. Wilcoxon and
// R. A. Wilcox, Some Rapid Approximate Statistical Procedures, 1964; Conover 1999, tables A7, A12.
func TestCriticalValuesAgreeWithTheTables(t *testing.T) {
	critical := func(tail func(int) float64) int {
		k := -1
		for 2*tail(k+1) <= 0.05 {
			k++
		}
		return k
	}
	for n, want := range map[int]int{
		5: -1, 6: 0, 7: 2, 8: 3, 9: 5, 10: 8, 11: 10, 12: 13, 13: 17, 14: 21, 15: 25, 16: 29, 17: 34, 18: 40, 19: 46, 20: 52, 25: 89, 30: 137, 50: 434,
	} {
		if got := critical(func(t int) float64 { return signedRankTail(n, t) }); got != want {
			t.Errorf("signed rank, %d pairs: %d, want %d", n, got, want)
		}
	}
	for n, want := range map[int]int{3: -1, 4: 0, 5: 2, 6: 5, 7: 8, 8: 13, 9: 17, 10: 23, 12: 37, 15: 64, 20: 127} {
		if got := critical(func(u int) float64 { return rankSumTail(sizes{n, n}, u) }); got != want {
			t.Errorf("rank sum, %d values each: %d, want %d", n, got, want)
		}
	}
}

// The test of go-moremath for samples without ties.
func TestRankSumAgreesWithAnotherImplementation(t *testing.T) {
	for _, of := range []sizes{{1, 1}, {1, 7}, {6, 6}, {9, 4}, {10, 10}, {30, 12}, {50, 50}} {
		other := moremath.UDist{N1: of.subject, N2: of.baseline}
		for u := -1; u <= of.subject*of.baseline; u += 1 + of.subject*of.baseline/40 {
			if diff := cmp.Diff(other.CDF(float64(u)), rankSumTail(of, u), cmpopts.EquateApprox(1e-9, 1e-13)); diff != "" {
				t.Errorf("%v at %d (-other +got):\n%s", of, u, diff)
			}
		}
	}
}

// Beyond the exact distributions the approximation continues them.
func TestApproximationsContinueTheExactDistributions(t *testing.T) {
	tests := map[string]struct {
		approximate, exact []float64
		sums               int
	}{
		"signed rank": {tailsOf(501*502/2, func(t int) float64 { return signedRankTail(501, t) }), lowerSignedRank(501), 501 * 502 / 2},
		"rank sum":    {tailsOf(101*101, func(u int) float64 { return rankSumTail(sizes{101, 101}, u) }), lowerRankSum(sizes{101, 101}), 101 * 101},
	}
	for name, tc := range tests {
		for i, want := range tc.exact {
			got := tc.approximate[i]
			if want > 1e-3 && want < 0.026 && (got < want || got > 1.06*want) || math.Abs(got-want) > 5e-4 {
				t.Fatalf("%s: P(S ≤ %d of %d) = %v, want %v and not less", name, i, tc.sums, got, want)
			}
		}
	}
}

// The series that plans numbers of blocks is the exact distribution, to within what is said of it.
func TestSeriesOfTheSignedRank(t *testing.T) {
	for _, n := range []int{exactRank + 1, 200, 500} {
		for i, want := range lowerSignedRank(n) {
			if got := signedRankSeries(n, i); want >= 1e-5 && math.Abs(got/want-1) > 0.01 || want >= 1e-7 && math.Abs(got/want-1) > 0.05 {
				t.Fatalf("n=%d: P(T ≤ %d) = %v, want %v", n, i, got, want)
			}
		}
	}
}

func tailsOf(sums int, tail func(int) float64) []float64 {
	tails := make([]float64, sums/2+1)
	for i := range tails {
		tails[i] = tail(i)
	}
	return tails
}

// All 2^n signs of the differences, each as likely as any other: the definition of the test.
func TestSignedRankIsThePermutationTest(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for n := 1; n <= 9; n++ {
		logs := make([]float64, n)
		for i := range logs {
			logs[i] = random.NormFloat64() + 0.5
		}
		c, err := ComparePaired(exp(logs...), exp(make([]float64, n)...))
		if err != nil {
			t.Fatal(err)
		}
		observed, extreme := statistic(logs, 0), 0
		for signs := range 1 << n {
			if got := statistic(logs, signs); min(got, n*(n+1)/2-got) <= min(observed, n*(n+1)/2-observed) {
				extreme++
			}
		}
		if want := float64(extreme) / math.Exp2(float64(n)); math.Abs(c.P()-want) > 1e-12 {
			t.Errorf("%d pairs: p = %v, want %v", n, c.P(), want)
		}
	}
}

// statistic is the sum of the ranks of the positive values, with the signs of those flipped whose
// bits are set.
func statistic(values []float64, flipped int) int {
	sum := 0
	for i, v := range values {
		if v > 0 == (flipped>>i&1 == 0) {
			for _, w := range values {
				if math.Abs(w) <= math.Abs(v) {
					sum++
				}
			}
		}
	}
	return sum
}

// Interval and p-values are of one test: they never contradict each other, with ties too.
func TestIntervalAndPValuesAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const margin = 0.3
	decided := map[string]int{}
	for round := range 3000 {
		n := 2 + random.IntN(12)
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			// Few values, thus many ties; the centre is anywhere.
			a[i], b[i] = 10+float64(random.IntN(4)+round%3), 10+float64(random.IntN(4))
		}
		paired, err := ComparePaired(a, b)
		if err != nil {
			t.Fatal(err)
		}
		unpaired, err := CompareUnpaired(a, b)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []Comparison{paired, unpaired} {
			for _, errorRate := range []float64{0.2, 0.1, 0.05, 0.01, 0.001} {
				interval, ok := c.Interval(errorRate)
				differs := ok && (interval.Low > 1 || interval.High < 1)
				if differs != (c.P() <= errorRate) {
					t.Fatalf("%v %v at %v: p %v and interval %v", a, b, errorRate, c.P(), interval)
				}
				within := ok && interval.Low > 1/(1+margin) && interval.High < 1+margin
				if within != (2*c.Equivalence(margin) <= errorRate) {
					t.Fatalf("%v %v at %v: equivalence %v and interval %v", a, b, errorRate, c.Equivalence(margin), interval)
				}
				if ok && (interval.Coverage < 1-errorRate || interval.Low > c.Ratio || interval.High < c.Ratio) {
					t.Fatalf("%v %v at %v: interval %v of %v", a, b, errorRate, interval, c.Ratio)
				}
				decided["differs"], decided["within"] = decided["differs"]+count(differs), decided["within"]+count(within)
			}
		}
	}
	if decided["differs"] < 1000 || decided["within"] < 1000 {
		t.Errorf("too few cases: %v", decided)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// The coverage is exact, and where the values are coarse it is larger.
func TestIntervalsCoverTheRatio(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	const rounds, errorRate = 4000, 0.05
	for name, tc := range map[string]struct {
		n      int
		step   float64 // of the logarithms; 0 without
		paired bool
	}{
		"6 pairs": {6, 0, true}, "10 pairs": {10, 0, true}, "10 coarse pairs": {10, 1, true}, "8 and 8 values": {8, 0, false}, "8 and 8 coarse values": {8, 1, false},
	} {
		held, coverage := 0, 0.0
		for range rounds {
			a, b := make([]float64, tc.n), make([]float64, tc.n)
			for i := range a {
				a[i], b[i] = math.Exp(coarse(random.NormFloat64(), tc.step)+1), math.Exp(coarse(random.NormFloat64(), tc.step))
			}
			compare := CompareUnpaired
			if tc.paired {
				compare = ComparePaired
			}
			c, err := compare(a, b)
			if err != nil {
				t.Fatal(err)
			}
			interval, _ := c.Interval(errorRate)
			coverage = interval.Coverage
			held += count(interval.Low <= math.E*(1+1e-9) && interval.High >= math.E*(1-1e-9))
		}
		share, allowed := float64(held)/rounds, 4*math.Sqrt(coverage*(1-coverage)/rounds)
		if share < coverage-allowed || tc.step == 0 && share > coverage+allowed {
			t.Errorf("%s: %.4f of the intervals held the ratio, want %.4f ± %.4f", name, share, coverage, allowed)
		}
	}
}

func coarse(v, step float64) float64 {
	if step == 0 {
		return v
	}
	return math.Round(v/step) * step
}

func TestComparisonsOfFewAndEqualValues(t *testing.T) {
	tests := map[string]struct {
		subject, baseline []float64
		wantP, wantLeastP float64
		wantInterval      bool
	}{
		"one pair":                        {[]float64{2}, []float64{1}, 1, 1, false},
		"five pairs have no interval":     {[]float64{2, 3, 4, 5, 6}, []float64{1, 1, 1, 1, 1}, 0.0625, 0.0625, false},
		"six pairs have one":              {[]float64{2, 3, 4, 5, 6, 7}, []float64{1, 1, 1, 1, 1, 1}, 0.03125, 0.03125, true},
		"equal values do not differ":      {[]float64{7, 7, 7, 7, 7, 7, 7}, []float64{7, 7, 7, 7, 7, 7, 7}, 1, 0.015625, true},
		"a ratio of 1 counts against it":  {[]float64{2, 3, 4, 5, 6, 1}, []float64{1, 1, 1, 1, 1, 1}, 0.0625, 0.03125, true},
		"opposite ratios are on no side":  {[]float64{2, 1}, []float64{1, 2}, 1, 0.5, false},
		"a thousand pairs are computable": {upTo(1000), upTo(1000), 1, 0, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c, err := ComparePaired(tc.subject, tc.baseline)
			if err != nil {
				t.Fatal(err)
			}
			_, ok := c.Interval(0.05)
			if c.P() != tc.wantP || math.Abs(min(1, 2*c.tail(0))-tc.wantLeastP) > 1e-9 || ok != tc.wantInterval {
				t.Errorf("p %v, smallest %v, interval %v; want %v, %v, %v", c.P(), 2*c.tail(0), ok, tc.wantP, tc.wantLeastP, tc.wantInterval)
			}
		})
	}
}

func TestComparisonsRefuseWhatHasNoRatio(t *testing.T) {
	var notPositive *NotPositiveError
	var notFinite *NotFiniteError
	for name, compare := range map[string]func(a, b []float64) (Comparison, error){"paired": ComparePaired, "unpaired": CompareUnpaired} {
		if _, err := compare(nil, nil); !errors.Is(err, ErrEmpty) {
			t.Errorf("%s: got %v, want ErrEmpty", name, err)
		}
		if _, err := compare([]float64{1, 2}, []float64{1, 0}); !errors.As(err, &notPositive) || notPositive.Index != 1 {
			t.Errorf("%s: got %v, want a NotPositiveError of value 1", name, err)
		}
		if _, err := compare([]float64{math.NaN()}, []float64{1}); !errors.As(err, &notFinite) {
			t.Errorf("%s: got %v, want a NotFiniteError", name, err)
		}
	}
	if _, err := ComparePaired([]float64{1, 2}, []float64{1}); !errors.Is(err, ErrUnpaired) {
		t.Errorf("got %v, want ErrUnpaired", err)
	}
	spread, err := CompareUnpaired(exp(1, 2, 3), exp(1, 5))
	if want := math.Sqrt(1 + 8); err != nil || math.Abs(spread.Spread-want) > 1e-9 {
		t.Errorf("the spread is %v (%v), want %v", spread.Spread, err, want)
	}
	var nothing Comparison
	if _, ok := nothing.Interval(0.05); ok || nothing.P() != 1 || nothing.Equivalence(0.1) != 1 {
		t.Error("a comparison of nothing finds something")
	}
}

func BenchmarkComparePaired(b *testing.B) {
	sample := upTo(10)
	for b.Loop() {
		c, err := ComparePaired(sample, sample)
		if err != nil {
			b.Fatal(err)
		}
		c.Interval(0.05)
	}
}
