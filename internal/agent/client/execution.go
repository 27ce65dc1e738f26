package client

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// execution is one trial under way, and what is known of it.
type execution struct {
	*Agent
	trial       contract.Trial
	runner      runner.Runner
	credentials runner.Credentials
	// server is nil for a database that does not speak the protocol of MySQL; target is
	// nil but for the first client, and for a target that has no agent.
	server Server
	target *targetAgent
	// next is the command that only has to be started.
	next armed
	// relay stands before the server when round trips are delayed; nil when not.
	relay *relay
	// connect is how long a connection with one question took.
	connect time.Duration
	// statusBefore is from just before the measured window, and statusStarted from before the
	// tool was started, where that is told when its window begins and has to use TLS; else nil.
	statusBefore, statusStarted map[string]string
	// begun is when the window of a tool that begins it by itself was to begin; it holds both
	// clocks. What the wall clock did during the warm-up before is none of the window's.
	begun time.Time
	res   contract.Result
}

func (e *execution) phase() contract.Phase { return contract.Phase(e.trial.Ref.Phase) }

// first: only one client speaks with the server and the target's agent, so that
// the number of clients changes nothing but the load. All of them ask for the time.
func (e *execution) first() bool { return e.trial.Ref.Client == 0 }

// waits: the phase begins with the other clients.
func (e *execution) waits() bool { return e.phase() == contract.PhaseRun }

// warms: a process of its own warms up before the one that measures.
func (e *execution) warms() bool {
	return e.waits() && e.trial.WarmupSeconds > 0 && !e.opening().WarmsUp
}

func (e *execution) loads() bool { return e.phase() == contract.PhasePrepare && e.first() }

// helps: this client loads a part of the data beside the first.
func (e *execution) helps() bool { return e.phase() == contract.PhasePrepare && !e.first() }

// speaks: the target answers questions in the protocol of MySQL.
func (e *execution) speaks() bool { return e.trial.Endpoint.JDBC == nil }

// asks: this client asks the server about itself.
func (e *execution) asks() bool { return e.first() && e.speaks() }

// prefersTLS: whether connections are encrypted is up to the server.
func (e *execution) prefersTLS() bool {
	return e.speaks() && e.trial.Endpoint.TLS == contract.TLSPreferred
}

// skips: the tool has no command for the phase.
func (e *execution) skips(p contract.Phase) bool {
	return e.runner.Skips != nil && e.runner.Skips(e.trial, p)
}

// checks: the tool checks the data after the window, once for all clients.
func (e *execution) checks() bool {
	return e.waits() && e.first() && e.runner.Checks != nil && e.runner.Checks(e.trial) > 0
}

// resets says whether this client puts the data back in this way.
func (e *execution) resets(method string) bool {
	return e.first() && e.trial.Reset != nil && e.trial.Reset.Method == method
}

// step does one thing, if its time is in this trial.
type step struct {
	when bool
	do   func(context.Context) *contract.Failure
}

// steps are those of a trial in their order. Nothing stands between aim and measure:
// all that can be done before the planned instant is done before it. Without a
// warm-up it is done even before the client reports ready, because the start may
// follow at once; with one, in the pause that settleSeconds leaves. A tool that begins its
// window by itself is told when, so that its command is built when that is known, and the
// counters are read when the window begins.
func (e *execution) steps() []step {
	timed := e.timed()
	warms, cold := e.warms(), !e.warms() && !timed
	between := warms && !timed
	return []step{
		{true, e.adapt},
		// No command may be built before it is known whether it uses TLS.
		{e.prefersTLS(), e.settleTLS},
		{true, e.compose},
		// The restore starts the server again, so that it comes before the questions.
		{e.resets(contract.ResetSnapshot), e.restore},
		{e.resets(contract.ResetSnapshot) && e.replicated(), e.restoreReplicas},
		{e.asks(), e.ask},
		// Nobody else has waited for the server where there is no barrier.
		{e.helps() && e.speaks(), e.knock},
		{e.phase() != contract.PhaseCleanup, e.limits},
		{e.asks() && e.phase() != contract.PhaseCleanup, e.roundTrip},
		{e.loads() && e.speaks(), e.preflight},
		{e.resets(contract.ResetReload), e.reload},
		{e.first() && e.trial.Reset != nil, e.verify},
		{e.waits() && e.replicated(), e.awaitReplicas},

		{e.waits() && (e.trial.Agent != "" || e.speaks()), e.compareClocks},
		// As late as possible, but not inside what the counters of the window embrace.
		{e.waits() && e.first(), e.speed},
		{warms, e.armWarmup},
		{cold && e.waits() && e.replicated(), e.markReplicas},
		{cold, e.before},
		{cold, e.arm},
		{e.waits(), e.ready},
		{e.waits(), e.barrier},
		{warms, e.warmUp},
		{between && e.replicated(), e.markReplicas},
		{between, e.before},
		{timed && e.asks() && e.trial.Endpoint.TLS == contract.TLSRequired, e.beforeStart},
		{warms || timed, e.arm},
		{e.waits(), e.aim},
		{!timed, e.measure},
		{timed, e.measureTimed},
		{e.asks(), e.after},
		{e.waits() && e.replicated(), e.afterReplicas},
		{e.checks(), e.checkData},

		{e.loads(), e.others},
		{e.loads() && e.speaks(), e.count},
		{e.loads() && e.replicated(), e.awaitReplicas},
		{e.loads() && e.trial.Snapshot, e.snapshot},
		{e.loads() && e.trial.Snapshot && e.replicated(), e.snapshotReplicas},
	}
}

// execute carries the trial out, one step after the other.
func (e *execution) execute(ctx context.Context) {
	defer func() {
		e.next.close()
		if e.relay != nil {
			e.relay.close()
		}
	}()
	e.res.State = contract.Succeeded
	e.runner, _ = e.Runner(e.trial.Runner) // the steps follow from it; adapt says if it is not known
	for _, step := range e.steps() {
		if !step.when {
			continue
		}
		if failure := step.do(ctx); failure != nil {
			e.res.State, e.res.Failure = contract.Failed, e.explain(ctx, failure)
			return
		}
	}
}

// explain puts the end of the context before its consequences.
func (e *execution) explain(ctx context.Context, f *contract.Failure) *contract.Failure {
	switch ctx.Err() {
	case nil:
		return f
	case context.DeadlineExceeded:
		return &contract.Failure{Reason: contract.ReasonDeadlineExceeded, Message: fmt.Sprintf(
			"the deadline %s passed (%s)", e.trial.Deadline.UTC().Format(time.RFC3339), f.Message)}
	default:
		return &contract.Failure{Reason: contract.ReasonInterrupted, Message: fmt.Sprintf("the client pod was told to stop (%s)", f.Message)}
	}
}

// problem takes down what is doubtful and no reason to fail.
func (e *execution) problem(source, format string, args ...any) {
	e.res.Problems = append(e.res.Problems, contract.Problem{Source: source, Text: fmt.Sprintf(format, args...)})
}
