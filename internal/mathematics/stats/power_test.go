package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestBlocksNeeded(t *testing.T) {
	for comparisons, want := range map[int]int{0: 6, 1: 6, 2: 7, 25: 10, 26: 11, 51: 11, 52: 12, 100: 12, 1000: 16} {
		if got := BlocksNeeded(comparisons, 0.05); got != want {
			t.Errorf("BlocksNeeded(%d) = %d, want %d", comparisons, got, want)
		}
	}
}

// The plan holds for comparisons that are carried out, with other random numbers, by simulation
// and by formula.
func TestPowerIsThatOfTheComparison(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	const rounds, spread = 3000, 0.027
	for _, tc := range []struct {
		blocks            int
		effect, errorRate float64
	}{
		{6, 0.04, 0.05}, {10, 0.03, 0.05}, {12, 0.05, 0.05 / 100}, {20, 0.02, 0.01}, {25, 0.016, 0.05}, {25, 0.03, 0.05 / 100}, {60, 0.01, 0.05},
	} {
		found := 0
		for range rounds {
			a, b := make([]float64, tc.blocks), make([]float64, tc.blocks)
			for i := range a {
				a[i], b[i] = (1+tc.effect)*math.Exp(spread*random.NormFloat64()), 1
			}
			c, err := ComparePaired(a, b)
			if err != nil {
				t.Fatal(err)
			}
			found += count(c.P() <= tc.errorRate)
		}
		got, want := Power(tc.blocks, tc.effect, spread, tc.errorRate), float64(found)/rounds
		if allowed := 0.012 + 3.5*math.Sqrt(want*(1-want)/rounds); math.Abs(got-want) > allowed {
			t.Errorf("%+v: power %.3f, want %.3f ± %.3f", tc, got, want, allowed)
		}
	}
}

func TestWhatADesignDetects(t *testing.T) {
	effect, ok := DetectableEffect(10, 0.027, 0.05, 0.8)
	if !ok || effect < 0.027 || effect > 0.030 {
		t.Errorf("10 blocks detect %.4f at a spread of 2.7 %%, want about 0.028", effect)
	}
	if back := Power(10, effect, 0.027, 0.05); math.Abs(back-0.8) > 0.001 {
		t.Errorf("the power for it is %.4f, want 0.8", back)
	}
	if blocks, ok := BlocksFor(effect, 0.027, 0.05, 0.8); !ok || blocks != 10 {
		t.Errorf("it needs %d blocks (%v), want 10", blocks, ok)
	}
	if _, ok := DetectableEffect(5, 0.027, 0.05, 0.8); ok {
		t.Error("5 blocks detect something")
	}
	if blocks, ok := BlocksFor(0.00001, 0.1, 0.05, 0.8); ok {
		t.Errorf("%d blocks are said to find an effect of a hundred thousandth of the spread", blocks)
	}
	if effect, ok := DetectableEffect(10, 0, 0.05, 0.8); !ok || effect != 0 {
		t.Errorf("without spread: %v, want 0", effect)
	}
	// No effect is found as often as the error rate says, and without spread any effect is.
	if got := Power(10, 0, 0.027, 0.05); math.Abs(got-0.0488) > 0.01 {
		t.Errorf("power of no effect: %v, want about 0.0488", got)
	}
	if got := Power(10, 0.001, 0, 0.05); got != 1 {
		t.Errorf("power without spread: %v, want 1", got)
	}
}

// More blocks detect smaller effects, across the change from simulation to formula.
func TestMoreBlocksDetectSmallerEffects(t *testing.T) {
	for _, errorRate := range []float64{0.05, 0.05 / 100} {
		before := math.Inf(1)
		for n := BlocksNeeded(1, errorRate); n <= 60; n++ {
			effect, ok := DetectableEffect(n, 0.02, errorRate, 0.8)
			// Critical values are discrete: one block more may lose a little.
			if !ok || effect > before*1.03 {
				t.Errorf("%d blocks detect %v at %v, one block less %v", n, effect, errorRate, before)
			}
			before = effect
		}
	}
}
