package benchmarkrun

import (
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/controllers/benchmarkrun/conclude"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/logbook"
	"github.com/assay-bench/assay/controllers/benchmarkrun/provision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/target"
	"github.com/assay-bench/assay/controllers/benchmarkrun/trial"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/experiment/placement"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
)

// accepted: the spec can be carried out, its references are pinned, and the records so
// far can be read.
func accepted(v view) answer {
	a := answer{state: v.accepted.State, actions: v.accepted.Actions, changes: []change{func(t statusWriter) { t.applyAccepted(v.accepted) }}}
	switch wait := v.awaitsManager(); {
	case wait != nil:
		a.state = wait
	case !decision.IsDone(a.state):
	case !decision.IsDone(v.bookState):
		a.state = v.bookState
	case v.Run.Status.Placement != nil:
		a.changes = append(a.changes, showsBook(v.book))
	}
	return a
}

// placed: the run has a node for every pod, all at once. No pod exists before. The pass
// ends when it gets them, so that they stand in the status before anything is made on
// them.
func placed(v view) answer {
	st := v.Run.Status
	switch {
	case st.Placement != nil && provision.Keeps(v.Children, provision.OfTargets(st.Placement)):
		return answerWith(decision.WaitFor(v1alpha1.ReasonProgressing, "the placeholder pods make room on the nodes"))
	case st.Placement != nil:
		return answerWith(decision.DoneWith("%s", placement.Describe(*st.Placement)))
	case v.Nodes.Unready != "":
		return answerWith(accept.AwaitService(v.Run, v.Nodes.Unready, v.Catalogue.Config, v.Now))
	case !v.Nodes.Asked:
		// The queue is asked for a run that was accepted, which this one is just now.
		return answer{state: decision.WaitFor(v1alpha1.ReasonProgressing, "asking for nodes"), again: st.Resolved == nil}
	}
	given := accept.Place(v.Run, v.Nodes.Answer, v.Catalogue.Config, v.Now)
	a := answer{state: given.State, changes: []change{places(given)}}
	in := provision.Input{
		Run: v.Run, Need: v.Nodes.Need, Exclusive: accept.Exclusive(v.Run), Pods: v.Catalogue.Config.Pods, Children: v.Children, Requested: requestedIn(v), Now: v.Now,
	}
	switch state := a.state.(type) {
	case decision.Waiting:
		if state.Reason == v1alpha1.ReasonProvisioningNodes {
			a.state, a.actions = provision.Ask(in, state, v.ask)
		}
	case decision.Failed:
		asked := v.Nodes.Overdue || len(v.Children.Placeholders) > 0 || provision.Waits(v.Run)
		none := state.Reason == v1alpha1.ReasonNoNodeOffersShape || state.Reason == v1alpha1.ReasonCannotSeparate
		if asked && none || state.Reason == v1alpha1.ReasonNodesNotProvisioned {
			a.state = provision.Fails(in, state, v.ask)
		}
	}
	return a
}

// targetsReady: the targets that Assay runs accept logins, or the one whose turn it is.
func targetsReady(v view) answer {
	all := v.targets()
	return answer{state: all.State, actions: all.Actions, changes: []change{observes(all)}}
}

