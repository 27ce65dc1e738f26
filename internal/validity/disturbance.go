package validity

import (
	"fmt"
	"math"

	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	// saturated is the share of its CPU limit from which a target's throttling says
	// no more than that its machine has this size.
	saturated = 0.9
	// maxPressure is the share of the window in which all tasks may have waited for
	// memory.
	maxPressure = 0.01
	// minClockStep (s) and maxSlew (share of the window): NTP slews a clock by at
	// most 500 ppm. What is more is a step.
	minClockStep = 0.05
	maxSlew      = 0.0006
)

// Sides of a measurement.
const (
	theTarget = "target"
	theClient = "client"
)

// environment of a side; nil where nothing is known.
func environment(r result.Result, side string) *result.Environment {
	if side == theTarget {
		return r.Target
	}
	return &r.Client.Environment
}

func targetThrottledMuch(r result.Result, f runner.Facts) string {
	return throttled(r, theTarget, f.MaxThrottled, true)
}

func clientThrottledMuch(r result.Result, f runner.Facts) string {
	return throttled(r, theClient, f.MaxThrottled, true)
}

func targetThrottledLittle(r result.Result, f runner.Facts) string {
	return throttled(r, theTarget, f.MaxThrottled, false)
}

func clientThrottledLittle(r result.Result, f runner.Facts) string {
	return throttled(r, theClient, f.MaxThrottled, false)
}

// throttled speaks of throttling beyond the bound (the share of the periods of CPU
// bandwidth enforcement, 100 ms each, in which the container had to wait), or of any
// up to it. Without the number of periods nobody can tell; then it is little.
//
// A target that uses up its limit is throttled as a machine of that size is busy:
// that is little too. One that is throttled although it has CPU left waits for the
// mechanism, which no machine does. A client that is throttled is always too small.
func throttled(r result.Result, side string, bound float64, much bool) string {
	e := environment(r, side)
	if e == nil {
		return ""
	}
	times, ok := result.Increase(*e, func(u result.Usage) *int64 { return u.Throttled })
	if !ok || times <= 0 {
		return ""
	}
	periods, known := result.Increase(*e, func(u result.Usage) *int64 { return u.Periods })
	known = known && periods > 0
	used, full := cpuShare(*e)
	beyond := known && float64(times) > bound*float64(periods) && (side == theClient || !full || used < saturated)
	if much != beyond {
		return ""
	}
	message := fmt.Sprintf("the %s was throttled %d times", side, times)
	if known {
		message = fmt.Sprintf("the %s was throttled in %d of %d periods (%.2f %%)", side, times, periods, 100*float64(times)/float64(periods))
	}
	if s, ok := result.Increase(*e, func(u result.Usage) *float64 { return u.ThrottledSeconds }); ok {
		message += fmt.Sprintf(", for %.3f s in all", s)
	}
	if full {
		message += fmt.Sprintf(", and used %.0f %% of its CPU limit", 100*used)
	}
	return message + ": give it more CPU"
}

// cpuShare is how much of its CPU limit a container used over the window.
func cpuShare(e result.Environment) (share float64, known bool) {
	cpu, ok := result.Increase(e, func(u result.Usage) *float64 { return u.CPUSeconds })
	if !ok || e.Limits.CPUs == nil || *e.Limits.CPUs <= 0 {
		return 0, false
	}
	window := e.After.At.Sub(e.Before.At).Seconds()
	if window <= 0 {
		return 0, false
	}
	return cpu / (window * *e.Limits.CPUs), true
}

func targetPressure(r result.Result, _ runner.Facts) string { return memoryPressure(r, theTarget) }

func clientPressure(r result.Result, _ runner.Facts) string { return memoryPressure(r, theClient) }

// memoryPressure of the container where the kernel says it, else of the node.
func memoryPressure(r result.Result, side string) string {
	e := environment(r, side)
	if e == nil || e.Before == nil || e.After == nil {
		return ""
	}
	window := e.After.At.Sub(e.Before.At).Seconds()
	for _, of := range []struct{ key, whose string }{{"memory.full", "the " + side}, {"node.memory.full", "the node of the " + side}} {
		before, okBefore := e.Before.Pressure[of.key]
		after, okAfter := e.After.Pressure[of.key]
		if !okBefore || !okAfter {
			continue
		}
		if waited := after - before; window > 0 && waited > maxPressure*window {
			return fmt.Sprintf("all of %s waited for memory for %.2f s of %.2f s (%.1f %%): give it more memory", of.whose, waited, window, 100*waited/window)
		}
		return ""
	}
	return ""
}

// targetRestarted: counters of a container only grow, unless it is another one.
// Context switches are not among them: they are those of the threads that live,
// and a server ends a thread with each connection.
func targetRestarted(r result.Result, _ runner.Facts) string {
	e := r.Target
	if e == nil || e.Before == nil || e.After == nil {
		return ""
	}
	if boot := e.Machine.BootTime; boot != nil && boot.After(e.Before.At) {
		return fmt.Sprintf("the target's node was started again at %s, after the measured window had begun", boot.UTC().Format("15:04:05"))
	}
	cpu, ok := result.Increase(*e, func(u result.Usage) *float64 { return u.CPUSeconds })
	if ok && cpu < 0 {
		return restarted("CPU time", -cpu)
	}
	periods, ok := result.Increase(*e, func(u result.Usage) *int64 { return u.Periods })
	if ok && periods < 0 {
		return restarted("number of CPU periods", float64(-periods))
	}
	return ""
}

func restarted(counter string, less float64) string {
	return fmt.Sprintf("the target's %s was %.6g less after the measured window than before it: its container was started again", counter, less)
}

func clockStep(r result.Result, _ runner.Facts) string {
	step := r.Client.ClockStepSeconds
	seconds, _ := value(r, result.NameTotalTime, nil)
	if step == nil || math.Abs(*step) <= max(minClockStep, maxSlew*seconds) {
		return ""
	}
	return fmt.Sprintf("the client's clock was set by %+.3f s during the measured window of %.1f s", *step, seconds)
}
