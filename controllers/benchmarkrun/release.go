package benchmarkrun

import (
	"fmt"
	"slices"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/conclude"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/holds"
	"github.com/assay-bench/assay/controllers/benchmarkrun/logbook"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/budget"
)

// releasedChange: it has given them back.
type releasedChange struct {
	// next is the index of the trial that comes next.
	next int32
	// bytes of the trials so far, and loads that are made again.
	bytes, loads int64
}

// hold the nodes of a run that waits, or begin to give them back.
func (p pass) hold(v view) pass {
	last := p.last()
	wait, waits := last.state.(decision.Waiting)
	if !waits || wait.Reason != v1alpha1.ReasonSuspended || v.Run.Status.Placement == nil {
		return p
	}
	until := v.Run.Status.Placement.HeldUntil
	switch {
	case until == nil:
		at := holds.Until(v.Run, v.Catalogue.Config.Queue.Hold, v.Now)
		last.changes, wait.Until = append(last.changes, func(t statusWriter) { t.applyHeld(at) }), at
	case v.Now.Before(until.Time) && !holds.AtOnce(v.Run):
		wait.Until = until.Time
	default:
		// It has to stand in the status before anything is deleted.
		last.changes, wait.Until = append(last.changes, statusWriter.beginRelease), v.Now.Add(time.Second)
	}
	last.state = wait
	return p
}

// releasing is the pass of a run that gives its nodes back.
func releasing(v view) pass {
	state, actions := holds.Release(v.Run, v.Children, v.Now)
	a := answer{state: state, actions: append(actions, retainedVolumes(v)...)}
	if decision.IsDone(state) {
		given := releasedChange{next: v.book.Position().Index, loads: int64(len(v.Run.Provided()) * experiment.LoadersOf(v.accepted.Work))}
		// Records that are lost fail the run when it goes on; until then it holds what is known.
		if all, read := logbook.All(v.Run, v.book, v.ask); decision.IsDone(read) {
			given.bytes = conclude.Held(all) + logbook.Bytes(v.Run, v.book, v.ask)
		}
		reason, message := v1alpha1.ReasonProgressing, "the run gave its nodes back and asks for others"
		if v.Run.Spec.Suspend {
			reason, message = v1alpha1.ReasonSuspended, "spec.suspend holds the run back; it has given its nodes back"
		}
		a.actions = append(a.actions, givenUp(v)...)
		a.state, a.changes = decision.WaitFor(reason, "%s", message).At(v.Now.Add(time.Second)), []change{given.apply}
	}
	return pass{planned: v.accepted.Planned, missing: v.ask.Missing(), steps: []decidedStep{{step: step{condition: v1alpha1.ConditionPlaced, phase: v1alpha1.PhasePending}, answer: a}}}
}

// applyHeld announces until when a suspended run holds its nodes.
func (t statusWriter) applyHeld(until time.Time) {
	t.run.Status.Placement.HeldUntil = &metav1.Time{Time: until}
	again := "it looks at its data again"
	const copied = "volumes are made of their VolumeSnapshots anew, without what was written into them since"
	switch loads, copies := t.run.LoadsData(), t.run.Copies(); {
	case loads && copies:
		again = "it loads its data again, and " + copied
	case loads:
		again = "it loads its data again"
	case copies:
		again = copied
	}
	if data := t.run.Spec.Data; data != nil {
		again = fmt.Sprintf("its data is restored from the data set %s, or loaded again where that has no archive", data.Name)
	}
	t.set(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended, fmt.Sprintf(
		"spec.suspend is true: nothing new is started; at %s the run gives its nodes back, and when it is resumed after that, %s",
		until.UTC().Format(time.RFC3339), again))
}

// beginRelease gives the nodes back, with no way back.
func (t statusWriter) beginRelease() { t.run.Status.Placement.ReleaseTime = &metav1.Time{Time: t.now} }

// apply makes the run one that waits for nodes. What was measured stays, and so does
// the data of external targets.
func (n releasedChange) apply(t statusWriter) {
	st := &t.run.Status
	st.Placement, st.Releases, st.ReleasedBeforeTrial = nil, st.Releases+1, n.next
	st.AcceptedTime = &metav1.Time{Time: t.now} // it joins the queue anew
	if r := st.Results; r != nil {
		bytes := max(n.bytes, r.TrialBytes)
		r.TrialBytes, r.HeldBytes = bytes, r.HeldBytes+bytes-r.TrialBytes
		// Its data is loaded again, and the results of the loads before stay.
		r.BudgetBytes += n.loads * budget.OfResult(r.ClientBudgetBytes)
	}
	for _, one := range t.run.Provided() {
		if i := slices.IndexFunc(st.Targets, func(s v1alpha1.TargetStatus) bool { return s.Name == one.Name }); i >= 0 {
			st.Targets[i] = v1alpha1.TargetStatus{Name: one.Name}
		}
	}
	for _, condition := range []string{v1alpha1.ConditionTargetsReady, v1alpha1.ConditionDataLoaded, v1alpha1.ConditionMeasured} {
		t.set(condition, metav1.ConditionUnknown, v1alpha1.ReasonNotReached, "the run gave its nodes back")
	}
	if c := apimeta.FindStatusCondition(st.Conditions, v1alpha1.ConditionSuspended); c != nil && c.Status == metav1.ConditionTrue {
		t.set(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended, "spec.suspend is true: nothing new is started; the run has given its nodes back")
	}
	st.Findings = withFindings(st.Findings, holds.Finding(t.run))
}
