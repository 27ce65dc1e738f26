package validity

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// timed is a result with a throughput at every second: the level, of 1000 tx/s.
func timed(seconds int, level func(at int) float64) contract.Result {
	m := contract.Measurement{Name: contract.NameThroughput, Unit: "tx/s"}
	for i := range seconds {
		v := 1000 * level(i)
		m.Intervals = append(m.Intervals, contract.Interval{AtSeconds: float64(i + 1), Value: &v})
	}
	return contract.Result{Measurements: []contract.Measurement{m}}
}

func flat(int) float64 { return 1 }

// noisy is a level with noise of 2 %.
func noisy(level func(at int) float64) func(int) float64 {
	random := rand.New(rand.NewPCG(15, 2))
	return func(at int) float64 { return level(at) * (1 + 0.02*random.NormFloat64()) }
}

// until is low before the instant, and high from then on.
func until(second int, low, high float64) func(int) float64 {
	return func(at int) float64 {
		if at < second {
			return low
		}
		return high
	}
}

func TestSteadiness(t *testing.T) {
	cut := func(r contract.Result, change func([]contract.Interval) []contract.Interval) contract.Result {
		r.Measurements[0].Intervals = change(r.Measurements[0].Intervals)
		return r
	}
	each := func(r contract.Result, change func(*contract.Interval)) contract.Result {
		for i := range r.Measurements[0].Intervals {
			change(&r.Measurements[0].Intervals[i])
		}
		return r
	}
	labelled := timed(60, noisy(until(40, 1, 2)))
	labelled.Measurements[0].Labels = map[string]string{contract.LabelOperation: "read"}
	noSeries := cut(timed(60, noisy(flat)), func([]contract.Interval) []contract.Interval { return nil })
	tests := map[string]struct {
		result   contract.Result
		from, to float64
		want     stats.SteadyState
		says     string
	}{
		"constant":           {timed(60, noisy(flat)), 0, math.Inf(1), stats.Steady, ""},
		"a step":             {timed(60, noisy(until(40, 1, 1.5))), 0, math.Inf(1), stats.NotSteady, "in a step, after 40 s"},
		"a slope":            {timed(120, noisy(func(at int) float64 { return 1 - float64(at)/400 })), 0, math.Inf(1), stats.NotSteady, "to its end"},
		"a short window":     {timed(29, noisy(until(20, 1, 2))), 0, math.Inf(1), stats.TooShort, ""},
		"it stops":           {timed(60, noisy(until(20, 1, 0))), 0, math.Inf(1), stats.NotSteady, "fell to 0"},
		"half a warm-up":     {timed(100, noisy(until(30, 0.5, 1))), 0, math.Inf(1), stats.NotSteady, "steady after 30 s of the window only: the mean of the whole window differs by -15 %"},
		"a little warm-up":   {timed(100, noisy(until(5, 0.5, 1))), 0, math.Inf(1), stats.Steady, ""},
		"no series":          {noSeries, 0, math.Inf(1), "", ""},
		"none for all":       {labelled, 0, math.Inf(1), "", ""},
		"nothing was done":   {timed(60, func(int) float64 { return 0 }), 0, math.Inf(1), "", ""},
		"one client is late": {timed(60, noisy(until(10, 0.1, 1))), 10, 60, stats.Steady, ""},
		"and counts":         {timed(60, noisy(until(10, 0.1, 1))), 0, 60, stats.NotSteady, "of the window only"},
		"one client is long": {timed(60, noisy(until(50, 1, 0.5))), 0, 50, stats.Steady, ""},
		"the rest of an interval at the end": {
			cut(timed(60, noisy(flat)), func(p []contract.Interval) []contract.Interval {
				return append(p, contract.Interval{AtSeconds: 60.2, Value: new(1.0)})
			}), 0, math.Inf(1), stats.Steady, "",
		},
		"intervals of 10 s": {each(timed(60, noisy(until(40, 1, 1.5))), func(p *contract.Interval) { p.AtSeconds *= 10 }), 0, math.Inf(1), stats.NotSteady, "after 400 s"},
		"a gap is time": { // the step is after 40 s, not after 36
			cut(timed(60, noisy(until(40, 1, 1.5))), func(p []contract.Interval) []contract.Interval { return append(p[:10:10], p[14:]...) }),
			0, math.Inf(1), stats.NotSteady, "after 40 s",
		},
		"most is missing": {
			cut(timed(60, noisy(flat)), func(p []contract.Interval) []contract.Interval { return append(p[:10:10], p[50:]...) }), 0, math.Inf(1), "", "",
		},
		"a value is missing": {each(timed(60, noisy(flat)), func(p *contract.Interval) {
			if p.AtSeconds == 7 {
				p.Value = nil
			}
		}), 0, math.Inf(1), "", ""},
		"times without order": {each(timed(60, noisy(flat)), func(p *contract.Interval) { p.AtSeconds = 100 - p.AtSeconds }), 0, math.Inf(1), "", ""},
		"times without end":   {each(timed(60, noisy(flat)), func(p *contract.Interval) { p.AtSeconds = math.Exp(p.AtSeconds) }), 0, math.Inf(1), "", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, found := Steadiness(tc.result, tc.from, tc.to)
			if got != tc.want {
				t.Errorf("%q, want %q; %v", got, tc.want, found)
			}
			if (len(found) > 0) != (tc.says != "") || len(found) > 0 && !strings.Contains(found[0].Message, tc.says) {
				t.Errorf("findings %v, want %q", found, tc.says)
			}
			for _, f := range found {
				if f.Check != CheckNotSteady || f.Severity != Warning {
					t.Errorf("%+v is not a warning", f)
				}
			}
		})
	}
}

// A window whose throughput is noise is rarely called NotSteady: in at most 1 % of windows, and in
// at most 5 % where the noise is 10 % and lasts for seconds, with room for the error of the
// simulation.
func TestSoundWindowsAreRarelyNotSteady(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 22))
	const rounds = 3000
	for _, noise := range []struct {
		seconds                 int
		size, correlation, most float64
	}{
		{30, 0.02, 0, 0.01}, {60, 0.02, 0.5, 0.01}, {60, 0.05, 0.5, 0.01}, {60, 0.1, 0, 0.01}, {300, 0.1, 0.5, 0.01}, {300, 0.3, 0, 0.01},
		{30, 0.1, 0.5, 0.05}, {60, 0.1, 0.8, 0.05}, {300, 0.1, 0.9, 0.05},
	} {
		alarms := 0
		for range rounds {
			before := 0.0
			r := timed(noise.seconds, func(int) float64 {
				before = noise.correlation*before + noise.size*math.Sqrt(1-noise.correlation*noise.correlation)*random.NormFloat64()
				return max(0, 1+before)
			})
			if state, _ := Steadiness(r, 0, math.Inf(1)); state == stats.NotSteady {
				alarms++
			}
		}
		share := float64(alarms) / rounds
		t.Logf("%+v: %.4f", noise, share)
		if share > noise.most+3*math.Sqrt(noise.most*(1-noise.most)/rounds) {
			t.Errorf("%+v: %.4f are called not steady, want at most %v", noise, share, noise.most)
		}
	}
}
