package accept

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/trial/journal"
)

// Input is all that the room decides from. Nothing of it is changed.
type Input struct {
	// Run with its status of the last pass, and with the time that it spent suspended.
	Run *v1alpha1.BenchmarkRun
	// Now is the time of the pass.
	Now time.Time
	// Catalogue of what this operator can do, with the limits of the waits.
	Catalogue experiment.Catalogue
	// Planned is what earlier passes of this process planned, if it is kept; zero for nothing.
	Planned experiment.Planned
	// Seen: an earlier pass of this process had the whole plan, which is not kept any more.
	Seen bool
	// Turn: it is the run's turn, for a plan that takes several passes. It has none before the first
	// of them, which finds out that the plan is so large.
	Turn bool
	// Started: a StatefulSet or a Job of the run exists.
	Started bool
}

// Result of the room.
type Result struct {
	// State is Waiting, Failed or Done.
	State decision.State
	// Actions that have to succeed before Status is written.
	Actions []decision.Action
	// Work of the run; its Tool has no name when there is none.
	Work experiment.Work
	// Planned has no plan when the spec gives none.
	Planned experiment.Planned
	// Status has what the room knows of the status, and repeats what was there before: what stands there
	// since the run was accepted, the plan once it is written down, and the anchor of its chain, whose head is
	// empty where an older manager has dropped it. Only in the pass that resolves the references it has the
	// budget of the results, and what published targets quote.
	Status v1alpha1.BenchmarkRunStatus
	// Findings about the plan; only in the pass that resolves the references.
	Findings []v1alpha1.Finding
}

// failed is the state after an error: a refusal, but for a plan that a newer manager wrote, and for what is not ready yet.
func failed(err error) decision.State {
	var newer *journal.TooNewError
	if errors.As(err, &newer) {
		return decision.WaitFor(v1alpha1.ReasonJournalTooNew, "%v", err)
	}
	var later *pending
	if errors.As(err, &later) {
		return later.wait
	}
	refused := experiment.RefusalOf(err)
	return decision.Failed{Reason: refused.Reason, Message: refused.Message}
}

// unlessOther is a state; a run that was planned and whose spec is refused now was accepted by
// another version of this program, because a spec does not change. It waits for that version.
func (in Input) unlessOther(state decision.State) decision.State {
	refused, is := state.(decision.Failed)
	if !is || refused.Reason != v1alpha1.ReasonInvalidSpec || in.Run.Status.Plan == nil {
		return state
	}
	return decision.WaitFor(v1alpha1.ReasonJournalTooNew,
		"another version of Assay accepted this run, and this manager refuses its spec (%s): install that version again, the run goes on then", refused.Message)
}

// Decide whether the run can be carried out, and how. While ask is not complete, the
// result means nothing.
func Decide(in Input, ask *decision.Asking) Result {
	st := in.Run.Status
	out := Result{Planned: in.Planned, Status: v1alpha1.BenchmarkRunStatus{
		Resolved: st.Resolved, AcceptedTime: st.AcceptedTime, SpecHash: st.SpecHash, Plan: st.Plan, Integrity: st.Integrity,
	}}
	if err := in.decide(ask, &out); err != nil {
		out.State, out.Actions = in.unlessOther(failed(err)), nil
	}
	return out
}

// decide fills the result in; after an error it says how far the run came.
func (in Input) decide(ask *decision.Asking, out *Result) (err error) {
	st := in.Run.Status
	if st.Resolved == nil {
		if err := experiment.CheckSize(in.Run, in.Catalogue.Config.Limits); err != nil {
			return err
		}
	}
	if out.Work, err = experiment.WorkOf(in.Run.Spec, in.Catalogue); err != nil {
		return err
	}
	if state := in.withoutPlan(); state != nil {
		out.State = state
		return nil
	}
	if !out.Planned.Complete() {
		if err := in.makePlan(ask, out); err != nil || !ask.Complete() || !out.Planned.Complete() {
			return err
		}
		out.Planned.Chain = in.storedChain(ask)
		if !ask.Complete() {
			return nil
		}
	}
	if st.Resolved == nil {
		if err := in.accept(ask, out); err != nil || !ask.Complete() {
			return err
		}
	}
	if hash := out.Status.SpecHash; in.Run.Annotations[v1alpha1.AnnotationSpecHash] != hash {
		out.Actions = append(out.Actions, decision.MarkRun{Hash: hash})
	}
	if out.Status.Integrity == nil && out.Planned.Chain != "" {
		out.Status.Integrity = &v1alpha1.IntegrityStatus{PlanSHA256: out.Planned.Chain}
	}
	if in.Run.Spec.Suspend && !in.Started {
		out.State = in.heldBack()
		return nil
	}
	if st.Plan == nil {
		if err := in.writePlan(ask, out); err != nil || out.Status.Plan == nil {
			return err
		}
	}
	p := out.Planned.Plan
	out.State = in.planned(len(p.Trials), len(p.Cells), out.Status.Plan.Analysis)
	return nil
}

