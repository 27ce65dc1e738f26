package client

import (
	"context"
	"time"

	"github.com/assay-bench/assay/internal/agent/toolside"
	"github.com/assay-bench/assay/internal/agent/toolwire"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// progress has the findings of the steps of a trial: each field is the result of one step, or
// empty before that step. Only the list of steps writes it and passes parts of it to later
// steps; assemble makes the result of it.
type progress struct {
	reset            *contract.ResetReport
	restart          *contract.RestartReport
	replicasRestored time.Time
	server           serverFacts
	roundTrip        *contract.Probe
	durability       *contract.Durability
	verified         tableCount
	clock            *contract.ClockOffset
	speed            speeds
	hello            toolwire.Hello
	relay            int32
	warmup, tool     preparedTool
	before           counters
	handshakes       map[string]string
	ready            *time.Time
	start            *start
	warmedUp         warmedUp
	measured         measured
	after            countersAfter
	replicas         []contract.Replica
	check            *contract.DataCheck
	loaded           *loadedData
	snapshot         *contract.Copy
	dataSet          *contract.DataSetReport
	followed         *contract.LoadReport
}

// countersBefore the window: read by a step of their own, or by the one that measures.
func (p *progress) countersBefore() counters {
	if p.measured.before != nil {
		return *p.measured.before
	}
	return p.before
}

// baseline of the server's status.
func (p *progress) baseline() baseline {
	return baseline{p.countersBefore().server.status, p.handshakes}
}

// close ends what the steps left open.
func (p *progress) close() {
	p.warmup.close()
	p.tool.close()
}

// step does one thing, if its time is in this trial.
type step struct {
	when bool
	do   func() *contract.Failure
}

// steps are the steps of a trial in order. The step that measures waits for the planned start:
// everything else comes before it. Without a warm-up it even comes before the
// client reports ready, because the start may follow at once; with a warm-up, it is in the
// pause of settleSeconds. For a tool that begins its window by itself, the command is built
// when the start is known, and the counters are read when the window begins.
func steps(ctx context.Context, s session, o *outcome[progress]) []step {
	type F = *contract.Failure
	p := &o.found
	timed := s.timed()
	warms, cold := s.warms(), !s.warms() && !timed
	between := warms && !timed
	// Both are known when the start is.
	begins := func() session { return s.beginning(p.start.planned) }
	untilStart := func() time.Duration { return s.askUntil(p.start.planned) }
	loads, asks, waits, replicated, snapshots := s.loads(), s.asks(), s.waits(), s.replicated(), s.loads() && s.trial.Snapshot
	return []step{
		{true, func() F { return checkCommands(s) }},
		// What replaces the data restarts the server, so it comes before the queries.
		{fetches(s.role), func() F { return part(o, &p.dataSet, fetchDataSet(ctx, s)) }},
		{s.resets(contract.ResetSnapshot), func() F { return part(o, &p.reset, restore(ctx, s)) }},
		{s.resets(contract.ResetSnapshot) && replicated, func() F { return part(o, &p.replicasRestored, s.replicas.restore(ctx)) }},
		{s.restarts(), func() F { return part(o, &p.restart, restart(ctx, s)) }},
		{s.restarts() && replicated, func() F { return s.replicas.restart(ctx) }},
		{s.restarts() && s.speaks(), func() F { return note(o, fillPool(ctx, s, p.restart)) }},
		{sets(s.role), func() F { return set(ctx, s) }},
		{asks, func() F { return part(o, &p.server, queryServer(ctx, s)) }},
		{varies(s.role), func() F { return inForce(s.trial, p.server.server.Variables, "before the warm-up") }},
		// Without a barrier, no earlier step has waited for the server.
		{s.phase() == contract.PhasePrepare && s.speaks(), func() F { return reachSchemas(ctx, s) }},
		// The steps so far need no tool, whose container starts after the agent's.
		{true, func() F { return part(o, &p.hello, waitForTool(ctx, s)) }},
		{s.phase() != contract.PhaseCleanup, func() F { return note(o, checkLimits(ctx, s, p.server)) }},
		{asks && s.phase() != contract.PhaseCleanup, func() F { return part(o, &p.roundTrip, timeRoundTrip(ctx, s, p.server.connect)) }},
		{tries(s.role), func() F { return try(ctx, s, p.server) }},
		{loads && s.speaks(), func() F { return part(o, &p.durability, timeCommits(ctx, s)) }},
		{s.resets(contract.ResetReload), func() F { return part(o, &p.reset, reload(ctx, s)) }},
		{s.first() && s.trial.Reset != nil, func() F { return part(o, &p.verified, verify(ctx, s)) }},
		{waits && replicated, func() F { return s.replicas.catchUp(ctx) }},

		{waits && (s.trial.Agent != "" || s.speaks()), func() F { return part(o, &p.clock, compareClocks(ctx, s)) }},
		// As late as possible, but before the counters of the window.
		{timesMachines(s.role), func() F { return part(o, &p.speed, measureSpeed(ctx, s)) }},
		{s.relays(), func() F { return part(o, &p.relay, openRelay(ctx, s)) }},
		{warms, func() F { return part(o, &p.warmup, prepareTool(ctx, s, contract.PhaseWarmup, p.relay)) }},
		{cold && waits && replicated, func() F { return note(o, s.replicas.mark(ctx, s.Ask)) }},
		{cold, func() F { return part(o, &p.before, snapshotCounters(ctx, s, p.server, s.Ask)) }},
		{cold, func() F { return part(o, &p.tool, prepareTool(ctx, s, s.phase(), p.relay)) }},
		{waits, func() F { return part(o, &p.ready, reportReady(ctx, s)) }},
		{waits, func() F { return part(o, &p.start, agreeOnStart(ctx, s, p.clock)) }},
		{waits && s.trial.Idle, func() F { return idle(ctx, s, p.start.planned) }},
		{warms, func() F { return part(o, &p.warmedUp, warmUp(ctx, begins(), p.warmup, *p.start)) }},
		{between && replicated, func() F { return note(o, s.replicas.mark(ctx, untilStart())) }},
		{between, func() F { return part(o, &p.before, snapshotCounters(ctx, s, p.server, untilStart())) }},
		{timed && asks && s.trial.Endpoint.TLS == contract.TLSRequired, func() F { return part(o, &p.handshakes, readStatus(ctx, s)) }},
		{warms || timed, func() F { return part(o, &p.tool, prepareTool(ctx, begins(), s.phase(), p.relay)) }},
		{!timed, func() F { return part(o, &p.measured, measure(ctx, s, p.tool, p.before, p.start.launch(s.opening()))) }},
		{timed, func() F {
			return part(o, &p.measured, measureTimed(ctx, begins(), p.tool, p.server, p.start.launch(s.opening())))
		}},
		// Clients that load end one after the other, and the counters are those of all of them.
		{s.trial.Loads && waits && s.first(), func() F { return waitForPeers(ctx, s) }},
		{asks, func() F { return part(o, &p.after, collectAfter(ctx, s, p.measured, p.server, p.baseline())) }},
		{varies(s.role), func() F { return inForce(s.trial, p.after.variables(p.server), "after the window") }},
		{waits && replicated, func() F { return part(o, &p.replicas, s.replicas.collectAfter(ctx, p.measured)) }},
		{s.checks(), func() F { return part(o, &p.check, checkConsistency(ctx, s)) }},
		{s.trial.Loads && waits && asks, func() F { return part(o, &p.followed, followLoad(ctx, s)) }},

		{loads, func() F { return waitForPeers(ctx, s) }},
		{loads && s.speaks(), func() F { return part(o, &p.loaded, countLoaded(ctx, s, p.server)) }},
		{archives(s.role), func() F { return part(o, &p.dataSet, archiveDataSet(ctx, s, p.measured)) }},
		{loads && replicated, func() F { return s.replicas.catchUp(ctx) }},
		{snapshots, func() F { return part(o, &p.snapshot, takeSnapshot(ctx, s)) }},
		{snapshots && replicated, func() F { return s.replicas.takeSnapshots(ctx) }},
	}
}

// carryOut executes the steps of the trial in order.
func (a *Agent) carryOut(ctx context.Context, t contract.Trial, side *toolside.Side) outcome[progress] {
	var o outcome[progress]
	defer o.found.close()
	var s session
	defer func() { s.close() }()
	if failure := part(&o, &s, a.connect(ctx, t, side)); failure != nil {
		return o.failed(causeOf(ctx, t, failure))
	}
	for _, step := range steps(ctx, s, &o) {
		if !step.when {
			continue
		}
		if failure := step.do(); failure != nil {
			return o.failed(causeOf(ctx, t, failure))
		}
	}
	return o
}

// causeOf replaces a consequence of the end of the context by its cause: the deadline or an
// interruption.
func causeOf(ctx context.Context, t contract.Trial, f *contract.Failure) *contract.Failure {
	switch ctx.Err() {
	case nil:
		return f
	case context.DeadlineExceeded:
		return failed(contract.ReasonDeadlineExceeded, "the deadline %s passed (%s)", t.Deadline.UTC().Format(time.RFC3339), f.Message)
	default:
		return failed(contract.ReasonInterrupted, "the client pod was told to stop (%s)", f.Message)
	}
}
