package analysis

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// found is the rate that a search finds of a target that holds up to its capacity.
func found(t *testing.T, s stats.Search, capacity float64) float64 {
	t.Helper()
	var history []stats.Probe
	for {
		step, err := s.Next(history)
		if err != nil {
			t.Fatal(err)
		}
		if step.Done {
			return step.Held
		}
		history = append(history, stats.Probe{Rate: step.Rate, Held: step.Rate <= capacity})
	}
}

// searched is the first comparison of two capacities by searches, with noise from block to block.
func searched(t *testing.T, precision string, low int32, a, b, spread float64, seed uint64) v1alpha1.ComparisonEntry {
	t.Helper()
	spec := specOf(2, nil)
	spec.Search = &v1alpha1.Search{Low: low, High: 16 * low, Precision: precision, Trials: 1}
	p := planOf(10, 1, "a", "b")
	names := []string{contract.NameHighestRate}
	d, err := Declare(spec, names)
	if err != nil {
		t.Fatal(err)
	}
	s := stats.Search{Low: float64(low), High: float64(16 * low), Precision: d.Steps.Precision, Unit: 1, Trials: 1}
	random := rand.New(rand.NewPCG(seed, 1))
	var records []contract.Record
	for _, trial := range p.Trials {
		capacity := []float64{a, b}[trial.Target] * math.Exp(spread*random.NormFloat64())
		records = append(records, contract.Record{
			Final: true, Index: trial.Index, Block: trial.Block, Target: p.Targets[trial.Target], State: contract.Succeeded, Valid: new(true),
			Values: []contract.RecordedValue{{Name: names[0], Value: found(t, s, capacity), Unit: "tx/s", Direction: contract.HigherIsBetter}},
		})
	}
	out, err := Conclude(Input{Layout: Layout{Plan: p}, Declaration: d, Names: names, Records: records, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	return out.Entries[0]
}

// Rates that are found by bisection are steps. Two targets that differ by less than a step are found
// equal in each block, and nothing says that they are.
func TestFoundRatesAreSteps(t *testing.T) {
	for name, tt := range map[string]struct {
		precision string
		low       int32
		ratio     float64
		verdict   v1alpha1.ComparisonVerdict
		reasons   string
		needed    bool
	}{
		"less than a step":            {"5%", 100, 1.03, v1alpha1.VerdictInconclusive, "SearchStep step=0.05", false},
		"less than a step, the same":  {"5%", 100, 1, v1alpha1.VerdictInconclusive, "SearchStep step=0.05", false},
		"steps that are fine enough":  {"0.5%", 1000, 1, v1alpha1.VerdictEquivalent, "SearchStep step=0.005", false},
		"whole numbers are too rough": {"0.5%", 1, 1, v1alpha1.VerdictInconclusive, "SearchStep step=0.1429", false},
		"many steps":                  {"5%", 100, 2, v1alpha1.VerdictFaster, "SearchStep step=0.05", false},
	} {
		e := searched(t, tt.precision, tt.low, 7.1*float64(tt.low), 7.1*float64(tt.low)*tt.ratio, 0, 1)
		low, _ := figure.Decimal(e.IntervalLow)
		high, _ := figure.Decimal(e.IntervalHigh)
		if e.Verdict != tt.verdict || !(low <= tt.ratio && tt.ratio <= high) || said(e.Reasons) != tt.reasons || (e.BlocksNeeded > 0) != tt.needed {
			t.Errorf("%s: %s (%s to %s) because of %s, and %d blocks for the minimum effect", name, e.Verdict, e.IntervalLow, e.IntervalHigh, said(e.Reasons), e.BlocksNeeded)
		}
	}
}

// The interval contains the true ratio about as often as it says, wherever the steps are.
func TestIntervalsOfFoundRates(t *testing.T) {
	missed, contradicted := 0, 0
	const rounds = 300
	for i := range rounds {
		random := rand.New(rand.NewPCG(uint64(i), 7))
		ratio := math.Exp(0.1 * random.NormFloat64())
		e := searched(t, "5%", 100, 500, 500*ratio, 0.01*float64(i%3), uint64(i))
		low, _ := figure.Decimal(e.IntervalLow)
		high, _ := figure.Decimal(e.IntervalHigh)
		if low > ratio || ratio > high {
			missed++
		}
		if e.Verdict == v1alpha1.VerdictFaster && ratio < 1 || e.Verdict == v1alpha1.VerdictSlower && ratio > 1 ||
			e.Verdict == v1alpha1.VerdictFaster && low < 1 || e.Verdict == v1alpha1.VerdictSlower && high > 1 {
			contradicted++
		}
	}
	if missed > rounds/20 || contradicted > rounds/20 {
		t.Errorf("of %d intervals %d miss the true ratio, and %d verdicts contradict it", rounds, missed, contradicted)
	}
}
