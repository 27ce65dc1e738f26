package validity

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/stats"
)

// CheckSaturated is the name of the check that calls a target saturated.
const CheckSaturated = "saturated"

// achievedLow is the share of the offered rate below which a target is saturated.
const achievedLow = 0.99

// arrivalSigmas: where the times of an open loop are drawn at random (sysbench:
// exponential), the number of operations offered in a window has a standard deviation of
// its square root. At 200/s in 10 s that is 2.2 %, more than the 1 % looked for. A
// schedule that is not random has no such slack.
const arrivalSigmas = 3

// edges are the operations by which each thread of a schedule may be short without having
// fallen behind: it begins at a random instant within its first gap, and the tool waits for
// it at the end, up to a gap, in which nothing begins.
const edges = 2

// A queue grows when it is longer in each third of the window than in the one before, by
// the medians, and at the end by more operations than all of these:
const (
	// queueFloor (operations): of a queue M/M/1 at 70 % load the chance of a queue longer
	// than 30 is 0.7^30 = 2e-5.
	queueFloor = 30
	// queueShare of what was offered between the middles of the first and the last third.
	queueShare = 0.001
	// queueSeconds is how much longer operations wait: less is within the times of the
	// tool's interval lines.
	queueSeconds = 0.020
	// queueStep is the least share of the growth that lies in each half of the window: a
	// stall near the end also leaves a long queue, but no growing one.
	queueStep = 0.1
	// queuePoints is the least length of a series that has thirds.
	queuePoints = 6
)

// Saturated says whether a target did not keep up with the rate of an open loop, and why:
// less than 99 % of it was achieved, or the operations that wait became more and more. The
// latencies then depend on the length of the window. False for a closed loop, which offers
// nothing.
func Saturated(r contract.Result, f runner.Facts) (bool, string) {
	rate := offered(r, f)
	seconds, timed := value(r, contract.NameTotalTime, nil)
	achieved, ok := value(r, contract.NameThroughput, nil)
	if rate <= 0 || !ok || !timed || seconds <= 0 {
		return false, ""
	}
	text := fellBehind(r, f, rate, achieved, seconds)
	if text == "" {
		text = queueGrows(r, f, rate)
	}
	return text != "", text
}

// tooMuchOffered is Saturated as a check.
func tooMuchOffered(r contract.Result, f runner.Facts) string {
	_, text := Saturated(r, f)
	return text
}

// SaturationCaveat is what a reader of a measurement of a saturated cell has to know;
// empty for a measurement that means what it says, as a rate does.
func SaturationCaveat(name string) string {
	if !strings.HasPrefix(name, "latency.") {
		return ""
	}
	return "saturated: the target did not keep up with the offered rate, so that operations waited longer and longer; " +
		"this latency grows with the length of the window, and is no steady-state figure"
}

// offered is the rate that was asked for, or else the one that the tool tells; 0 for a
// closed loop.
func offered(r contract.Result, f runner.Facts) float64 {
	if f.Rate > 0 {
		return f.Rate
	}
	rate, _ := whole(r, contract.NameOffered)
	return rate
}

// fellBehind: of an open loop, achieved and offered rate are two numbers.
func fellBehind(r contract.Result, f runner.Facts, rate, achieved, seconds float64) string {
	open := seconds
	if setup, ok := whole(r, contract.NameSetupTime); ok {
		// The tool counts connecting into the window, and begins its schedule after it.
		open = max(0, seconds-setup)
	}
	slack := edges * float64(f.Pacers)
	if f.RandomArrivals {
		slack = arrivalSigmas * math.Sqrt(rate*open)
	}
	if achieved*seconds >= achievedLow*rate*open-slack {
		return ""
	}
	return fmt.Sprintf("%g operations per second were offered, and %g achieved (%.1f %%): latencies hold the wait before each operation, "+
		"which grows as long as the rate is offered, and are no steady-state figures", rate, achieved, 100*achieved/rate)
}

// queueGrows looks at the operations that wait, as the tool counted them; or else, where
// the schedule is not random, at those that were due and are not done.
func queueGrows(r contract.Result, f runner.Facts, rate float64) string {
	waiting := pointsOf(r, contract.NameQueueLength)
	if waiting == nil && !f.RandomArrivals {
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
	least := max(queueFloor, edges*float64(f.Pacers), queueShare*rate*between, queueSeconds*rate)
	if growth <= least || middle-first < queueStep*growth || last-middle < queueStep*growth {
		return ""
	}
	return fmt.Sprintf("operations that wait became more and more: %.0f, then %.0f, then %.0f in the thirds of the window (medians), "+
		"at %g offered per second: latencies grow with the length of the window, and are no steady-state figures",
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

// backlog is how many operations are due and not done at the end of each interval, from
// the rates in the intervals.
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
