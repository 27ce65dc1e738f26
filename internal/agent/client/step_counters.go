package client

import (
	"context"
	"maps"
	"net/url"
	"strconv"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// leastAsk is the minimum timeout for the target's agent, even shortly before the planned
// start.
const leastAsk = 100 * time.Millisecond

// askUntil is the timeout for the target's agent before the planned start: half of the
// remaining time, so a silent agent delays no start.
func (t Timeouts) askUntil(planned time.Time) time.Duration {
	return min(max(time.Until(planned)/2, leastAsk), t.Ask)
}

// counters from before the measured window.
type counters struct {
	// client are those of the tool's container.
	client *contract.Usage
	// target is the answer of the target's agent; nil without an answer.
	target *contract.TargetEnvironment
	server statusBefore
}

// statusBefore has the server's counters before the window; empty for a client that does not
// query the server.
type statusBefore struct {
	status      map[string]string
	countedFrom *time.Time
	rows        *contract.CountedRows
	level       *contract.Level
}

// snapshotCounters reads all counters, those of the server last, so they include little other
// work. patience is the timeout for the target's agent.
func snapshotCounters(ctx context.Context, s session, facts serverFacts, patience time.Duration) (o outcome[counters]) {
	if failure := part(&o, &o.found, countersAround(ctx, s, s.meter.machine.Frequency(), patience)); failure != nil {
		return o.failed(failure)
	}
	return o.failed(part(&o, &o.found.server, snapshotStatus(ctx, s, facts)))
}

// countersAround reads the counters of both sides.
func countersAround(ctx context.Context, s session, frequency *contract.Frequency, patience time.Duration) (o outcome[counters]) {
	o.failure = part(&o, &o.found.target, askTarget(ctx, s, contract.PathEnvironment, patience))
	return o.failed(part(&o, &o.found.client, usageBefore(ctx, s, frequency)))
}

// snapshotStatus reads the counters of the server.
func snapshotStatus(ctx context.Context, s session, facts serverFacts) (o outcome[statusBefore]) {
	if !s.asks() {
		return o
	}
	var status map[string]string
	if failure := part(&o, &status, counted(ctx, s)); failure != nil || status == nil {
		return o.failed(failure)
	}
	storageEngine := s.trial.Endpoint.StorageEngine
	o.found = statusBefore{status, new(time.Now()), countRows(facts, storageEngine, status), levelOf(facts, storageEngine, status)}
	return o.failed(s.keepPairs("server/status-before.txt", status))
}

// countersAfter are those from the end of the measured window.
type countersAfter struct {
	// target is the answer of the target's agent, with the counters inside the window where it
	// has them; nil without an answer.
	target *contract.TargetEnvironment
	// statusDelta and variablesChanged since before the window.
	statusDelta      map[string]float64
	variablesChanged map[string]string
	// level of what the storage engine had put off at its end.
	level *contract.Level
}

// variables of the server at the end of the window.
func (c countersAfter) variables(facts serverFacts) map[string]string {
	all := maps.Clone(facts.server.Variables)
	maps.Copy(all, c.variablesChanged)
	return all
}

// baseline has the earlier status of the server for the differences.
type baseline struct {
	// window is from when the window began, and handshakes from before a tool that
	// connected before its window was started; nil for any other.
	window, handshakes map[string]string
}

// collectAfter is snapshotCounters for the end of the measured window.
func collectAfter(ctx context.Context, s session, m measured, facts serverFacts, before baseline) (o outcome[countersAfter]) {
	var status map[string]string
	if failure := part(&o, &status, counted(ctx, s)); failure != nil {
		return o.failed(failure)
	}
	if w := m.window(); s.target != nil && w.known {
		o.failure = part(&o, &o.found.target, askTarget(ctx, s, w.path(), s.Ask))
	}
	variables, err := s.server.Variables(ctx)
	if err != nil {
		return o.failed(lost(err))
	}
	o.found.statusDelta, o.found.level = statusDelta(before.window, status), levelOf(facts, s.trial.Endpoint.StorageEngine, status)
	if n, known := statusDelta(before.handshakes, status)[contract.StatusTLSAccepts]; known {
		o.found.statusDelta[contract.StatusTLSAccepts] = n
	}
	o.found.variablesChanged = changed(facts.server.Variables, variables)
	if failure := s.keepPairs("server/variables-after.txt", variables); failure != nil {
		return o.failed(failure)
	}
	if status == nil {
		return o
	}
	return o.failed(s.keepPairs("server/status-after.txt", status))
}

// window is the measured one, where it is known.
type window struct {
	from, to time.Time
	known    bool
}

// path asks an agent for its environment with the counters inside the window, in seconds
// before now.
func (w window) path() string {
	if !w.known {
		return contract.PathEnvironment
	}
	ages := url.Values{"from": {seconds(time.Since(w.from))}, "to": {seconds(time.Since(w.to))}}
	return contract.PathEnvironment + "?" + ages.Encode()
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }

// askTarget returns the environment from the target's agent; nil without an answer, which is
// only a problem.
func askTarget(ctx context.Context, s session, path string, patience time.Duration) (o outcome[*contract.TargetEnvironment]) {
	if s.target == nil {
		return o
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var env contract.TargetEnvironment
	if err := s.target.get(ctx, path, &env); err != nil {
		o.problem("target/environment", "the target's agent does not answer: %v", err)
		return o
	}
	if env.Version != contract.EnvironmentVersion {
		o.problem("target/environment", "version: got %q, want %q: use agents of the same release", env.Version, contract.EnvironmentVersion)
		return o
	}
	o.found = &env
	return o
}
