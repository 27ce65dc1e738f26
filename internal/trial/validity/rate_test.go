package validity

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// openLoop is a simulated trial of an open loop: operations arrive at a rate, wait for one
// of some threads, and take a time that is exponential.
type openLoop struct {
	rate, load float64 // operations per second; share of what the server can do
	threads    int
	seconds    int
	// paced: they come at equal gaps, instead of exponential ones.
	paced bool
	// stall is when the server stands still for a while, in s.
	stallAt, stallFor float64
}

// simulate the trial, by events; the queue is looked at every second.
func (o openLoop) simulate(r *rand.Rand) (contract.Result, runner.Expectations) {
	gap := func() float64 {
		if o.paced {
			return 1 / o.rate
		}
		return r.ExpFloat64() / o.rate
	}
	one := o.rate / o.load / float64(o.threads) // what a thread does in 1 s
	service := func(now float64) float64 {
		ends := now + r.ExpFloat64()/one
		if o.stallFor > 0 && now < o.stallAt+o.stallFor && ends > o.stallAt {
			ends += o.stallFor - max(0, now-o.stallAt)
		}
		return ends
	}
	var busy []float64 // when each thread ends
	var queue, rates []contract.Interval
	arrives, waiting, done, before := gap(), 0, 0, 0
	for second := 1; second <= o.seconds; {
		next, thread := arrives, -1
		for i, ends := range busy {
			if ends < next {
				next, thread = ends, i
			}
		}
		for ; second <= o.seconds && next > float64(second); second++ {
			at := float64(second)
			queue = append(queue, contract.Interval{AtSeconds: at, Value: new(float64(waiting))})
			rates = append(rates, contract.Interval{AtSeconds: at, Value: new(float64(done - before))})
			before = done
		}
		switch {
		case second > o.seconds:
		case thread < 0:
			arrives = next + gap()
			if len(busy) < o.threads {
				busy = append(busy, service(next))
			} else {
				waiting++
			}
		case waiting > 0:
			done++
			waiting--
			busy[thread] = service(next)
		default:
			done++
			busy = append(busy[:thread], busy[thread+1:]...)
		}
	}
	ms := []contract.Measurement{
		{Name: contract.NameThroughput, Unit: "tx/s", N: new(int64(before)), Value: new(float64(before) / float64(o.seconds)), Intervals: rates},
		{Name: contract.NameTotalTime, Unit: "s", Value: new(float64(o.seconds))},
	}
	if !o.paced { // YCSB tells no queue
		ms = append(ms, contract.Measurement{Name: contract.NameQueueLength, Unit: "1", Intervals: queue})
	}
	expected := runner.Expectations{Rate: o.rate, RandomArrivals: !o.paced}
	if o.paced {
		expected.Pacers = int32(o.threads)
	}
	return contract.Result{State: contract.Succeeded, Trial: contract.TrialRef{Phase: string(contract.PhaseRun)}, Measurements: ms}, expected
}

// saturatedOf is how many of n simulated trials are called saturated.
func (o openLoop) saturatedOf(n int) int {
	r, found := rand.New(rand.NewPCG(12, 11)), 0
	for range n {
		if saturated(o.simulate(r)) != "" {
			found++
		}
	}
	return found
}

