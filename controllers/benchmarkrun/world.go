package benchmarkrun

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/controllers/benchmarkrun/conclude"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/logbook"
	"github.com/assay-bench/assay/controllers/benchmarkrun/provision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/target"
	"github.com/assay-bench/assay/controllers/benchmarkrun/trial"
	"github.com/assay-bench/assay/internal/experiment/placement"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// World is all that a pass decides from. gather makes it, and nobody changes it
// afterwards. ConfigMaps are asked for by name where they are needed: a long run has
// thousands of them.
type World struct {
	// Input of the first room: the run, the time, the catalogue, and what was planned.
	accept.Input
	// Children of the run, as the cache knew them.
	Children decision.Children
	// Nodes is the answer of the queue of nodes.
	Nodes Nodes
	// SavedHead is the head of the records in the status that was read; empty for none. Of the
	// records, at most one is ahead of the status that is saved.
	SavedHead string
	// Checked is how far earlier passes of this process compared the results with the records.
	Checked conclude.Checked
	// Outgrew: the run was too large for a status, and has lost its nodes and objects by that.
	Outgrew bool
	// Refused are the steps whose actions the API server refused a moment ago, for good:
	// the run ends there.
	Refused map[string]decision.Failed
	// Known are the answers to what the rooms asked.
	Known decision.Known
}

// Nodes is the answer of the queue, of a run that waits for its nodes.
type Nodes struct {
	// Asked: the run was accepted and had no nodes when the pass began.
	Asked  bool
	Answer placement.Answer
	// Unready is the Service for which the run waits before it asks, in words; empty for none.
	Unready string
	// Need of the run, as it asked for it.
	Need placement.Need
	// Overdue: nodes that were to be made for it were not, in the time that its shapes allow.
	Overdue bool
	// Requested is what there was of its requests for nodes when it asked.
	Requested decision.Requested
}

// view is a world with what follows from the spec and from the records: all steps
// begin with that. Nobody changes it.
type view struct {
	World
	// ask is what the rooms ask with.
	ask *decision.Asking
	// accepted is the answer of the room accept.
	accepted accept.Result
	// book is the last part of the records; bookState says whether it is of use.
	book      logbook.Book
	bookState decision.State
}

// look at a world. The view has no meaning while questions are open.
func viewOf(w World) view {
	v := view{World: w, ask: w.Known.Ask()}
	v.Started = len(w.Children.StatefulSets) > 0 || len(w.Children.Jobs) > 0
	v.Catalogue.Config.Pods = podsOf(v.Catalogue.Config)
	v.accepted = accept.Decide(v.Input, v.ask)
	v.book, v.bookState = logbook.Read(w.Run, v.anchor(), v.ask)
	return v
}

// anchor is what the status says of the chain of records, or will say; nil for a run without a stored plan.
func (v view) anchor() *v1alpha1.IntegrityStatus { return v.accepted.Status.Integrity }

// awaitsStatus is the wait before another record is added, until the one before it stands in
// the status that is saved; nil when it does.
func (v view) awaitsStatus() decision.State {
	if v.anchor() == nil || v.book.Head() == v.SavedHead {
		return nil
	}
	return decision.WaitFor(v1alpha1.ReasonProgressing, "the last record is written into the status").At(v.Now)
}

// awaitsManager is the wait for a manager that can read the records and the plan of the
// run; nil where this one can.
func (v view) awaitsManager() decision.State {
	for _, state := range []decision.State{v.bookState, v.accepted.State} {
		if wait, waits := state.(decision.Waiting); waits && wait.Reason == v1alpha1.ReasonJournalTooNew {
			return wait
		}
	}
	return nil
}

// trialInput is what executions are decided from.
func (v view) trialInput() trial.Input {
	return trial.Input{
		Run: v.Run, Now: v.Now, Work: v.accepted.Work, Config: v.Catalogue.Config, Children: v.Children,
		Demand: v.accepted.Planned.Demand.All, Plan: v.accepted.Planned.Plan, Recorded: v.book.Records.Records,
	}
}

// requestedIn a view is what there is of requests for nodes. All of it is gone before a target is loaded, and a run without a class has none.
func requestedIn(v view) decision.Requested {
	if len(provision.Names(v.Run)) == 0 || v.Run.Status.Placement != nil && v.unloaded() == "" {
		return decision.Requested{}
	}
	if v.Nodes.Asked {
		return v.Nodes.Requested
	}
	return decision.AskRequested(v.ask).Value
}

// targets are decided from the run and from the position in the plan. The run has its
// nodes.
func (v view) targets() target.Result {
	return target.Decide(target.Input{
		Run: v.Run, Now: v.Now, Config: v.Catalogue.Config, Children: v.Children, Active: v.activeTarget(), Measuring: v.measures(),
	}, v.ask)
}

// activeTarget is the one target that runs with idleTargets: Stopped: the next one to be
// loaded or measured. It is empty when all of them run.
func (v view) activeTarget() string {
	if v.Run.Spec.Design.IdleTargets != v1alpha1.IdleStopped {
		return ""
	}
	if t := v.unloaded(); t != "" {
		return t
	}
	p, at := v.accepted.Planned.Plan, v.book.Position()
	if at.Ends(len(p.Trials)) {
		return v.book.Last().Target // no other one is needed any more
	}
	return p.Targets[p.Trials[at.Index].Target]
}

// unloaded is the first measured target without data; empty when there is none.
func (v view) unloaded() string {
	for _, t := range v.Run.Spec.Targets {
		if t.Published == nil && v.Run.TargetStatus(t.Name).LoadResult == "" {
			return t.Name
		}
	}
	return ""
}

// measures says whether a trial has begun whose end is not recorded.
func (v view) measures() bool {
	for _, job := range v.Children.Jobs {
		if job.Labels[v1alpha1.LabelTrial] != "" && !trial.OutcomeKnown(v.Run, job, v.book.Position()) {
			return true
		}
	}
	at := v.book.Position()
	return trial.Begun(v.Run, v.Children, contract.TrialName(v.Run.Name, at.Index, at.Attempt), v.ask)
}
