package benchmarkrun

import (
	"cmp"
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/follow"
	"github.com/assay-bench/assay/controllers/benchmarkrun/logbook"
	"github.com/assay-bench/assay/controllers/benchmarkrun/trial"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// measured: the trials of the plan were run in their order, one at a time. What became of
// an attempt is recorded before anything else happens, with the decision about what follows
// it; the next one begins in the same pass.
func measured(v view) answer {
	if data := v.Run.Spec.Data; v.Run.Spec.OnlyLoads() {
		return answerWith(decision.Done{Reason: v1alpha1.ReasonOnlyLoaded, Message: fmt.Sprintf("nothing is measured: the data set %s is made (spec.data.policy: Make)", data.Name)})
	}
	p, at := v.accepted.Planned.Plan, v.position()
	if last := v.book.Last(); last != nil && v.endsAt(*last) {
		return answerWith(decision.FailWith(last.Reason, "trial %d (%s): %s", last.Index, p.Describe(p.Trials[last.Index]), last.Message))
	}
	if at.Ends(len(p.Trials)) {
		return answerWith(allMeasured(v))
	}
	a := v.attempt(at)
	if _, waits := a.state.(decision.Waiting); waits && !a.again {
		// Behind what begins the next trial: the target and the clients idle meanwhile.
		a.actions = append(a.actions, trial.RemoveEnded(v.trialInput(), at, v.ask)...)
	}
	return a
}

// attempt at the trial that comes next.
func (v view) attempt(at journal.Position) answer {
	p := v.accepted.Planned.Plan
	name := contract.TrialName(v.Run.Name, at.Index, at.Attempt)
	if wait := v.coolingDown(name); !decision.IsDone(wait) {
		return answerWith(wait)
	}
	if wait := v.awaitTarget(p.Targets[p.Trials[at.Index].Target], name); !decision.IsDone(wait) {
		return answerWith(wait)
	}
	params, err := v.accepted.Work.CellAt(p.Cells[p.Trials[at.Index].Cell], at.Rate)
	if err != nil {
		return answerWith(decision.FailWith(v1alpha1.ReasonInvalidSpec, "%v", err))
	}
	groups, err := experiment.GroupsOf(v.accepted.Work, p.Cells[p.Trials[at.Index].Cell])
	if err != nil {
		return answerWith(decision.FailWith(v1alpha1.ReasonInvalidSpec, "%v", err))
	}
	in := v.trialInput()
	e := trial.Measurement(in, at, params, groups, v.accepted.Planned.Lengths[p.Trials[at.Index].Cell])
	res := trial.Decide(in, e, v.ask)
	switch state := res.State.(type) {
	case decision.Waiting:
		return v.waitForTrial(at, state, res.Actions)
	case decision.Done:
		return v.record(in, e, at, res)
	}
	return answer{state: res.State, actions: res.Actions}
}

// waitForTrial keeps one message for the whole trial, so that the status is not written
// while it runs.
func (v view) waitForTrial(at journal.Position, wait decision.Waiting, actions []decision.Action) answer {
	a := answer{state: wait, actions: actions}
	// A trial that spec.suspend holds back has not begun.
	if wait.Reason == v1alpha1.ReasonSuspended {
		return a
	}
	p := v.accepted.Planned.Plan
	what := p.Describe(p.Trials[at.Index])
	if field := v.accepted.Work.Search.Parameter(); field != "" {
		what += fmt.Sprintf(" %s=%d", field, at.Rate)
	}
	a.changes = []change{runningChange{planned: trial.Planned(p, at, v.accepted.Work.Search.Parameter()), what: what, trials: len(p.Trials), least: v.accepted.Planned.Lengths[p.Trials[at.Index].Cell].Least}.apply}
	if wait.Reason == v1alpha1.ReasonProgressing {
		wait.Message = decision.WaitFor("", "trial %d: %s", at.Index, what).Message
		a.state = wait
	}
	return a
}

// record what became of an attempt that ended.
func (v view) record(in trial.Input, e trial.Execution, at journal.Position, res trial.Result) answer {
	rec := trial.Record(in, e, at, res.End, v.ask)
	nodes := trial.ClientNodes(v.Run.Status.Nodes, res.End, v.ask)
	if !v.ask.Complete() {
		return answer{}
	}
	if wait := v.awaitsStatus(); wait != nil {
		return answerWith(wait)
	}
	next := v.follow(rec)
	if !v.ask.Complete() {
		return answer{}
	}
	if !decision.IsDone(next.State) {
		return answerWith(next.State)
	}
	rec.Decision = next.Decision
	book, write, err := v.book.Add(v.Run, rec)
	if err != nil {
		return answerWith(decision.WaitFor(v1alpha1.ReasonRetrying, "trying again: %v", err))
	}
	a := answer{
		state:   decision.WaitFor(v1alpha1.ReasonProgressing, "trial %d has ended", rec.Index),
		actions: append(res.Actions, write), changes: []change{recordsAttempt(book, rec, nodes)}, again: true,
	}
	if rec.State == contract.Failed && !v.endsAt(rec) {
		// The next pass looks first whether the target is still there.
		a.state, a.again = decision.WaitFor(v1alpha1.ReasonProgressing, "trial %d failed: %s", rec.Index, rec.Reason), false
	}
	return a
}

// allMeasured: a run without any result has failed, unless that is the answer of its search.
func allMeasured(v view) decision.State {
	t, last := v.book.Totals(), v.book.Last()
	search := v.accepted.Work.Search
	if t.Succeeded == 0 && !search.Explains(*last) {
		return decision.FailWith(v1alpha1.ReasonAllTrialsFailed, "none of %d trials has a result; the last one: %s: %s", t.Done, last.Reason, last.Message)
	}
	if search == nil && last.Decision != nil && last.Decision.Stop {
		return decision.Done{Reason: v1alpha1.ReasonStoppedEarly, Message: fmt.Sprintf("%d of %d trials have a result; %s", t.Succeeded, t.Done, last.Decision.Why)}
	}
	return decision.DoneWith("%d of %d trials have a result", t.Succeeded, t.Done)
}

// endsAt says whether a trial ends the run, because it failed. One that answers a search does not.
func (v view) endsAt(rec contract.Record) bool {
	policy := cmp.Or(v.Run.Spec.Design.OnTrialFailure, v1alpha1.OnFailureStop)
	return rec.State == contract.Failed && policy == v1alpha1.OnFailureStop && !v.accepted.Work.Search.Explains(rec)
}

// position of the next attempt. The rate of the very first trial of a search is that of the spec.
func (v view) position() journal.Position {
	at := v.book.Position()
	if s := v.accepted.Work.Search; s != nil && at.Rate == 0 {
		at.Rate = s.Low()
	}
	return at
}

// follow says what follows a trial that has just ended. The result has no meaning while questions
// are open.
func (v view) follow(rec contract.Record) follow.Result {
	if v.endsAt(rec) {
		return follow.Result{State: decision.Done{}}
	}
	in, err := v.compares(v.accepted.Planned.Plan)
	if err != nil {
		return follow.Result{State: decision.Done{}}
	}
	return follow.After(follow.Input{
		Input: in, Search: v.accepted.Work.Search, Record: rec,
		First:   func() ([]contract.Record, decision.State) { return logbook.First(v.Run, v.book, v.ask) },
		Earlier: func() ([]contract.Record, decision.State) { return logbook.All(v.Run, v.book, v.ask) },
		Block:   func() ([]contract.Record, decision.State) { return logbook.OfBlock(v.Run, v.book, rec.Block, v.ask) },
	})
}

// compares is what the run compares, by a plan. It fails for a spec that this version cannot read, which compares
// nothing: it was accepted by another one.
func (v view) compares(p *plan.Plan) (in analysis.Input, err error) {
	in = analysis.Input{
		Names: v.accepted.Work.Compared(), Limit: int(v.Catalogue.Config.Limits.Comparisons), Settings: analysis.SettingsOf(v.Run.Status.Resolved),
	}
	in.Layout, in.Declaration, err = v.accepted.Work.Experiment(p)
	return in, err
}

// coolingDown waits after the last trial for as long as the design says.
func (v view) coolingDown(next string) decision.State {
	pause, last := v.Run.Spec.Design.Cooldown.Duration, v.book.Last()
	if pause <= 0 || last == nil || last.CompletionTime == nil || trial.Begun(v.Run, v.Children, next, v.ask) {
		return decision.Done{}
	}
	until := last.CompletionTime.Add(pause)
	if !until.After(v.Now) {
		return decision.Done{}
	}
	return decision.WaitFor(v1alpha1.ReasonProgressing, "cooling down for %s after trial %d", pause, last.Index).At(until)
}