// dataLoaded: every target holds the workload's data. They are loaded one after the
// other, once.
func dataLoaded(v view) answer {
	name := v.unloaded()
	if name == "" {
		return answerWith(decision.DoneWith("every target holds the workload's data"))
	}
	if provision.Keeps(v.Children, provision.All()) {
		return answerWith(decision.WaitFor(v1alpha1.ReasonProgressing, "the placeholder pods of the clients make room on the nodes"))
	}
	in := v.trialInput()
	e := trial.Load(in, name)
	if wait := v.awaitTarget(name, e.Name); !decision.IsDone(wait) {
		return answerWith(wait)
	}
	if state := trial.SameServer(in, name); !decision.IsDone(state) {
		return answerWith(state)
	}
	res := trial.Decide(in, e, v.ask)
	if !v.ask.Complete() || !decision.IsDone(res.State) {
		return answer{state: res.State, actions: res.Actions}
	}
	if res.End.Reason != "" {
		return answer{state: decision.FailWith(res.End.Reason, "loading target %s: %s", name, res.End.Message), actions: res.Actions}
	}
	figures, err := trial.LoadFigures(in, e, res.End.Results)
	if err != nil {
		return answerWith(decision.FailWith(v1alpha1.ReasonResultContradictory, "loading target %s: %v", name, err))
	}
	first := res.End.Results[0]
	came := trial.KeepDataSet(in, e, first, v.ask)
	if !v.ask.Complete() || !decision.IsDone(came.State) {
		return answerWith(came.State)
	}
	kept, state := trial.Kept(in, name, v.ask)
	if !v.ask.Complete() || !decision.IsDone(state) {
		return answerWith(state)
	}
	loaded := loadedChange{
		described: target.Describe(v.Run, v.Run.TargetStatus(name), first, providedFacts(v, name)), bytes: res.End.Bytes,
		findings: append(trial.LoadFindings(in, name, res.End.Results, v.ask), trial.Findings(name, res.End.Lost)...),
	}
	loaded.findings = append(loaded.findings, trial.WrittenSince(v.Run, name, kept)...)
	st := &loaded.described.Status
	st.LoadResult, st.RestartCount, st.Load, st.Data = contract.ResultName(e.Name, 0), target.Restarts(in.TargetPod(name)), figures, came.Status
	if st.Data == nil {
		st.Data = kept
	}
	// The outcome has to stand in the status before the Job may be deleted.
	return answer{state: decision.WaitFor(v1alpha1.ReasonProgressing, "target %s is loaded", name), actions: append(res.Actions, came.Actions...), changes: []change{loaded.apply}}
}

// providedFacts of the flavor of a target; zero for an external one.
func providedFacts(v view, name string) engine.Facts {
	t := v.Run.Target(name)
	if t.MySQL == nil {
		return engine.Facts{}
	}
	e, _ := v.Catalogue.Engine(t.MySQL.Flavor)
	return e.Facts
}

// awaitTarget is what an execution that has not begun waits for before it may begin on a
// target.
func (v view) awaitTarget(name, job string) decision.State {
	wait, waits := v.targets().Of(name).State.(decision.Waiting)
	if !waits || trial.Begun(v.Run, v.Children, job, v.ask) {
		return decision.Done{}
	}
	return decision.WaitFor(wait.Reason, "target %s: %s", name, wait.Message)
}

// cleaned: the tables that this run made in external targets are dropped, also when the
// run failed, unless they are to be kept. Servers that Assay runs itself go away with
// their volumes. Tables of a load that failed are left alone: they may be somebody else's.
// A clean-up that fails is shown, but does not spoil what was measured.
func cleaned(v view, failure decision.Failed) answer {
	a := answerWith(decision.DoneWith("clean"))
	in := v.trialInput()
	if conclude.Keeps(v.Run.Spec.Retain, failure.Reason != "") {
		a.actions = trial.Dismiss(in, v.ask)
		return a
	}
	for _, t := range v.Run.Spec.Targets {
		st := v.Run.TargetStatus(t.Name)
		if t.External == nil || st.LoadResult == "" || st.CleanupResult != "" {
			continue
		}
		e, needed := trial.Cleanup(in, t.Name)
		if !needed {
			continue
		}
		res := trial.Decide(in, e, v.ask)
		a.actions = append(a.actions, res.Actions...)
		if !decision.IsDone(res.State) || !v.ask.Complete() {
			a.state = res.State
			return a
		}
		a.changes = append(a.changes, cleans(t.Name, contract.ResultName(e.Name, 0), res.End))
	}
	return a
}

// compared: what the clients delivered is still what the records say. Of a run whose records
// are of no use, nothing can be compared.
func compared(v view) answer {
	a := answerWith(decision.DoneWith("compared"))
	if v.anchor() == nil || !decision.IsDone(v.bookState) {
		return a
	}
	a.checked, a.state = conclude.Compare(conclude.Evidence{Run: v.Run, Now: v.Now, Book: v.book, Checked: v.Checked}, v.ask)
	return a
}

