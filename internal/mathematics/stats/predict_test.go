package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// The prediction interval of one more value, by hand: logarithms 0, 1 and 2 have mean 1 and deviation 1, and t(2) at 0.975 is 4.3027.
func TestPredictRun(t *testing.T) {
	p, err := PredictRun([]float64{1, math.E, math.E * math.E}, 0)
	if err != nil {
		t.Fatal(err)
	}
	half := 4.302653 * math.Sqrt(4.0/3)
	i := p.Interval(0.05)
	if math.Abs(math.Log(i.Low)-(1-half)) > 1e-5 || math.Abs(math.Log(i.High)-(1+half)) > 1e-5 || math.Abs(p.Reach(0.05)-half) > 1e-5 {
		t.Errorf("%+v, reaches %v deviations", i, p.Reach(0.05))
	}
	if low, high := p.Below(i.Low), p.Above(i.High); math.Abs(low-0.025) > 1e-9 || math.Abs(high-0.025) > 1e-9 {
		t.Errorf("at its ends the probabilities are %v and %v", low, high)
	}
	if p.Below(0) != 0 || p.Above(0) != 1 {
		t.Errorf("of 0: below %v, above %v", p.Below(0), p.Above(0))
	}
	wide, _ := PredictRun([]float64{1, math.E, math.E * math.E}, 0.5)
	if w := wide.Interval(0.05); !(w.Low < i.Low && w.High > i.High) || !(wide.Below(i.Low) > 0.025) || !(wide.Above(i.High) > 0.025) {
		t.Errorf("values in steps have the interval %+v", w)
	}
}

func TestPredictRunRefuses(t *testing.T) {
	var few *FewRunsError
	var negative *NotPositiveError
	if _, err := PredictRun([]float64{1, 2}, 0); !errors.As(err, &few) {
		t.Errorf("two runs: %v", err)
	}
	if _, err := PredictRun([]float64{1, 2, 0}, 0); !errors.As(err, &negative) {
		t.Errorf("a run of 0: %v", err)
	}
	if _, err := PredictRun([]float64{5, 5, 5}, 0.01); !errors.Is(err, ErrEqualRuns) {
		t.Errorf("equal runs: %v", err)
	}
}

// Of runs like the earlier ones as many lie below a bound as its error rate says, and a change that is detectable is found in four of
// five.
func TestPredictionsHoldTheirRates(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for _, runs := range []int{3, 10} {
		const rounds, errorRate = 4000, 0.05
		sample := make([]float64, runs)
		draw := func(level float64) float64 { return math.Exp(level + 0.02*random.NormFloat64()) }
		exact := make([]float64, runs) // a sample whose deviation is the true one
		for i := range exact {
			exact[i] = float64(i)
		}
		sd := math.Sqrt(variance(exact))
		for i := range exact {
			exact[i] = math.Exp(0.02 * exact[i] / sd)
		}
		known, err := PredictRun(exact, 0)
		if err != nil {
			t.Fatal(err)
		}
		loss := math.Log1p(known.Detectable(errorRate, 0.8))
		alarms, found := 0, 0
		for range rounds {
			for i := range sample {
				sample[i] = draw(0)
			}
			p, err := PredictRun(sample, 0)
			if err != nil {
				t.Fatal(err)
			}
			alarms += count(p.Below(draw(0)) <= errorRate)
			found += count(p.Below(draw(-loss)) <= errorRate)
		}
		within := func(n int, share float64) bool {
			return math.Abs(float64(n)/rounds-share) < 4*math.Sqrt(share*(1-share)/rounds)
		}
		if !within(alarms, errorRate) || !within(found, 0.8) {
			t.Errorf("%d runs: %d of %d are below, and a loss of %v is found in %d", runs, alarms, rounds, loss, found)
		}
	}
}

// What two samples detect is found in four of five such pairs of runs, by the simulation and by the formula; and too few values find
// nothing.
func TestDetectableOfTwoSamples(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	samples := func(n, m int, level float64) Comparison {
		a, b := make([]float64, n), make([]float64, m)
		for i := range a {
			a[i] = math.Exp(level + 0.05*random.NormFloat64())
		}
		for i := range b {
			b[i] = math.Exp(0.05 * random.NormFloat64())
		}
		c, err := CompareUnpaired(a, b)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, size := range [][2]int{{6, 6}, {10, 8}, {30, 26}} {
		const rounds, errorRate = 1500, 0.05 / 8
		c := samples(size[0], size[1], 0)
		c.Spread = 0.05 * math.Sqrt2
		effect, ok := c.Detectable(errorRate, 0.8)
		found := 0
		for range rounds {
			found += count(samples(size[0], size[1], -math.Log(1.05)-math.Log1p(effect)).PBelow(1/1.05) <= errorRate)
		}
		if share := float64(found) / rounds; !ok || math.Abs(share-0.8) > 0.05 {
			t.Errorf("%v blocks: %v is found in %.3f of the pairs, want 0.8", size, effect, share)
		}
	}
	if effect, ok := samples(6, 6, 0).Detectable(0.05/100, 0.8); ok {
		t.Errorf("6 blocks among 100 measurements detect %v", effect)
	}
}
