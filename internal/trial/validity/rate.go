package validity

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/runners/runner"
)

// CheckSaturated is the name of the check for saturation.
const CheckSaturated = "saturated"

// achievedLow is the share of the offered rate below which a target is saturated.
const achievedLow = 0.99

// arrivalSigmas: where the times of an open loop are drawn at random (sysbench:
// exponential), the number of operations offered in a window has a standard deviation of
// its square root. At 200/s in 10 s that is 2.2 %, more than the 1 % looked for. A
// schedule that is not random has no such slack.
const arrivalSigmas = 3

// edges is the number of operations by which a thread of a schedule may be short without
// having fallen behind: it starts at a random instant within its first gap, and the tool waits
// up to a gap for it at the end.
const edges = 2

// A queue grows when its median length grows from each third of the window to the next, in
// total by more operations than all of these:
const (
	// queueFloor (operations): of a queue M/M/1 at 70 % load the chance of a queue longer
	// than 30 is 0.7^30 = 2e-5.
	queueFloor = 30
	// queueShare of what was offered between the middles of the first and the last third.
	queueShare = 0.001
	// queueSeconds is the minimum growth of the wait, in s: less is within the error of the
	// tool's interval lines.
	queueSeconds = 0.020
	// queueStep is the minimum share of the growth in each half of the window: a stall near
	// the end also leaves a long queue, but not a growing one.
	queueStep = 0.1
	// queuePoints is the minimum length of a series for thirds.
	queuePoints = 6
)

// saturated: a target did not achieve the offered rate of an open loop: less than 99 % of it, or the
// queue grew steadily. The latencies then depend on the length of the window.
func saturated(r contract.Result, e runner.Expectations) string {
	rate := offered(r, e)
	seconds, timed := value(r, contract.NameTotalTime, nil)
	achieved, ok := value(r, contract.NameThroughput, nil)
	if rate <= 0 || !ok || !timed || seconds <= 0 {
		return ""
	}
	return cmp.Or(fellBehind(r, e, rate, achieved, seconds), queueGrows(r, e, rate))
}

// SaturationCaveat is the caveat of a measurement in a saturated cell; empty for measurements
// that are not affected, such as rates.
func SaturationCaveat(name string) string {
	if !strings.HasPrefix(name, "latency.") {
		return ""
	}
	return "saturated: the target did not achieve the offered rate, so operations waited longer and longer; " +
		"this latency grows with the length of the window, and is not a steady-state figure"
}

// offered is the requested rate, or else the rate that the tool reports; 0 for a closed loop.
func offered(r contract.Result, e runner.Expectations) float64 {
	if e.Rate > 0 {
		return e.Rate
	}
	rate, _ := whole(r, contract.NameOffered)
	return rate
}

// fellBehind: of an open loop, achieved and offered rate are two numbers.
func fellBehind(r contract.Result, e runner.Expectations, rate, achieved, seconds float64) string {
	open := seconds
	if setup, ok := whole(r, contract.NameSetupTime); ok {
		// The tool counts connecting into the window, and begins its schedule after it.
		open = max(0, seconds-setup)
	}
	slack := edges * float64(e.Pacers)
	if e.RandomArrivals {
		slack = arrivalSigmas * math.Sqrt(rate*open)
	}
	if achieved*seconds >= achievedLow*rate*open-slack {
		return ""
	}
	return fmt.Sprintf("%g operations per second were offered, and %g achieved (%.1f %%): latencies include the wait before each operation, "+
		"which grows as long as the rate is offered, and are not steady-state figures", rate, achieved, 100*achieved/rate)
}

// queueGrows checks the number of waiting operations that the tool reports, or else, for a
// schedule without randomness, the number of overdue operations.
func queueGrows(r contract.Result, e runner.Expectations, rate float64) string {
	waiting := pointsOf(r, contract.NameQueueLength)
	if waiting == nil && !e.RandomArrivals {
		waiting = backlog(pointsOf(r, contract.NameThroughput), rate)
	}
	n := len(waiting)
	if n < queuePoints {
		return ""
	}
	third := n / 3
	var medians [3]float64
	for i, points := range [][]contract.Interval{waiting[:third], waiting[third : n-third], waiting[n-third:]} {
		var known bool
		if medians[i], known = median(points); !known {
			return ""
		}
	}
	first, middle, last := medians[0], medians[1], medians[2]
	growth := last - first
	between := waiting[n-1-(third-1)/2].AtSeconds - waiting[(third-1)/2].AtSeconds
	least := max(queueFloor, edges*float64(e.Pacers), queueShare*rate*between, queueSeconds*rate)
	if growth <= least || middle-first < queueStep*growth || last-middle < queueStep*growth {
		return ""
	}
	return fmt.Sprintf("the queue of waiting operations grew: %.0f, then %.0f, then %.0f in the thirds of the window (medians), "+
		"at %g offered per second: latencies grow with the length of the window, and are not steady-state figures",
		max(first, 0), max(middle, 0), last, rate)
}

// pointsOf the measurement about all operations; nil where a value is missing.
func pointsOf(r contract.Result, name string) []contract.Interval {
	m, ok := unlabelled(r, name)
	if !ok || slices.ContainsFunc(m.Intervals, func(i contract.Interval) bool { return i.Value == nil }) {
		return nil
	}
	return m.Intervals
}

// backlog is the number of overdue operations at the end of each interval, from the rates in
// the intervals.
func backlog(achieved []contract.Interval, rate float64) []contract.Interval {
	var out []contract.Interval
	done, before := 0.0, 0.0
	for _, i := range achieved {
		done += *i.Value * (i.AtSeconds - before)
		before = i.AtSeconds
		out = append(out, contract.Interval{AtSeconds: i.AtSeconds, Value: new(rate*i.AtSeconds - done)})
	}
	return out
}

// median of the points that have a value; not known when none has.
func median(points []contract.Interval) (value float64, known bool) {
	var values []float64
	for _, p := range points {
		if p.Value != nil {
			values = append(values, *p.Value)
		}
	}
	summary, err := stats.Summarize(values)
	return summary.Median, err == nil
}
