package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Calcium in turnip greens: 4 leaves, 4 determinations of each. G. W. Snedecor and W. G. Cochran,
// Statistical Methods, 6th ed., 1967, section 10.12: 0.0066 and 0.0724.
var leaves = [][]float64{{3.28, 3.09, 3.03, 3.03}, {3.52, 3.48, 3.38, 3.38}, {2.88, 2.80, 2.81, 2.76}, {3.34, 3.38, 3.23, 3.26}}

func TestVarianceComponents(t *testing.T) {
	tests := map[string]struct {
		values [][]float64
		want   Components
	}{
		"the published example": {leaves, Components{Component{true, 0.0066}, Component{true, 0.0724}, 4, 4}},
		"one run":               {[][]float64{{1, 2, 3}}, Components{Trial: Component{true, 1}, Runs: 1, Trials: 3}},
		"runs of one trial":     {[][]float64{{1}, {2}, {3}}, Components{Run: Component{true, 1}, Runs: 3, Trials: 1}},
		"never negative":        {[][]float64{{1, 3}, {1, 3}}, Components{Component{true, 2}, Component{true, 0}, 2, 2}},
		"nothing is known":      {[][]float64{{1}}, Components{Runs: 1, Trials: 1}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, VarianceComponents(tc.values), cmpopts.EquateApprox(0, 6e-5)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Estimates are right on average for runs of unequal size too.
func TestComponentsOfUnequalGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 16))
	const rounds = 3000
	var trial, run, runSquares float64
	for range rounds {
		var values [][]float64
		for _, size := range []int{7, 1, 3, 12, 5} {
			ofRun, trials := 10+5*random.NormFloat64(), make([]float64, size)
			for i := range trials {
				trials[i] = ofRun + random.NormFloat64()
			}
			values = append(values, trials)
		}
		c := VarianceComponents(values)
		trial, run, runSquares = trial+c.Trial.Variance/rounds, run+c.Run.Variance/rounds, runSquares+c.Run.Variance*c.Run.Variance/rounds
	}
	if math.Abs(trial-1) > 0.03 || math.Abs(run-25) > 4*math.Sqrt((runSquares-run*run)/rounds) {
		t.Errorf("mean components %v, %v, want 1, 25", trial, run)
	}
}

func TestBuyNext(t *testing.T) {
	known := func(trial, run float64) Components {
		return Components{Component{true, trial}, Component{true, run}, 12, 10}
	}
	costs := Costs{Trial: 60, Run: 660}
	tests := map[string]struct {
		components Components
		costs      Costs
		want       Level
	}{
		"trials vary":           {known(1, 0), costs, LevelTrial},
		"runs vary":             {known(0.01, 1), costs, LevelRun},
		"runs that cost a week": {known(1, 1), Costs{60, 604800}, LevelTrial},
		// The variance of the mean alone would ask for trials, which are cheap here.
		"two runs know little of each other": {Components{Component{true, 1}, Component{true, 0.01}, 2, 5}, Costs{60, 130}, LevelRun},
		"nothing varies":                     {known(0, 0), costs, ""},
		"only what is known is bought":       {Components{Trial: Component{true, 1}, Runs: 1, Trials: 5}, costs, LevelTrial},
	}
	for name, tc := range tests {
		if got := tc.components.BuyNext(tc.costs); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	c := Components{Trial: Component{true, 10}, Run: Component{Variance: 3}}
	if got, want := c.squaredWidth(12, 5), 3.0/12+10.0/60; math.Abs(got-want) > 1e-12 {
		t.Errorf("variance of the mean %v, want %v", got, want)
	}
}
