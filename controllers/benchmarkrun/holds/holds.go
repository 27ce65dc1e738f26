// Package holds decides when a run that does not use its nodes gives them back: one that is
// suspended, and one that has ended and is retained.
//
// What comes in: the run with its status of the last pass, the limits of the operator, the
// time, and the children of the run. What goes out: until when it holds its nodes, and the
// actions that give them back.
//
// A suspended run gives its nodes back in three passes, so that a crash between any two of
// them is of no consequence:
//
//  1. When the last execution has ended, the status announces the time (placement.heldUntil).
//     A run that is resumed by then goes on as it was.
//  2. At that time the status says that there is no way back (placement.releaseTime). Only then
//     the StatefulSets and Jobs are deleted, and with them the volumes.
//  3. When nothing is left, the placement goes from the status, and the run is one that waits
//     for nodes: it asks the queue again when it is resumed. Its data is loaded again, by a Job of
//     another name, into volumes of other names. The records of its trials stay as they are.
//
// What it refuses: nothing. The nodes of a run that measures are its own until its deadline.
package holds

import (
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/config"
)

// Until is when a run gives its nodes back that is suspended and has nothing at work: its
// suspensions count together, or a run could hold its nodes for ever by being resumed for a
// moment. One of a queue of Kueue was suspended because somebody else is to have them.
func Until(run *v1alpha1.BenchmarkRun, h config.Hold, now time.Time) time.Time {
	if AtOnce(run) {
		return now
	}
	left := h.Suspended.Duration
	if d := run.Status.SuspendedDuration; d != nil {
		left -= d.Duration
	}
	return now.Add(max(left, 0))
}

// AtOnce says that a run that is suspended does not keep its nodes.
func AtOnce(run *v1alpha1.BenchmarkRun) bool { return run.Labels[v1alpha1.LabelQueueName] != "" }

// Retained is when a run that has ended gives the nodes back that its retained pods are on. The
// status has announced that, unless the run was not to be retained when it ended.
func Retained(run *v1alpha1.BenchmarkRun, h config.Hold) time.Time {
	st := run.Status
	switch {
	case st.Placement != nil && st.Placement.HeldUntil != nil:
		return st.Placement.HeldUntil.Time
	case st.CompletionTime != nil:
		return st.CompletionTime.Add(h.Retained.Duration)
	}
	return run.CreationTimestamp.Add(h.Retained.Duration)
}

// Releasing says whether a run is giving its nodes back, with no way back.
func Releasing(run *v1alpha1.BenchmarkRun) bool {
	return run.Status.Placement != nil && run.Status.Placement.ReleaseTime != nil
}

// settle is how long a run that gives its nodes back waits at least: the cache may not yet know
// the children that were created last.
const settle = 10 * time.Second

// Release gives the nodes of a run back. The state is Done when nothing of the run is on them.
func Release(run *v1alpha1.BenchmarkRun, children decision.Children, now time.Time) (decision.State, []decision.Action) {
	var actions []decision.Action
	remove := func(obj decision.Object) {
		if metav1.IsControlledBy(obj, run) && obj.GetDeletionTimestamp().IsZero() {
			actions = append(actions, decision.Delete{Object: obj})
		}
	}
	for _, name := range children.JobNames() {
		remove(children.Jobs[name])
	}
	for _, name := range slices.Sorted(maps.Keys(children.Placeholders)) {
		remove(children.Placeholders[name])
	}
	for _, name := range slices.Sorted(maps.Keys(children.StatefulSets)) {
		remove(children.StatefulSets[name])
	}
	reason := v1alpha1.ReasonProgressing
	if run.Spec.Suspend {
		reason = v1alpha1.ReasonSuspended
	}
	if end := run.Status.Placement.ReleaseTime.Add(settle); now.Before(end) || children.Any() {
		wait := decision.WaitFor(reason, "the run was suspended and gives its nodes back")
		return wait.At(now.Add(time.Second)), actions
	}
	return decision.Done{}, actions
}

// Finding says that what is measured from now on is measured on other data, perhaps on other
// nodes.
func Finding(run *v1alpha1.BenchmarkRun) v1alpha1.Finding {
	f := v1alpha1.Finding{Check: "reloaded", Severity: v1alpha1.SeverityNote, Message: "the run was suspended and gave its nodes back before anything was measured"}
	if done := run.Status.Progress.Done; done > 0 {
		f.Severity = v1alpha1.SeverityWarning
		later := "after the pods of the run were started again, perhaps on other nodes"
		const loaded, copied = "on data that was loaded again", "on volumes that were made of their VolumeSnapshots anew, without what the trials before had written"
		switch loads, copies := run.LoadsData(), run.Copies(); {
		case loads && copies:
			later = loaded + ", and " + copied + ", perhaps on other nodes"
		case loads:
			later = loaded + ", perhaps on other nodes"
		case copies:
			later = copied + ", perhaps on other nodes"
		}
		f.Message = fmt.Sprintf("the run was suspended and gave its nodes back after %d of %d trials: the later ones are measured %s (the records name them)",
			done, run.Status.Progress.Planned, later)
	}
	return f
}
