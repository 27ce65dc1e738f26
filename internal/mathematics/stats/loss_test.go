package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestALossIsAShareOfTheBaseline(t *testing.T) {
	for name, tt := range map[string]struct {
		direction Direction
		ratio     float64
		want      float64
	}{
		"a rate of 97 %":  {HigherIsBetter, 0.97, 0.03},
		"a rate of 103 %": {HigherIsBetter, 1.03, -0.03},
		"no rate at all":  {HigherIsBetter, 0, 1},
		"a time of 103 %": {LowerIsBetter, 1.03, 0.03},
		"a time of 97 %":  {LowerIsBetter, 0.97, -0.03},
		"twice the time":  {LowerIsBetter, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			got := tt.direction.Loss(tt.ratio)
			if diff := cmp.Diff([]float64{tt.want, tt.ratio}, []float64{got, tt.direction.RatioAt(got)}, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("the loss, and the ratio that has it (-want +got):\n%s", diff)
			}
		})
	}
}

// lossOf in short.
func lossOf(d LossDecision) string {
	switch {
	case d.Passed && d.Failed:
		return "both"
	case d.Exploratory:
		return "exploratory"
	case d.Passed:
		return "passed"
	case d.Failed:
		return "failed"
	}
	return "undecided"
}

func TestDecideLosses(t *testing.T) {
	tests := map[string]struct {
		n             int
		ratio, spread float64
		step          float64
		others        int // comparisons of nothing in the family
		higher, lower string
	}{
		"no difference, and certain":                       {n: 10, ratio: 1, spread: 0.01, higher: "passed", lower: "passed"},
		"no difference, and uncertain":                     {n: 10, ratio: 1, spread: 0.2, higher: "undecided", lower: "undecided"},
		"a smaller value":                                  {n: 10, ratio: 0.9, spread: 0.01, higher: "failed", lower: "passed"},
		"a larger value":                                   {n: 10, ratio: 1.1, spread: 0.01, higher: "passed", lower: "failed"},
		"smaller by less than the margin":                  {n: 10, ratio: 0.985, spread: 0.005, higher: "passed", lower: "passed"},
		"smaller by the margin exactly":                    {n: 10, ratio: 0.97, spread: 0.005, higher: "undecided", lower: "passed"},
		"larger by the margin exactly":                     {n: 10, ratio: 1.03, spread: 0.005, higher: "passed", lower: "undecided"},
		"every block at the margin":                        {n: 10, ratio: 0.97, higher: "undecided", lower: "passed"},
		"every block equal":                                {n: 10, ratio: 1, higher: "passed", lower: "passed"},
		"five blocks":                                      {n: 5, ratio: 0.5, higher: "exploratory", lower: "exploratory"},
		"none":                                             {n: 0, higher: "exploratory", lower: "exploratory"},
		"passing has the whole error rate in a big family": {n: 6, ratio: 1, spread: 0.001, others: 99, higher: "passed", lower: "passed"},
		"failing shares it":                                {n: 6, ratio: 0.5, spread: 0.001, others: 99, higher: "undecided", lower: "passed"},
		"three comparisons of six blocks can fail":         {n: 6, ratio: 0.5, spread: 0.001, others: 2, higher: "failed", lower: "passed"},
		"four cannot":                                      {n: 6, ratio: 0.5, spread: 0.001, others: 3, higher: "undecided", lower: "passed"},
		"steps as wide as the margin hide a loss":          {n: 10, ratio: 1, step: 0.05, higher: "undecided", lower: "undecided"},
		"what is found to be better has lost nothing":      {n: 10, ratio: 1.01, step: 0.05, higher: "passed", lower: "undecided"},
		"a loss beyond steps and margin":                   {n: 10, ratio: 0.9, step: 0.05, higher: "failed", lower: "passed"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := map[Direction]string{}
			for _, direction := range []Direction{HigherIsBetter, LowerIsBetter} {
				family := make([]Margined, 1+tt.others)
				family[0] = Margined{Direction: direction, Step: tt.step}
				if tt.n > 0 {
					family[0].Comparison = around(t, tt.n, tt.ratio, tt.spread)
				}
				got[direction] = lossOf(DecideLosses(family, 0.03, 0.05)[0])
			}
			if diff := cmp.Diff(map[Direction]string{HigherIsBetter: tt.higher, LowerIsBetter: tt.lower}, got); diff != "" {
				t.Errorf("by direction (-want +got):\n%s", diff)
			}
		})
	}
	if d := DecideLosses([]Margined{{Comparison: around(t, 10, 0.5, 0.01)}}, 0.03, 0.05)[0]; d.Passed || d.Failed || d.P != 1 {
		t.Errorf("without a direction: %+v", d)
	}
}