// What the check finds, by simulation. The bounds are for 100 trials each; the shares in
// docs/reference/checks.md are of more.
func TestSaturatedBySimulation(t *testing.T) {
	const trials = 100
	tests := map[string]struct {
		loop        openLoop
		least, most int
	}{
		"M/M/1 at 70 %":                               {openLoop{rate: 1000, load: 0.70, threads: 1, seconds: 20}, 0, 0},
		"M/M/1 at 70 %, slow operations":              {openLoop{rate: 10, load: 0.70, threads: 1, seconds: 20}, 0, 2},
		"M/M/16 at 70 %":                              {openLoop{rate: 1000, load: 0.70, threads: 16, seconds: 20}, 0, 0},
		"M/M/1 at 90 %":                               {openLoop{rate: 1000, load: 0.90, threads: 1, seconds: 20}, 0, 2},
		"a stall of 1.2 s":                            {openLoop{rate: 1000, load: 0.70, threads: 1, seconds: 20, stallAt: 14, stallFor: 1.2}, 0, 0},
		"a stall of 1.2 s in the last third of 10 s":  {openLoop{rate: 1000, load: 0.70, threads: 1, seconds: 10, stallAt: 6, stallFor: 1.2}, 0, 2},
		"1 % more than the server can do":             {openLoop{rate: 1000, load: 1.01, threads: 1, seconds: 60}, 65, trials},
		"5 % more":                                    {openLoop{rate: 1000, load: 1.05, threads: 1, seconds: 20}, trials - 1, trials},
		"paced, at 70 %":                              {openLoop{rate: 1000, load: 0.70, threads: 16, seconds: 20, paced: true}, 0, 0},
		"paced, 1 % more than the server can do":      {openLoop{rate: 1000, load: 1.01, threads: 16, seconds: 60, paced: true}, 60, trials},
		"paced, 0.5 % more than the server can do":    {openLoop{rate: 2000, load: 1.005, threads: 4, seconds: 60, paced: true}, 75, trials},
		"paced, with a stall that is caught up again": {openLoop{rate: 1000, load: 0.70, threads: 16, seconds: 20, paced: true, stallAt: 14, stallFor: 1.2}, 0, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if n := tc.loop.saturatedOf(trials); n < tc.least || n > tc.most {
				t.Errorf("%d of %d trials are called saturated, want %d to %d", n, trials, tc.least, tc.most)
			} else {
				t.Logf("%d of %d", n, trials)
			}
		})
	}
}

// A schedule that is not random has no slack: 98.5 % of it is less than 99 %, which the slack
// for random arrivals hides in a short window.
func TestARateThatWasNotAchieved(t *testing.T) {
	const rate, seconds = 1000, 20.0
	tests := map[string]struct {
		achieved float64
		expected runner.Expectations
		setup    float64
		offered  float64 // as the tool tells
		want     bool
	}{
		"98.5 % of a schedule":                         {985, runner.Expectations{Rate: rate, Pacers: 16}, 0, 0, true},
		"98.5 % of random arrivals":                    {985, runner.Expectations{Rate: rate, RandomArrivals: true}, 0, 0, false},
		"97 % of few random arrivals":                  {9.7, runner.Expectations{Rate: 10, RandomArrivals: true}, 0, 0, false},
		"97 % of a slow schedule":                      {9.7, runner.Expectations{Rate: 10, Pacers: 1}, 0, 0, true},
		"two operations short per thread":              {9.7, runner.Expectations{Rate: 10, Pacers: 2}, 0, 0, false},
		"99 % of a schedule":                           {990, runner.Expectations{Rate: rate}, 0, 0, false},
		"a schedule that began after connecting":       {941, runner.Expectations{Rate: rate}, 1, 0, false},
		"a schedule that fell behind after connecting": {940, runner.Expectations{Rate: rate}, 1, 0, true},
		"98.5 % of what the tool says that it offered": {985, runner.Expectations{}, 0, rate, true},
		"a closed loop":                                {985, runner.Expectations{}, 0, 0, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := contract.Result{Measurements: []contract.Measurement{
				{Name: contract.NameThroughput, Value: &tc.achieved}, {Name: contract.NameTotalTime, Value: new(seconds)},
				{Name: contract.NameSetupTime, Value: &tc.setup}, {Name: contract.NameOffered, Value: &tc.offered},
			}}
			if text := saturated(r, tc.expected); (text != "") != tc.want || tc.want != strings.Contains(text, "not steady-state figures") {
				t.Errorf("got %q, want %v", text, tc.want)
			}
		})
	}
}

func TestSaturationCaveat(t *testing.T) {
	for _, name := range []string{contract.NameLatencyAvg, contract.NameLatencyPercentile, contract.NameLatencyMax} {
		if text := SaturationCaveat(name); !strings.Contains(text, "not a steady-state figure") {
			t.Errorf("%s: got %q", name, text)
		}
	}
	for _, name := range []string{contract.NameThroughput, contract.NameOffered, contract.NameErrorRate} {
		if text := SaturationCaveat(name); text != "" {
			t.Errorf("%s: got %q, want nothing", name, text)
		}
	}
}
