package validity

import (
	"fmt"
	"math"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	// minClockStep (s) and maxSlew (share of the window): NTP slews a clock by at most 500
	// ppm. A larger change is a step.
	minClockStep = 0.05
	maxSlew      = 0.0006
)

// Sides of a measurement.
const (
	theTarget = "target"
	theClient = "client"
	theAgent  = "agent of the client"
)

// environment of a side; nil where it is unknown.
func environment(r contract.Result, side string) *contract.Environment {
	switch agent := r.Client.Agent; {
	case side == theTarget:
		return r.Target
	case side == theAgent && agent == nil:
		return nil
	case side == theAgent:
		return &contract.Environment{Limits: agent.Limits, Before: agent.Before, After: agent.After}
	}
	return &r.Client.Environment
}

// throttled reports the number of throttled CPU periods of 100 ms. The container reached its
// own limit by its own work, which is no reason to exclude a trial; see Limits.
func throttled(side string) say {
	return func(r contract.Result, _ runner.Expectations) string {
		if e := environment(r, side); e != nil {
			return throttledText(*e, side)
		}
		return ""
	}
}

func throttledText(e contract.Environment, side string) string {
	times, ok := contract.Increase(e, func(u contract.Usage) *int64 { return u.Throttled })
	if !ok || times <= 0 {
		return ""
	}
	message := fmt.Sprintf("the %s was throttled %d times", side, times)
	if share, known := throttledShare(e); known {
		periods, _ := contract.Increase(e, func(u contract.Usage) *int64 { return u.Periods })
		message = fmt.Sprintf("the %s was throttled in %d of %d periods (%.2f %%)", side, times, periods, 100*share)
	}
	if s, ok := contract.Increase(e, func(u contract.Usage) *float64 { return u.ThrottledSeconds }); ok {
		message += fmt.Sprintf(", for %.3f s in all", s)
	}
	if used, known := cpuShare(e); known {
		message += ", and used " + figure.Share(used) + " of its CPU limit"
	}
	if side == theAgent {
		return message + ": raise agent.resources of the operator's configuration"
	}
	return message + ": give it more CPU"
}

// memoryPressure of the container itself, within its own limit.
func memoryPressure(side string) say {
	return func(r contract.Result, _ runner.Expectations) string {
		if e := environment(r, side); e != nil {
			if share, much := waitedForMemory(*e); much {
				return fmt.Sprintf("all of the %s waited for memory in %s %% of the measured window: give it more memory", side, figure.PercentBeside(share, maxPressure))
			}
		}
		return ""
	}
}

// maxIOWait is the share of the window from which it is told that all of the target waited for I/O: a server that commits waits for its
// device, and a tenth of the CPUs is what neighbours may use, too.
const maxIOWait = 0.10

// ioPressure of the target: how much of the window was that of its storage. A kernel without pressure of control groups tells that of
// the whole machine.
func ioPressure(r contract.Result, _ runner.Expectations) string {
	if r.Target == nil {
		return ""
	}
	own, known := pressureShare(*r.Target, contract.PressureOwnIO)
	node, _ := pressureShare(*r.Target, contract.PressureNodeIO)
	switch {
	case own > maxIOWait:
		return fmt.Sprintf("all of the target waited for I/O in %s %% of the measured window: its storage decides the numbers, too", figure.PercentBeside(own, maxIOWait))
	case !known && node > maxIOWait:
		return fmt.Sprintf("all work on the machine of the target waited for I/O in %s %% of the measured window: its storage decides the numbers, too, "+
			"and what others do with it; the kernel does not show the share of the target", figure.PercentBeside(node, maxIOWait))
	}
	return ""
}

// targetRestarted: counters of a container only grow, so a lower value means a new container.
// Context switches are not checked, because they include only present threads, and a server
// ends threads with their connections.
func targetRestarted(r contract.Result, _ runner.Expectations) string {
	e := r.Target
	if e == nil || e.Before == nil || e.After == nil {
		return ""
	}
	if boot := e.Machine.BootTime; boot != nil && boot.After(e.Before.At) {
		return fmt.Sprintf("the target's node restarted at %s, after the start of the measured window", boot.UTC().Format("15:04:05"))
	}
	const text = "the target's %s was %.6g less after the measured window than before it: its container restarted"
	if cpu, ok := contract.Increase(*e, func(u contract.Usage) *float64 { return u.CPUSeconds }); ok && cpu < 0 {
		return fmt.Sprintf(text, "CPU time", -cpu)
	}
	if periods, ok := contract.Increase(*e, func(u contract.Usage) *int64 { return u.Periods }); ok && periods < 0 {
		return fmt.Sprintf(text, "number of CPU periods", float64(-periods))
	}
	return ""
}

// uptime is the status variable with the seconds since the server was started.
const uptime = "Uptime"

// serverRestarted: the server restarted, or is another one than before. This also works for a server without an agent.
func serverRestarted(r contract.Result) string {
	if r.Server == nil {
		return ""
	}
	for _, name := range contract.ServerNames {
		if later, changed := r.Server.VariablesChanged[name]; changed {
			return fmt.Sprintf("the server's %s was %s before the measured window and %s after it: another server answered", name, r.Server.Variables[name], later)
		}
	}
	if grown := r.Server.StatusDelta[uptime]; grown < 0 {
		return fmt.Sprintf("the server's uptime was %.0f s less after the measured window than before it: it restarted", -grown)
	}
	return ""
}

// withoutLostCounters is the result without the differences of the server's counters if the
// server restarted between the two readings: the counters began at 0, so the differences are
// meaningless.
func withoutLostCounters(r contract.Result) contract.Result {
	if serverRestarted(r) != "" {
		server := *r.Server
		server.StatusDelta = nil
		r.Server = &server
	}
	return r
}

func clockStep(r contract.Result, _ runner.Expectations) string {
	step := r.Client.ClockStepSeconds
	seconds, _ := value(r, contract.NameTotalTime, nil)
	if step == nil || math.Abs(*step) <= max(minClockStep, maxSlew*seconds) {
		return ""
	}
	return fmt.Sprintf("the client's clock was set by %+.3f s during the measured window of %.1f s", *step, seconds)
}
