package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// The bars of schedules.
const (
	// maxDelay from the instant at which schedules are due to the last run that is created for it.
	maxDelay = 15 * time.Second
	// maxScheduleWrites of a schedule for its first run, from its own creation to the entry in its history: the run, the
	// history, the status when the schedule is new, when the run begins, before what has ended goes into the history (its digest)
	// and after it, and an event for both.
	maxScheduleWrites = 8.0
)

// usage of the manager between two moments.
type usage struct {
	took time.Duration
	cpu  time.Duration
	// passes of the controller of schedules.
	passes float64
	// requests of the manager but its watches, and those among them that write.
	requests, writes int
}

// scheduleFigures are what schedules cost.
type scheduleFigures struct {
	size schedules
	// delays from the due time to the run of each schedule, in their order.
	delays []time.Duration
	// due is from the creation of the schedules that are due to the end of their runs; rest without anything that
	// happens; again from the start of another manager until it rests.
	due, rest, again usage
	// asked are the requests about schedules that were due, their runs' creation, histories and events: by verb and
	// resource.
	asked map[string]int
	// peak of the resident memory of both managers, and the heap in use at the end, in bytes.
	peak, heap int64
	// wrong is what is not as it should be: lost, doubled and missed runs.
	wrong []string
}

// newScheduleFigures from four moments: schedules wait; runs have ended; a while later; with another manager.
func newScheduleFigures(s schedules, due time.Time, at []moment) scheduleFigures {
	between := func(a, b moment) usage {
		u := usage{took: b.at.Sub(a.at), cpu: b.process.cpu - a.process.cpu, passes: b.passes - a.passes}
		for _, r := range b.requests[len(a.requests):] {
			u.requests++
			if r.writes() {
				u.writes++
			}
		}
		return u
	}
	f := scheduleFigures{
		size: s, due: between(at[0], at[1]), rest: between(at[1], at[2]), asked: map[string]int{},
		again: between(moment{at: at[2].at, requests: at[2].requests}, at[3]), // it counts from its own start
		peak:  max(at[2].process.peak, at[3].process.peak), heap: at[3].heap,
	}
	for _, r := range at[1].requests[len(at[0].requests):] {
		if r.ofDue() {
			f.asked[r.what()]++
		}
		if r.what() == "create benchmarkruns" && r.ResponseStatus.Code == 201 {
			f.delays = append(f.delays, r.StageTimestamp.Sub(due))
		}
	}
	slices.Sort(f.delays)
	return f
}

// ofDue says whether a request is one that the controller of schedules makes for a schedule that is due. Its reads of the
// run that ended and of that run's records are not told apart from those of the run's own controller, and not counted.
func (r request) ofDue() bool {
	name := r.name()
	switch r.ObjectRef.Resource {
	case "benchmarkschedules":
		return strings.HasPrefix(name, prefixDue)
	case "benchmarkruns":
		return r.Verb == "create" || r.Verb == "delete" && r.ObjectRef.Subresource == ""
	case "configmaps":
		return strings.HasPrefix(name, prefixDue) && strings.Contains(name, "-history-")
	case "events": // NAME.TIME, of a schedule: DUE-NUMBER
		about, _, _ := strings.Cut(name, ".")
		return strings.HasPrefix(about, prefixDue) && strings.Count(about, "-") == 1
	}
	return false
}

// writesPerSchedule that was due.
func (f scheduleFigures) writesPerSchedule() float64 {
	n := 0
	for what, count := range f.asked {
		if !strings.HasPrefix(what, "get ") && !strings.HasPrefix(what, "list ") {
			n += count
		}
	}
	return float64(n) / float64(f.size.due)
}

func (f scheduleFigures) median() time.Duration {
	if len(f.delays) == 0 {
		return 0
	}
	return f.delays[len(f.delays)/2]
}

func (f scheduleFigures) slowest() time.Duration {
	if len(f.delays) == 0 {
		return 0
	}
	return f.delays[len(f.delays)-1]
}

// conditionsOfSchedules says what is measured and how.
func conditionsOfSchedules(o options, s schedules) string {
	return fmt.Sprintf(`
%d BenchmarkSchedules on a real API server, with the real manager; %d of them have onChange, and %d are due at one instant.
  Server, manager and what is played are as for runs, but for an audit log of the API server, which counts the requests.
  Each run has one trial.
  due           from the creation of the schedules that are due until all of their runs have ended, and are in the histories
  at rest       nothing happens for %s
  new manager   the manager is stopped, and another one looks at all of them
  delay         from the time of the schedules to the API server's answer to the creation of a run

`, s.all, s.changes(), s.due, o.rest)
}

// String is the table of the figures.
func (f scheduleFigures) String() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%d schedules, %d due at once: %d runs; delay median %.2f s, max %.2f s", f.size.all, f.size.due, len(f.delays), f.median().Seconds(), f.slowest().Seconds())
	for _, u := range []struct {
		name string
		usage
	}{{"due", f.due}, {"at rest", f.rest}, {"new manager", f.again}} {
		line("  %-12s %6.1f s  CPU %6.2f s  passes of schedules %5.0f  requests %6d  writes %6d", u.name, u.took.Seconds(), u.cpu.Seconds(), u.passes, u.requests, u.writes)
	}
	line("  RSS %.0f MiB, heap %.0f MiB", float64(f.peak)/(1<<20), float64(f.heap)/(1<<20))
	line("  requests for each schedule that was due, without reads of its run:")
	for _, what := range slices.Sorted(maps.Keys(f.asked)) {
		line("    %6.2f  %s", float64(f.asked[what])/float64(f.size.due), what)
	}
	return b.String()
}

// judgeSchedules holds the figures against the bars.
func judgeSchedules(f scheduleFigures) []verdict {
	var out []verdict
	add := func(missed bool, format string, args ...any) {
		out = append(out, verdict{fmt.Sprintf(format, args...), missed})
	}
	first := ""
	if len(f.wrong) > 0 {
		first = ": " + f.wrong[0]
	}
	add(len(f.delays) != f.size.due || len(f.wrong) > 0, "%d runs for %d schedules that were due, and %d schedules with a run too many or too few%s",
		len(f.delays), f.size.due, len(f.wrong), first)
	add(f.rest.writes > 0, "%d writes in %.0f s at rest, none allowed", f.rest.writes, f.rest.took.Seconds())
	add(f.again.writes > 0 || f.again.passes < float64(f.size.all), "%d writes of a new manager in %.0f passes over %d schedules, none allowed",
		f.again.writes, f.again.passes, f.size.all)
	add(f.slowest() > maxDelay, "the last run was created %.2f s after its time, at most %.0f s", f.slowest().Seconds(), maxDelay.Seconds())
	add(f.writesPerSchedule() > maxScheduleWrites, "%.2f writes for a schedule that was due, events included, at most %.0f", f.writesPerSchedule(), maxScheduleWrites)
	add(f.peak >= maxMemory, "%.0f MiB resident, less than %d MiB", float64(f.peak)/(1<<20), maxMemory>>20)
	return out
}