// withoutPlan is the state of a run that needs no plan now: one that is held back before it has
// nodes, and one that waits for them with its plan written down. It is nil for any other. So what
// waits costs nothing, however large it is. One that gave its nodes back may end while it waits, and
// what it measured is summarised by the plan.
func (in Input) withoutPlan() decision.State {
	st := in.Run.Status
	if in.Started || st.Resolved == nil || st.Placement != nil || st.Releases > 0 || in.Run.Annotations[v1alpha1.AnnotationSpecHash] != st.SpecHash {
		return nil
	}
	switch {
	case in.Run.Spec.Suspend:
		return in.heldBack()
	case in.Seen && st.Plan != nil:
		return in.planned(int(st.Plan.TrialCount), int(st.Plan.CellCount), st.Plan.Analysis)
	}
	return nil
}

func (in Input) heldBack() decision.State {
	if in.Run.Status.Releases > 0 {
		return decision.WaitFor(v1alpha1.ReasonSuspended, "spec.suspend holds the run back; it has given its nodes back")
	}
	return decision.WaitFor(v1alpha1.ReasonSuspended, "spec.suspend holds the run back; nothing was started")
}

func (in Input) planned(trials, cells int, shows *v1alpha1.PlannedAnalysis) decision.State {
	return decision.Done{Message: experiment.Message(trials, cells, in.Run.Spec, shows)}
}

// makePlan goes on with the plan, until it is complete. The message stays the same meanwhile, so
// that the status is not written for each of the passes.
func (in Input) makePlan(ask *decision.Asking, out *Result) error {
	if out.Planned.Plan == nil {
		p, err := in.plan(out.Work, ask)
		if err != nil || !ask.Complete() {
			return err
		}
		out.Planned = experiment.Planned{Plan: p}
		if in.Run.Status.Plan == nil { // one that was written down is left alone
			if out.Planned, err = out.Work.Begin(p, in.Catalogue.Config.Limits); err != nil {
				return err
			}
		}
	}
	var err error
	if out.Work.PerPass() >= len(out.Planned.Plan.Cells) || in.Turn {
		out.Planned, err = out.Work.Expand(out.Planned)
	}
	if err != nil {
		return err
	}
	out.State = Planning(len(out.Planned.Plan.Cells))
	return nil
}

// accept pins the references of the spec, and says what the plan will do to its data.
func (in Input) accept(ask *decision.Asking, out *Result) error {
	if err := cmp.Or(in.priorityAllowed(), deadlineAllowed(in.Run, in.Catalogue.Config.Queue)); err != nil {
		return err
	}
	if err := experiment.CheckDataSet(out.Work); err != nil {
		return err
	}
	shows, err := out.Work.Foresee(out.Planned.Plan, in.Catalogue.Config.Limits.Comparisons)
	if err != nil {
		return err
	}
	in.askReferences(out.Work, ask)
	if !ask.Complete() {
		return nil
	}
	r, err := references{in, ask}.resolve(*out)
	if err != nil {
		return err
	}
	if err := CheckResolved(r.resolved); err != nil {
		return err
	}
	if err := in.allowed(*out, r.resolved, ask); err != nil {
		return err
	}
	d, err := in.demands(*out, shows, r.copies)
	if err != nil {
		return err
	}
	if r.awaits != nil {
		return r.awaits
	}
	// After what else may be refused, because what is written counts from here on.
	if out.Status.Results, err = admitted(in, d, ask); err != nil || !ask.Complete() {
		return err
	}
	out.Findings = slices.Concat(unverified(in.Run), existing(in.Run.Spec.Targets, r.resolved), BehindServices(r.resolved), shapesChosen(in.Run, r.resolved, r.sizes.Why), out.Work.WearFindings(out.Planned, r.resolved))
	hash, err := specHash(in.Run.Spec, out.Planned.Plan.Seed, r.resolved)
	if err != nil {
		return fmt.Errorf("the hash of the spec: %w", err)
	}
	out.Actions = append(out.Actions, r.copies...)
	out.Status.Resolved, out.Status.AcceptedTime = &r.resolved, &metav1.Time{Time: in.Now}
	out.Status.SpecHash, out.Status.Targets = hash, r.targets
	return nil
}
