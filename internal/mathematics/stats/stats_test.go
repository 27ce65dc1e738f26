package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var about = cmpopts.EquateApprox(0, 1e-9)

func TestSummarize(t *testing.T) {
	tests := map[string]struct {
		sample []float64
		want   Summary
	}{
		"one value":                          {[]float64{7}, Summary{1, 7, 7, 7}},
		"an odd number has a middle value":   {[]float64{3, 1, 2}, Summary{3, 2, 1, 3}},
		"an even number has two":             {[]float64{4, 1, 3, 2}, Summary{4, 2.5, 1, 4}},
		"negative values and ties":           {[]float64{-1, -1, 5, -1}, Summary{4, -1, -1, 5}},
		"the mean of two huge values exists": {[]float64{math.MaxFloat64, math.MaxFloat64}, Summary{2, math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			before := slices.Clone(tc.sample)
			got, err := Summarize(tc.sample)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, tc.sample); diff != "" {
				t.Errorf("the sample was changed:\n%s", diff)
			}
		})
	}
}

func TestSamplesThatNothingCanBeSaidOf(t *testing.T) {
	for name, sample := range map[string][]float64{"nil": nil, "empty": {}} {
		if _, err := Summarize(sample); !errors.Is(err, ErrEmpty) {
			t.Errorf("%s: got %v, want ErrEmpty", name, err)
		}
		if _, err := EstimateMedian(sample); !errors.Is(err, ErrEmpty) {
			t.Errorf("%s: got %v, want ErrEmpty", name, err)
		}
	}
	for name, v := range map[string]float64{"NaN": math.NaN(), "infinity": math.Inf(-1)} {
		var notFinite *NotFiniteError
		if _, err := Summarize([]float64{1, v}); !errors.As(err, &notFinite) || notFinite.Index != 1 {
			t.Errorf("%s: got %v, want a NotFiniteError of value 1", name, err)
		}
	}
}

func TestEstimateMedian(t *testing.T) {
	tests := map[string]struct {
		sample []float64
		want   MedianEstimate
	}{
		"five values have a median and no interval": {
			upTo(5),
			MedianEstimate{Summary: Summary{5, 3, 1, 5}},
		},
		"six values: smallest to largest": {upTo(6), MedianEstimate{Summary: Summary{6, 3.5, 1, 6}, Interval: &Interval{1, 6, 0.96875}}},
		"ten values: second to ninth":     {upTo(10), MedianEstimate{Summary: Summary{10, 5.5, 1, 10}, Interval: &Interval{2, 9, 0.978515625}}},
		"the order does not matter": {
			[]float64{6, 2, 4, 1, 5, 3}, MedianEstimate{Summary: Summary{6, 3.5, 1, 6}, Interval: &Interval{1, 6, 0.96875}},
		},
		"ties are no trouble": {
			[]float64{2, 2, 2, 2, 2, 2}, MedianEstimate{Summary: Summary{6, 2, 2, 2}, Interval: &Interval{2, 2, 0.96875}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := EstimateMedian(tc.sample)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got, about); diff != "" {
				t.Errorf("estimate (-want +got):\n%s", diff)
			}
		})
	}
}

// The ranks that textbooks tabulate for a 95 % interval of the median.
func TestMedianRankAgreesWithTheTable(t *testing.T) {
	for n, want := range map[int]int{5: 0, 6: 1, 7: 1, 8: 1, 9: 2, 10: 2, 11: 2, 12: 3, 15: 4, 20: 6, 30: 10, 50: 18, 70: 27} {
		if got, _ := medianRank(n); got != want {
			t.Errorf("medianRank(%d) = %d, want %d", n, got, want)
		}
	}
}

func TestMedianRankOfALargeSampleIsThatOfTheNormalDistribution(t *testing.T) {
	const n = 10000
	got, coverage := medianRank(n)
	if want := n/2 - 1.96*math.Sqrt(n)/2; math.Abs(float64(got)-want) > 1.5 {
		t.Errorf("medianRank(%d) = %d, want about %.0f", n, got, want)
	}
	if coverage < Confidence || coverage > Confidence+0.002 {
		t.Errorf("coverage = %v, want a little over %v", coverage, Confidence)
	}
}

// Of many intervals, the promised share holds the true median of a skewed distribution.
func TestIntervalsCoverTheMedian(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const rounds, n = 4000, 10
	held, coverage := 0, 0.0
	for range rounds {
		sample := make([]float64, n)
		for i := range sample {
			sample[i] = random.ExpFloat64()
		}
		estimate, err := EstimateMedian(sample)
		if err != nil {
			t.Fatal(err)
		}
		coverage = estimate.Interval.Coverage
		if estimate.Interval.Low <= math.Ln2 && math.Ln2 <= estimate.Interval.High {
			held++
		}
	}
	share, sd := float64(held)/rounds, math.Sqrt(coverage*(1-coverage)/rounds)
	if math.Abs(share-coverage) > 4*sd {
		t.Errorf("%.4f of the intervals held the median, want %.4f ± %.4f", share, coverage, 4*sd)
	}
}

func upTo(n int) []float64 {
	sample := make([]float64, n)
	for i := range sample {
		sample[i] = float64(i + 1)
	}
	return sample
}
