package accept

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/placement"
	"github.com/assay-bench/assay/internal/queue"
	"github.com/assay-bench/assay/internal/resources"
)

// NodeRequest is what a run asks of the queue. The run was accepted: its
// status.resolved and status.acceptedTime are set.
func NodeRequest(run *v1alpha1.BenchmarkRun) queue.Request {
	need := placement.Need{
		Client: resources.ClientPodShape(run), Clients: run.ClientCount(),
		Separate:   run.Spec.Clients.Placement.SeparateFromTargets == v1alpha1.SeparationRequired,
		OneAtATime: run.Spec.Design.IdleTargets == v1alpha1.IdleStopped,
	}
	for _, t := range run.Provided() {
		need.Targets = append(need.Targets, placement.Target{Name: t.Name, Shape: *run.ResolvedTarget(t.Name).Shape, Replicas: t.Replicas()})
	}
	return queue.Request{
		UID: run.UID, Name: run.Namespace + "/" + run.Name, Priority: run.Spec.Priority,
		Since: run.Status.AcceptedTime.Time, Exclusive: Exclusive(run), Need: need,
	}
}

// Exclusive says whether the run shares its nodes with no other run; it does not unless
// the spec says so.
func Exclusive(run *v1alpha1.BenchmarkRun) bool {
	return run.Spec.Exclusive == nil || *run.Spec.Exclusive
}

// Waited is a run in the queue, and the queue's answer.
type Waited struct {
	Answer placement.Answer
	// Since the run was accepted, or resumed; Limit is how long it may wait.
	Since time.Time
	Limit time.Duration
	Now   time.Time
}

// Placed is what the answer means for the run.
type Placed struct {
	// State is Waiting also when there are nodes: they have to stand in the status before
	// anything is made on them.
	State decision.State
	// Placement and StartTime are set when the queue gave the run its nodes.
	Placement *v1alpha1.Placement
	StartTime *metav1.Time
}

// Place reads the queue's answer.
func Place(w Waited) Placed {
	a := w.Answer
	switch {
	case a.Reason == "":
		return Placed{
			State:     decision.WaitFor(v1alpha1.ReasonProgressing, "%s", placement.Describe(a.Placement)),
			Placement: &a.Placement, StartTime: &metav1.Time{Time: w.Now},
		}
	case a.Reason != v1alpha1.ReasonQueued:
		return Placed{State: decision.FailWith(a.Reason, "%s", a.Message)}
	case w.Now.Sub(w.Since) > w.Limit:
		return Placed{State: decision.FailWith(v1alpha1.ReasonDeadlineExceeded, "no nodes within %s: %s", w.Limit, a.Message)}
	}
	return Placed{State: decision.WaitFor(v1alpha1.ReasonQueued, "%s", a.Message)}
}
