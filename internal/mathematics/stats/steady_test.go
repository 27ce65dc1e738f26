package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// seriesOf is a series of n values with noise of 2 % that is correlated from one to the next.
func seriesOf(n int, level func(t int) float64) []float64 {
	random := rand.New(rand.NewPCG(19, 20))
	series, before := make([]float64, n), 0.0
	for t := range series {
		before = 0.4*before + 0.02*random.NormFloat64()
		series[t] = 1000 * (level(t) + before)
	}
	return series
}

func TestFindTrend(t *testing.T) {
	tests := map[string]struct {
		n              int
		level          func(t int) float64
		want           SteadyState
		from, fromMost int     // where the window may begin
		step           float64 // and its place
		stepAt         int
		window         float64
	}{
		"flat":                          {300, func(int) float64 { return 1 }, Steady, 0, 150, 0, 0, 1000},
		"warms up for a minute":         {400, func(t int) float64 { return 1 - 0.5*math.Exp(-float64(t)/20) }, Steady, 30, 200, 0, 0, 1000},
		"a step early is warm-up":       {300, func(t int) float64 { return 1 + 0.2*float64(count(t > 100)) }, Steady, 90, 150, 0, 0, 1200},
		"a step late is not steady":     {300, func(t int) float64 { return 1 + 0.2*float64(count(t > 220)) }, NotSteady, 0, 150, 0.2, 220, 1060},
		"warm-up and a step late":       {300, func(t int) float64 { return 1 - 0.8*math.Exp(-float64(t)/10) + 0.2*float64(count(t > 220)) }, NotSteady, 10, 150, 0.2, 220, 1060},
		"a slope":                       {300, func(t int) float64 { return 1 + 0.4*float64(t)/300 }, NotSteady, 0, 155, 0, -1, 0},
		"a hiccup of two seconds":       {300, func(t int) float64 { return 1 - 0.5*float64(count(t > 200 && t < 203)) }, Steady, 0, 150, 0, 0, 1000},
		"a stall is noise":              {300, func(t int) float64 { return 1 - 0.95*float64(count(t > 200 && t < 204)) }, TooShort, 0, 150, 0, 0, 990},
		"a small slope does not matter": {600, func(t int) float64 { return 1 + 0.02*float64(t)/600 }, Steady, 0, 300, 0, 0, 1010},
		"29 values are too short":       {29, func(int) float64 { return 1 }, TooShort, 0, 0, 0, 0, 1000},
		"a cycle as long as the series": {300, func(t int) float64 { return 1 + 0.06*math.Sin(float64(t)/15) }, TooShort, 0, 150, 0, 0, 1000},
		"a constant has no noise":       {100, nil, Steady, 0, 0, 0, 0, 1000},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var series []float64
			if tc.level == nil {
				for range tc.n {
					series = append(series, 1000)
				}
			} else {
				series = seriesOf(tc.n, tc.level)
			}
			got, err := FindTrend(series, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			if got.State != tc.want || got.From < tc.from || got.From > tc.fromMost {
				t.Errorf("%+v, want %s from %d to %d", got, tc.want, tc.from, tc.fromMost)
			}
			if tc.stepAt >= 0 && (math.Abs(got.Step-tc.step) > 0.03 || math.Abs(float64(got.StepAt-tc.stepAt)) > 10) {
				t.Errorf("step of %v at %d, want %v at %d", got.Step, got.StepAt, tc.step, tc.stepAt)
			}
			if tc.window > 0 && math.Abs(got.Window/tc.window-1) > 0.03 {
				t.Errorf("mean of the window %v, want about %v", got.Window, tc.window)
			}
			if want := meanOf(series); math.Abs(got.Whole-want) > 1e-9 || math.Abs(got.Window-meanOf(series[got.From:])) > 1e-9 {
				t.Errorf("means %v and %v are not of the series: %v", got.Whole, got.Window, want)
			}
		})
	}
}

func TestSeriesThatHaveNoTrend(t *testing.T) {
	if _, err := FindTrend(nil, 0.05); !errors.Is(err, ErrEmpty) {
		t.Errorf("got %v, want ErrEmpty", err)
	}
	var notFinite *NotFiniteError
	if _, err := FindTrend([]float64{1, math.NaN()}, 0.05); !errors.As(err, &notFinite) {
		t.Errorf("got %v, want a NotFiniteError", err)
	}
	stopped := append(seriesOf(150, func(int) float64 { return 1 }), make([]float64, 150)...)
	if got, err := FindTrend(stopped, 0.05); err != nil || got.State != NotSteady || got.Window > 100 || math.IsNaN(got.Change) {
		t.Errorf("a series that stopped: %+v, %v, want NotSteady", got, err)
	}
	if _, err := FindTrend(make([]float64, 60), 0.05); !errors.Is(err, ErrStopped) {
		t.Errorf("got %v, want ErrStopped", err)
	}
}

// A series that changes by the tolerance in its second half is rarely Steady, whatever its start.
func TestSeriesThatChangeAreRarelySteady(t *testing.T) {
	random := rand.New(rand.NewPCG(23, 24))
	const rounds, tolerance = 1500, 0.05
	for n, noise := range map[int]float64{60: 0.01, 300: 0.03} {
		steady := 0
		for range rounds {
			series, before := make([]float64, n), 0.0
			for i := range series {
				before = 0.5*before + noise*math.Sqrt(0.75)*random.NormFloat64()
				series[i] = 1 + 2*tolerance*(float64(i)/float64(n)-0.75) + before
			}
			trend, err := FindTrend(series, tolerance)
			if err != nil {
				t.Fatal(err)
			}
			steady += count(trend.State == Steady)
		}
		if share := float64(steady) / rounds; share > 0.05+3*math.Sqrt(0.05*0.95/rounds) {
			t.Errorf("%d values: %.3f are called steady, want at most 0.05", n, share)
		}
	}
}
