package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Calcium in turnip greens: 4 plants, 3 leaves of each, 2 determinations of each. G. W. Snedecor
// and W. G. Cochran, Statistical Methods, 6th ed., 1967, section 10.17: 0.0067, 0.1611, 0.3652.
var turnips = [][][]float64{
	{{3.28, 3.09}, {3.52, 3.48}, {2.88, 2.80}},
	{{2.46, 2.44}, {1.87, 1.92}, {2.19, 2.19}},
	{{2.77, 2.66}, {3.74, 3.44}, {2.55, 2.55}},
	{{3.78, 3.87}, {4.07, 4.12}, {3.31, 3.31}},
}

func TestVarianceComponents(t *testing.T) {
	tests := map[string]struct {
		values [][][]float64
		want   Components
	}{
		"the published example": {turnips, Components{Component{true, 0.00665}, Component{true, 0.1611}, Component{true, 0.3652}, 4, 3, 2}},
		"one run, one start":    {[][][]float64{{{1, 2, 3}}}, Components{Trial: Component{true, 1}, Runs: 1, Restarts: 1, Trials: 3}},
		"runs of one trial":     {[][][]float64{{{1}}, {{2}}, {{3}}}, Components{Run: Component{true, 1}, Runs: 3, Restarts: 1, Trials: 1}},
		"starts of one trial":   {[][][]float64{{{1}, {2}, {3}}}, Components{Restart: Component{true, 1}, Runs: 1, Restarts: 3, Trials: 1}},
		"never negative":        {[][][]float64{{{1, 3}, {1, 3}}}, Components{Component{true, 2}, Component{true, 0}, Component{}, 1, 2, 2}},
		"empty groups":          {[][][]float64{{{1, 2, 3}, {}}, {}}, Components{Trial: Component{true, 1}, Runs: 1, Restarts: 1, Trials: 3}},
		"nothing is known":      {[][][]float64{{{1}}}, Components{Runs: 1, Restarts: 1, Trials: 1}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := VarianceComponents(tc.values)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateApprox(0, 6e-5)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	var notFinite *NotFiniteError
	if _, err := VarianceComponents([][][]float64{{{1, math.NaN()}}}); !errors.As(err, &notFinite) || notFinite.Index != 1 {
		t.Errorf("got %v, want a NotFiniteError of value 1", err)
	}
	if _, err := VarianceComponents([][][]float64{{{}}}); !errors.Is(err, ErrEmpty) {
		t.Errorf("got %v, want ErrEmpty", err)
	}
}

// Estimates are right on average for groups of unequal size too.
func TestComponentsOfUnequalGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 16))
	const rounds = 3000
	var trial, restart, run, runSquares float64
	for range rounds {
		var values [][][]float64
		for _, sizes := range [][]int{{1, 4, 2}, {3, 3}, {1, 1, 5, 2}, {6, 2, 2}, {2, 4, 4}} {
			ofRun := 10 + 5*random.NormFloat64()
			var starts [][]float64
			for _, n := range sizes {
				ofStart, start := ofRun+2*random.NormFloat64(), make([]float64, n)
				for i := range start {
					start[i] = ofStart + random.NormFloat64()
				}
				starts = append(starts, start)
			}
			values = append(values, starts)
		}
		c, err := VarianceComponents(values)
		if err != nil {
			t.Fatal(err)
		}
		trial, restart, run = trial+c.Trial.Variance/rounds, restart+c.Restart.Variance/rounds, run+c.Run.Variance/rounds
		runSquares += c.Run.Variance * c.Run.Variance / rounds
	}
	if math.Abs(trial-1) > 0.03 || math.Abs(restart-4) > 0.2 || math.Abs(run-25) > 4*math.Sqrt((runSquares-run*run)/rounds) {
		t.Errorf("mean components %v, %v, %v, want 1, 4, 25", trial, restart, run)
	}
}

func TestBuyNext(t *testing.T) {
	known := func(trial, restart, run float64) Components {
		return Components{Component{true, trial}, Component{true, restart}, Component{true, run}, 12, 2, 5}
	}
	costs := Costs{Trial: 60, Restart: 30, Run: 600}
	tests := map[string]struct {
		components Components
		costs      Costs
		want       Level
		ok         bool
	}{
		"trials vary":             {known(1, 0, 0), costs, LevelTrial, true},
		"starts vary":             {known(0.01, 1, 0.001), costs, LevelRestart, true},
		"runs vary":               {known(0.01, 0.01, 1), costs, LevelRun, true},
		"starts that cost a day":  {known(1, 1, 0), Costs{60, 86400, 600}, LevelTrial, true},
		"a trial for every start": {known(1, 1, 0), Costs{60, 0, 600}, LevelRestart, true},
		// The variance of the mean alone would ask for trials, which are cheap here.
		"two runs know little of each other": {Components{Component{true, 1}, Component{}, Component{true, 0.01}, 2, 1, 5}, Costs{60, 30, 100}, LevelRun, true},
		"nothing varies":                     {known(0, 0, 0), costs, "", false},
		"only what is known is bought":       {Components{Trial: Component{true, 1}, Runs: 1, Restarts: 1, Trials: 5}, costs, LevelTrial, true},
	}
	for name, tc := range tests {
		if got, ok := tc.components.BuyNext(tc.costs); got != tc.want || ok != tc.ok {
			t.Errorf("%s: %q %v, want %q %v", name, got, ok, tc.want, tc.ok)
		}
	}
	if got, want := meanVariance(known(10, 4, 3), 12, 2, 5), 3.0/12+4.0/24+10.0/120; math.Abs(got-want) > 1e-12 {
		t.Errorf("variance of the mean %v, want %v", got, want)
	}
}
