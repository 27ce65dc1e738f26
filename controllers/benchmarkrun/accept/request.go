package accept

import (
	"fmt"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/experiment/placement"
	"github.com/assay-bench/assay/internal/experiment/queue"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// NodeRequest is what a run asks of the queue. The run was accepted: its
// status.resolved and status.acceptedTime are set.
func NodeRequest(run *v1alpha1.BenchmarkRun, cfg config.Config) queue.Request {
	q, bytes := cfg.Queue, cfg.Results.Budget
	need := placement.Need{
		Client: resources.ClientPodShape(run), Clients: run.ClientCount(),
		Separate:   run.Separates(),
		Beside:     run.ServiceNodes(),
		OneAtATime: run.Spec.Design.IdleTargets == v1alpha1.IdleStopped,
	}
	for _, t := range run.Provided() {
		need.Targets = append(need.Targets, placement.Target{
			Name: t.Name, Shape: *run.ResolvedTarget(t.Name).Shape, Replicas: run.Spec.FurtherServers(t), Tenants: t.OwnServers(),
		})
	}
	// The queue keeps the request: nodes are not chosen by annotations.
	need.Client.Annotations = nil
	for i := range need.Targets {
		need.Targets[i].Shape.Annotations = nil
	}
	bounds := q.For(run.Namespace)
	most, held := Bytes(run)
	return queue.Request{
		UID: run.UID, Name: run.Namespace + "/" + run.Name, Priority: bounds.Priority.Nearest(run.Spec.Priority),
		Since: run.Status.AcceptedTime.Time, Exclusive: Exclusive(run), Need: need, Longest: longest(run, q.Hold),
		Limits: queue.Limits{Nodes: *bounds.Nodes, Runs: *bounds.Runs, Bytes: bytes.Namespace.Value(), AllBytes: bytes.Cluster.Value()},
		Bytes:  most, Held: held, Schedule: scheduleOf(run),
	}
}

// scheduleOf a run, by its name; empty for none.
func scheduleOf(run *v1alpha1.BenchmarkRun) string {
	if owner := run.Schedule(); owner != nil {
		return owner.Name
	}
	return ""
}

// Bytes of etcd that the results of a run may take while it holds nodes, and those that it holds, as
// its status says.
func Bytes(run *v1alpha1.BenchmarkRun) (most, held int64) {
	if r := run.Status.Results; r != nil {
		most, held = r.BudgetBytes, r.HeldBytes
	}
	if r := run.Status.Report; r != nil {
		held += r.SizeBytes
	}
	return most, held
}

// Kept is what a run takes that holds no nodes, or has ended.
func Kept(run *v1alpha1.BenchmarkRun) queue.Kept {
	_, held := Bytes(run)
	return queue.Kept{UID: run.UID, Name: run.Namespace + "/" + run.Name, Bytes: held}
}

// Held are the nodes of a run, for the queue; none for a run that has given them back.
func Held(run *v1alpha1.BenchmarkRun, cfg config.Config) queue.Holding {
	q := cfg.Queue
	out := queue.Holding{
		UID: run.UID, Name: run.Namespace + "/" + run.Name, Priority: q.For(run.Namespace).Priority.Nearest(run.Spec.Priority),
		Exclusive: Exclusive(run),
	}
	st := run.Status
	if st.AcceptedTime != nil {
		out.Since = st.AcceptedTime.Time
	}
	if st.StartTime != nil {
		out.Began, out.Until = st.StartTime.Time, st.StartTime.Add(longest(run, q.Hold))
	}
	if st.Placement == nil {
		return out
	}
	out.Nodes = placement.Nodes(*st.Placement)
	out.Bytes, out.Held = Bytes(run)
	if st.Placement.HeldUntil != nil {
		out.Idle, out.Until = "suspended", st.Placement.HeldUntil.Time
	}
	return out
}

// longest is for how long a run holds its nodes at most.
func longest(run *v1alpha1.BenchmarkRun, hold config.Hold) time.Duration {
	d := run.Spec.Deadline.Duration + hold.Suspended.Duration
	if run.Spec.Retain == v1alpha1.RetainAlways || run.Spec.Retain == v1alpha1.RetainOnFailure {
		d += hold.Retained.Duration
	}
	return d
}

// priorityAllowed refuses a priority that the namespace of the run may not use.
func (in Input) priorityAllowed() error {
	if why := outOfBounds(in.Run, in.Catalogue.Config.Queue.For(in.Run.Namespace).Priority); why != "" {
		return experiment.Refuse(v1alpha1.ReasonPriorityNotAllowed, "%s", why)
	}
	return nil
}

// deadlineAllowed refuses a deadline for which the namespace of the run may not hold nodes.
func deadlineAllowed(run *v1alpha1.BenchmarkRun, q config.Queue) error {
	most := q.For(run.Namespace).Deadline.Duration
	if run.Spec.Deadline.Duration <= most {
		return nil
	}
	return experiment.Refuse(v1alpha1.ReasonDeadlineNotAllowed, "spec.deadline: %s is longer than %s, for which the configuration of the operator (queue.bounds, queue.rules) lets runs of namespace %s hold nodes",
		run.Spec.Deadline.Duration, most, run.Namespace)
}

// outOfBounds says that the namespace of the run may not use its priority; empty where it may.
func outOfBounds(run *v1alpha1.BenchmarkRun, p *config.PriorityRange) string {
	if p.Has(run.Spec.Priority) {
		return ""
	}
	return fmt.Sprintf("spec.priority: %d is outside of %d to %d, which the configuration of the operator (queue.bounds, queue.rules) allows to namespace %s",
		run.Spec.Priority, p.Min, p.Max, run.Namespace)
}

// Exclusive says whether the run shares its nodes with no other run; it does not unless
// the spec says so.
func Exclusive(run *v1alpha1.BenchmarkRun) bool {
	return run.Spec.Exclusive == nil || *run.Spec.Exclusive
}

// AwaitService says that a run that was accepted waits for its Service, as long as it may wait for nodes.
func AwaitService(run *v1alpha1.BenchmarkRun, unready string, cfg config.Config, now time.Time) decision.State {
	if limit := cfg.Timeouts.Queue.Duration; now.Sub(run.Status.AcceptedTime.Time) > limit {
		return decision.FailWith(v1alpha1.ReasonDeadlineExceeded, "no nodes within %s: %s", limit, unready)
	}
	return decision.WaitFor(v1alpha1.ReasonServiceNotReady, "%s", unready)
}

// Placed is what the answer means for the run.
type Placed struct {
	// State is Waiting also when there are nodes: they have to stand in the status before
	// anything is made on them.
	State decision.State
	// Placement is set when the queue gave the run its nodes.
	Placement *v1alpha1.Placement
}

// Place reads the queue's answer to a run that was accepted. A priority that was changed later, and is
// not followed, is said beside it.
func Place(run *v1alpha1.BenchmarkRun, a placement.Answer, cfg config.Config, now time.Time) Placed {
	priority, limit := cfg.Queue.For(run.Namespace).Priority, cfg.Timeouts.Queue.Duration
	if why := outOfBounds(run, priority); why != "" {
		a.Message += fmt.Sprintf("; %s: %d counts", why, priority.Nearest(run.Spec.Priority))
	}
	switch {
	case a.Reason == "":
		return Placed{State: decision.WaitFor(v1alpha1.ReasonProgressing, "%s", placement.Describe(a.Placement)), Placement: &a.Placement}
	case a.Reason != v1alpha1.ReasonQueued && a.Reason != v1alpha1.ReasonProvisioningNodes:
		return Placed{State: decision.FailWith(a.Reason, "%s", a.Message)}
	case now.Sub(run.Status.AcceptedTime.Time) > limit:
		return Placed{State: decision.FailWith(v1alpha1.ReasonDeadlineExceeded, "no nodes within %s: %s", limit, a.Message)}
	}
	return Placed{State: decision.WaitFor(a.Reason, "%s", a.Message)}
}