// concluded: the results and the condition that announces them appear in the same write.
// Where the cluster refuses to store them, a run that has failed ends without, and any other
// one waits: nothing that was measured is given up.
func concluded(v view, failure decision.Failed) answer {
	var actions []decision.Action
	var changes []change
	refused, is := v.Refused[concluding]
	if is && failure.Reason == "" {
		return answerWith(decision.WaitFor(refused.Reason, "the results cannot be stored: %s", refused.Message))
	}
	book, end := v.book, endedChange{failure: failure}
	if at := v.position(); failure.Reason != "" && !is && v.isRunning(at) {
		if wait := v.awaitsStatus(); wait != nil {
			return answerWith(wait)
		}
		added, write, err := book.Add(v.Run, trial.Broken(v.trialInput(), at, failure))
		if err != nil {
			return answerWith(decision.WaitFor(v1alpha1.ReasonRetrying, "trying again: %v", err))
		}
		actions, book = append(actions, write), added
		changes = append(changes, recordsAttempt(added, *added.Last(), nil))
	}
	all, state := logbook.All(v.Run, book, v.ask)
	if !v.ask.Complete() {
		return answer{}
	}
	if _, waits := state.(decision.Waiting); waits {
		return answerWith(state)
	}
	// Where a part is lost, there are no records, and the run has failed for just this.
	if lost, is := state.(decision.Failed); is && failure.Reason == "" {
		end.failure = lost
	}
	in := conclude.Input{Run: v.Run, Plan: v.accepted.Planned.Plan, Checked: v.Checked, Search: v.accepted.Work.Search, Failure: end.failure}
	if in.Plan != nil && in.Search == nil {
		in.Plan = journal.Ran(in.Plan, all)
	}
	in.Names = v.accepted.Work.Compared()
	if in.Plan != nil {
		if compares, err := v.compares(in.Plan); err == nil {
			in.Input = compares
		}
	}
	in.Records = all
	if decision.IsDone(v.bookState) {
		in.Checked = in.Checked.With(logbook.Check(v.Run, v.anchor(), book, v.ask))
	}
	end.result = conclude.Decide(in, v.ask)
	if !v.ask.Complete() {
		return answer{}
	}
	if conclude.Keeps(v.Run.Spec.Retain, end.failure.Reason != "") {
		end.heldUntil = v.Now.Add(v.Catalogue.Config.Queue.Hold.Retained.Duration)
	}
	if is {
		end.result.Actions, end.result.Status.Results = nil, nil
	}
	// While the plan is made, it is not known whether the records should be in a chain.
	planning := v.anchor() == nil && !v.accepted.Planned.Complete()
	for _, state := range []decision.State{v.bookState, state} {
		if bad, is := state.(decision.Failed); is && !planning && bad.Reason == v1alpha1.ReasonTampered {
			end.result.Verdict = conclude.Verdict{Known: true, Reason: bad.Reason, Message: bad.Message}
		}
	}
	if end.gate = conclude.Gate(in, end.result.Verdict, end.failure, v.ask); !v.ask.Complete() {
		return answer{}
	}
	end.bytes = conclude.Held(all) + end.result.Bytes + logbook.Bytes(v.Run, book, v.ask)
	if r := v.Run.Status.Results; r != nil {
		end.bytes = max(end.bytes, r.TrialBytes) // where records are lost, their results are not
	}
	return answer{state: end.result.State, actions: append(actions, end.result.Actions...), changes: append(changes, end.apply)}
}

// isRunning says whether an attempt was begun, as far as anybody knows.
func (v view) isRunning(at journal.Position) bool {
	p := v.accepted.Planned.Plan
	if p == nil || v.Run.Status.Placement == nil || !decision.IsDone(v.bookState) || at.Ends(len(p.Trials)) {
		return false
	}
	return trial.Begun(v.Run, v.Children, contract.TrialName(v.Run.Name, at.Index, at.Attempt), v.ask) || showsRunning(v.Run.Status, at)
}

// overdue fails a run that is past its deadline, which counts from the moment it has its
// nodes. One that could not be accepted for so long, because reading what it names keeps
// failing, is overdue as well. The state is nil for any other.
func overdue(run *v1alpha1.BenchmarkRun, now time.Time) decision.State {
	start := run.CreationTimestamp
	switch {
	case run.Status.AcceptedTime != nil && run.Status.Placement == nil:
		return nil // queued: the step Placed has a limit of its own
	case run.Status.StartTime != nil:
		start = *run.Status.StartTime
	}
	if now.Sub(start.Time)-suspendedFor(run.Status, now) <= run.Spec.Deadline.Duration {
		return nil
	}
	return decision.FailWith(v1alpha1.ReasonDeadlineExceeded,
		"the run did not end within spec.deadline (%s): %d of %d trials were measured",
		run.Spec.Deadline.Duration, run.Status.Progress.Done, run.Status.Progress.Planned)
}
