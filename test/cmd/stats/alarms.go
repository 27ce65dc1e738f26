package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/verdict/baseline"
	"github.com/assay-bench/assay/internal/verdict/gate"
)

// watched is a schedule whose runs have a gate, and whose alarm wants further runs that confirm.
type watched struct {
	gated
	nights, confirm int
}

// alarms says whether the alarm goes off in one of the nights. All have one baseline.
func (w watched) alarms(random *rand.Rand) bool {
	spec := must(baseline.Make(baseline.Source{Run: &v1alpha1.BenchmarkRun{}, Recorded: w.run(random, 0)}))
	read := w.baselines(random, spec)
	var series []gate.Past
	for n := range w.nights {
		slower := map[string]bool{}
		for _, e := range w.judge(read, w.run(random, w.slower)).Gate.Entries {
			slower[baseline.Key(e.Measurement)] = e.Outcome == v1alpha1.OutcomeSlower
		}
		night := gate.Past{Run: fmt.Sprint(n)}
		for _, m := range spec.Measurements {
			night.Values = append(night.Values, gate.Value{Measurement: m.MeasurementKey, Slower: slower[baseline.Key(m.MeasurementKey)]})
		}
		series = append(series, night)
		for _, r := range gate.Alarm(series, w.confirm) {
			if r.Confirmed {
				return true
			}
		}
	}
	return false
}

// alarms are the rows of the alarm of a schedule, which one more run confirms.
func alarms() []simulation {
	test := gated{noise: 0.02, between: 0.02, gate: v1alpha1.Gate{Test: &v1alpha1.GateTest{ErrorRate: "5%", MinimumEffect: "5%"}}}
	threshold := gated{noise: 0.02, between: 0.02, gate: v1alpha1.Gate{Threshold: "25%"}}
	slower := threshold
	slower.slower = 0.3
	const alarm = "False alarms of a schedule"
	return []simulation{
		alerts(alarm, "2 nights, test at 5 % of 5 % or more, noise 2 %, between runs 2 %", none, watched{test, 2, 1}),
		alerts(alarm, "60 nights, the same", none, watched{test, 60, 1}),
		alerts(alarm, "60 nights, threshold 25 %, noise 2 %, between runs 2 %", atMost(0.01), watched{threshold, 60, 1}),
		alerts("Regressions that a schedule confirms", "2 nights, threshold 25 %, 30 % slower, noise 2 %, between runs 2 %", atLeastAbout(0.95), watched{slower, 2, 1}),
	}
}

// alerts are the row of a schedule.
func alerts(name, conditions string, b bar, w watched) simulation {
	return simulation{name, fmt.Sprintf("%s, confirmed by %d more, one baseline; %d cells of %d blocks", conditions, w.confirm, gatedCells, gatedBlocks), func(random *rand.Rand, rounds int) row {
		return share(rounds/50, b, func() bool { return w.alarms(random) })
	}}
}