// Wellek's test of non-inferiority is the signed-rank test of differences shifted by the margin: with six pairs above it the
// p-value is 1/64, and with the smallest one below it 2/64.
func TestThePOfALossIsThatOfTheShiftedTest(t *testing.T) {
	ratios := []float64{0.975, 0.99, 1, 1.01, 1.02, 1.03}
	ones := []float64{1, 1, 1, 1, 1, 1}
	for name, tt := range map[string]struct {
		margin float64
		want   float64
	}{
		"all above":          {0.03, 1.0 / 64},
		"the smallest below": {0.02, 2.0 / 64},
		"one at the margin":  {0.025, 2.0 / 64},
	} {
		c, err := ComparePaired(ratios, ones)
		if err != nil {
			t.Fatal(err)
		}
		if got := DecideLosses([]Margined{{Comparison: c, Direction: HigherIsBetter}}, tt.margin, 0.05)[0].P; math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: p %v, want %v", name, got, tt.want)
		}
	}
}

// What is said of a comparison can be read from its interval, in any family and with any steps.
func TestLossesAgreeWithTheirIntervals(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const margin = 0.03
	seen := map[string]int{}
	for range 600 {
		family := make([]Margined, 1+random.IntN(6))
		for i := range family {
			family[i] = Margined{Comparison: around(t, 6+random.IntN(10), 1+0.06*random.NormFloat64(), 0.06*random.Float64()), Direction: []Direction{HigherIsBetter, LowerIsBetter}[random.IntN(2)]}
			if random.IntN(3) == 0 {
				family[i].Step = 0.04 * random.Float64()
			}
		}
		for i, d := range DecideLosses(family, margin, 0.05) {
			seen[lossOf(d)]++
			of := family[i].Direction
			most, least := of.Loss(d.Interval.Low), of.Loss(d.Interval.High)
			if of == LowerIsBetter {
				most, least = least, most
			}
			if d.Passed != (most < margin) || d.Failed != (least > margin) {
				t.Fatalf("comparison %d of %d: the loss is between %v and %v: %+v", i, len(family), least, most, d)
			}
			if d.Passed != (d.P <= 0.05) || d.Failed != (d.FailedP <= 0.05) {
				t.Fatalf("comparison %d of %d: %+v", i, len(family), d)
			}
		}
	}
	for _, what := range []string{"passed", "failed", "undecided"} {
		if seen[what] < 50 {
			t.Errorf("%s: %d times only", what, seen[what])
		}
	}
}

func TestTheOrderOfAFamilyDecidesNoLoss(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		family := make([]Margined, 2+random.IntN(5))
		for i := range family {
			family[i] = Margined{Comparison: around(t, 8, 1+0.06*random.NormFloat64(), 0.08*random.Float64()), Direction: HigherIsBetter}
		}
		want, order := DecideLosses(family, 0.03, 0.05), random.Perm(len(family))
		shuffled := make([]Margined, len(family))
		for to, from := range order {
			shuffled[to] = family[from]
		}
		for to, got := range DecideLosses(shuffled, 0.03, 0.05) {
			if diff := cmp.Diff(want[order[to]], got); diff != "" {
				t.Fatalf("comparison %d at place %d of %d (-before +after):\n%s", order[to], to, len(family), diff)
			}
		}
	}
}

// Blocks that are said to suffice do, and one block less does not.
func TestBlocksForLoss(t *testing.T) {
	const margin, errorRate, power = 0.03, 0.05, 0.8
	for name, tt := range map[string]struct {
		direction Direction
		spread    float64
	}{"a quiet rate": {HigherIsBetter, 0.03}, "a noisy time": {LowerIsBetter, 0.06}} {
		t.Run(name, func(t *testing.T) {
			blocks, ok := BlocksForLoss(tt.direction, margin, tt.spread, errorRate, power)
			if !ok {
				t.Fatal("no number of blocks")
			}
			random, passed := rand.New(rand.NewPCG(1, 2)), 0
			const rounds = 3000
			for range rounds {
				a, b := make([]float64, blocks), make([]float64, blocks)
				for i := range a {
					a[i], b[i] = math.Exp(tt.spread*random.NormFloat64()), 1
				}
				c, err := ComparePaired(a, b)
				if err != nil {
					t.Fatal(err)
				}
				passed += count(DecideLosses([]Margined{{Comparison: c, Direction: tt.direction}}, margin, errorRate)[0].Passed)
			}
			if share := float64(passed) / rounds; share < power-0.03 || share > power+0.08 {
				t.Errorf("%d blocks pass in %.3f, want %v", blocks, share, power)
			}
		})
	}
	if _, ok := BlocksForLoss(NoDirection, margin, 0.03, errorRate, power); ok {
		t.Error("there are blocks without a direction")
	}
}
