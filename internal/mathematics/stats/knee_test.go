package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// sweepOf has blocks of one curve, each value with noise.
func sweepOf(random *rand.Rand, blocks int, noise float64, curve func(load float64) float64) Sweep {
	s := Sweep{Loads: []float64{2, 4, 8, 16, 32, 64, 128}}
	for range blocks {
		var block []float64
		for _, load := range s.Loads {
			block = append(block, curve(load)*math.Exp(noise*random.NormFloat64()))
		}
		s.Throughputs = append(s.Throughputs, block)
	}
	return s
}

func TestKneeAndPeak(t *testing.T) {
	flat := func(load float64) float64 { return 50 * min(load, 12) }
	falling := func(load float64) float64 {
		return 50 * min(load, 12) * (1 - 0.05*math.Abs(math.Log2(load/32))*float64(count(load > 12)))
	}
	tests := map[string]struct {
		curve           func(float64) float64
		noise           float64
		knee, peak      float64
		lowest, highest float64
	}{
		"without noise: where the lines meet":       {flat, 0, 12, 16, 16, 128},
		"a peak among loads":                        {falling, 0.01, 12, 32, 32, 32},
		"noise: the peak is one of several":         {flat, 0.02, 12, 0, 16, 128},
		"no saturation: the knee is the last load":  {func(load float64) float64 { return load }, 0.01, 128, 128, 128, 128},
		"no gain at all: the knee is the first one": {func(float64) float64 { return 7 }, 0, 2, 2, 2, 128},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := sweepOf(rand.New(rand.NewPCG(17, 19)), 12, tc.noise, tc.curve)
			got, err := s.Bend(0.05)
			if err != nil {
				t.Fatal(err)
			}
			i := got.Interval
			if i == nil || math.Abs(got.Knee/tc.knee-1) > 0.03 || i.Low > got.Knee || i.High < got.Knee || i.Coverage < 0.95 || i.Coverage >= 1 {
				t.Errorf("knee %v, interval %v, want about %v", got.Knee, i, tc.knee)
			}
			if tc.peak > 0 && got.Peak != tc.peak || got.Lowest != tc.lowest || got.Highest != tc.highest {
				t.Errorf("%+v, want a peak of %v from %v to %v", got, tc.peak, tc.lowest, tc.highest)
			}
		})
	}
}

// 7 loads need 8 blocks: with 7, nothing is certain of the knee, and any load may be the peak.
func TestABendTakesBlocks(t *testing.T) {
	rising := func(load float64) float64 { return load }
	for blocks, want := range map[int]bool{8: true, 7: false, 5: false, 1: false} {
		got, err := sweepOf(rand.New(rand.NewPCG(1, 2)), blocks, 0.001, rising).Bend(0.05)
		if err != nil {
			t.Fatal(err)
		}
		if (got.Interval != nil) != want || (got.Lowest == 128) != (blocks >= 7) || math.Abs(got.Knee/128-1) > 0.01 {
			t.Errorf("%d blocks: %+v", blocks, got)
		}
	}
	for loads, want := range map[int]int{3: 6, 5: 7, 12: 8, 13: 9} {
		if got := SweepBlocksNeeded(loads, 0.05); got != want {
			t.Errorf("%d loads need %d blocks, want %d", loads, got, want)
		}
	}
}

// A block without a value at one load still counts for the others.
func TestASweepWithHoles(t *testing.T) {
	flat := func(load float64) float64 { return 50 * min(load, 12) }
	s := sweepOf(rand.New(rand.NewPCG(5, 6)), 16, 0.01, flat)
	for b := range s.Throughputs {
		s.Throughputs[b][1+b%6] = math.NaN()
	}
	got, err := s.Bend(0.05)
	if err != nil || got.Interval == nil || got.Blocks != 13 || math.Abs(got.Knee/12-1) > 0.03 || got.Lowest != 16 {
		t.Errorf("%v, %+v", err, got)
	}
	for b := range s.Throughputs[:11] {
		s.Throughputs[b][6] = math.NaN()
	}
	got, err = s.Bend(0.05)
	if err != nil || got.Interval != nil || got.Blocks >= 6 || got.Highest != 128 {
		t.Errorf("5 blocks at the last load: %v, %+v", err, got)
	}
	for b := range s.Throughputs {
		s.Throughputs[b][6] = math.NaN()
	}
	if _, err := s.Bend(0.05); !errors.Is(err, ErrEmpty) {
		t.Errorf("no value at the last load: %v", err)
	}
}

// The one-sided test is that of ComparePaired, ties included.
func TestExceedsIsTheTestOfPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var subject, baseline []float64
		for range 6 + random.IntN(10) {
			subject, baseline = append(subject, float64(1+random.IntN(6))), append(baseline, float64(1+random.IntN(6)))
		}
		c, err := ComparePaired(subject, baseline)
		if err != nil {
			t.Fatal(err)
		}
		s := Sweep{Loads: []float64{1, 2}}
		for i := range subject {
			s.Throughputs = append(s.Throughputs, []float64{baseline[i], subject[i]}, []float64{math.NaN(), 7})
		}
		if got, n, err := s.exceeds(1, 0); err != nil || n != c.N || math.Abs(got-c.tail(c.upTo(0))) > 1e-12 {
			t.Fatalf("%v against %v: %v of %d, want %v", subject, baseline, got, n, c.tail(c.upTo(0)))
		}
	}
}

func TestSweepsThatAreIncomplete(t *testing.T) {
	for name, sweep := range map[string]Sweep{
		"no load":       {nil, nil},
		"one load":      {[]float64{1}, [][]float64{{1}}},
		"without block": {[]float64{1, 2}, nil},
	} {
		if bend, err := sweep.Bend(0.05); !errors.Is(err, ErrEmpty) || bend.Blocks != 0 {
			t.Errorf("%s: %+v, %v, want ErrEmpty", name, bend, err)
		}
	}
	var notPositive *NotPositiveError
	if _, err := (Sweep{[]float64{1, 2}, [][]float64{{0, 1}}}).Bend(0.05); !errors.As(err, &notPositive) {
		t.Errorf("throughput of 0: %v, want a NotPositiveError", err)
	}
}

// All loads have the same throughput: any of them is rarely left out.
func TestThePeakIsRarelyLeftOut(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	const rounds, errorRate = 500, 0.1
	out := 0
	for range rounds {
		peak, err := sweepOf(random, 12, 0.02, func(float64) float64 { return 7 }).Bend(errorRate)
		if err != nil {
			t.Fatal(err)
		}
		out += count(peak.Lowest > 2)
	}
	if share, most := float64(out)/rounds, errorRate+3*math.Sqrt(errorRate*(1-errorRate)/rounds); share > most {
		t.Errorf("the first load is left out in %.3f of the sweeps, want at most %.3f", share, most)
	}
}
