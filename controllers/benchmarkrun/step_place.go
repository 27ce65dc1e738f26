package benchmarkrun

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/placement"
	"github.com/assay-bench/assay/internal/queue"
)

// place gives the run a node for every pod, all at once, or lets it wait in the
// queue. No pod exists before. The nodes stand in the status, and the pass ends
// there, so that they are known before anything is made on them.
func (r *Reconciler) place(ctx context.Context, s *scope) (outcome, error) {
	st := &s.run.Status
	if st.Placement != nil {
		return doneWith("%s", placement.Describe(*st.Placement)), nil
	}
	if err := r.recall(ctx); err != nil {
		return outcome{}, err
	}
	if _, err := r.release(ctx, client.ObjectKeyFromObject(s.run), s.run.UID); err != nil {
		return outcome{}, err
	}
	var nodes corev1.NodeList
	if err := r.Client.List(ctx, &nodes, client.UnsafeDisableDeepCopy); err != nil {
		return outcome{}, fmt.Errorf("listing nodes: %w", err)
	}
	answer := r.Queue.Ask(request(s.run), nodes.Items, s.now)
	if answer.Reason != v1alpha1.ReasonQueued {
		// Those behind it may get theirs now.
		r.wakeNext(nodes.Items)
	}
	switch {
	case answer.Reason == "":
		st.Placement = &answer.Placement
		st.StartTime = &metav1.Time{Time: s.now}
		// Time spent suspended in the queue is no time of the run.
		st.SuspendedDuration = nil
		return waitFor(v1alpha1.ReasonProgressing, "%s", placement.Describe(answer.Placement)), nil
	case answer.Reason != v1alpha1.ReasonQueued:
		return failWith(answer.Reason, "%s", answer.Message), nil
	case s.now.Sub(st.AcceptedTime.Time) > r.Config.Limits.Queue.Duration:
		return failWith(v1alpha1.ReasonDeadlineExceeded, "no nodes within %s: %s", r.Config.Limits.Queue.Duration, answer.Message), nil
	}
	return waitFor(v1alpha1.ReasonQueued, "%s", answer.Message), nil
}

// request is what a run that was accepted needs of the cluster.
func request(run *v1alpha1.BenchmarkRun) queue.Request {
	need := placement.Need{
		Client: run.Status.Resolved.ClientShape, Clients: int(max(run.Spec.Clients.Count, 1)),
		Separate:   run.Spec.Clients.Placement.SeparateFromTargets == v1alpha1.SeparationRequired,
		OneAtATime: run.Spec.Design.IdleTargets == v1alpha1.IdleStopped,
	}
	for _, t := range provided(run) {
		need.Targets = append(need.Targets, placement.Target{
			Name: t.Name, Shape: *resolved(run, t.Name).Shape, Replicas: replicasOf(t),
		})
	}
	return queue.Request{
		UID: run.UID, Name: run.Namespace + "/" + run.Name, Priority: run.Spec.Priority,
		Since: run.Status.AcceptedTime.Time, Exclusive: exclusive(run), Need: need,
	}
}

func exclusive(run *v1alpha1.BenchmarkRun) bool {
	return run.Spec.Exclusive == nil || *run.Spec.Exclusive
}

// recall fills the queue once after the start of the manager: which nodes are held,
// and who waits, stands in the objects. A run holds its nodes from its placement until it has ended
// and none of its pods is left.
func (r *Reconciler) recall(ctx context.Context) error {
	r.recalling.Lock()
	defer r.recalling.Unlock()
	if r.recalled {
		return nil
	}
	var runs v1alpha1.BenchmarkRunList
	if err := r.Client.List(ctx, &runs, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("listing the runs: %w", err)
	}
	held := map[types.UID]bool{}
	for i := range runs.Items {
		run := &runs.Items[i]
		switch {
		case finished(run) || !run.DeletionTimestamp.IsZero():
		case run.Status.Placement != nil:
			r.Queue.Hold(run.UID, run.Namespace+"/"+run.Name, placement.Nodes(*run.Status.Placement), exclusive(run))
			held[run.UID] = true
		case run.Status.Resolved != nil && run.Status.AcceptedTime != nil && !run.Spec.Suspend:
			r.Queue.Wait(request(run))
		}
	}
	var pods corev1.PodList
	if err := r.Client.List(ctx, &pods, client.HasLabels{v1alpha1.LabelRunUID}, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("listing the runs' pods: %w", err)
	}
	rest := map[types.UID][]string{}
	names := map[types.UID]string{}
	for _, p := range pods.Items {
		uid := types.UID(p.Labels[v1alpha1.LabelRunUID])
		if !held[uid] && p.Spec.NodeName != "" {
			rest[uid] = append(rest[uid], p.Spec.NodeName)
			names[uid] = p.Namespace + "/" + p.Labels[v1alpha1.LabelRun]
		}
	}
	for uid, nodes := range rest {
		slices.Sort(nodes)
		r.Queue.Hold(uid, names[uid], slices.Compact(nodes), true)
	}
	r.recalled = true
	return nil
}

// release gives the nodes of runs that have ended or were deleted to those that
// wait, once their last pod is gone. It looks at every run of the name but the one
// that is alive: one that was deleted may have been created again.
func (r *Reconciler) release(ctx context.Context, key types.NamespacedName, alive types.UID) (left bool, err error) {
	for _, uid := range r.Queue.Runs(key.String()) {
		if uid == alive {
			continue
		}
		var pods corev1.PodList
		if err := r.Client.List(ctx, &pods, client.InNamespace(key.Namespace), client.MatchingFields{indexRun: string(uid)}); err != nil {
			return true, fmt.Errorf("listing the pods of a run that has ended: %w", err)
		}
		if len(pods.Items) > 0 {
			left = true
			continue
		}
		r.Queue.Forget(uid)
		r.Queue.Release(uid)
		r.plans.Delete(uid)
		var nodes corev1.NodeList
		if err := r.Client.List(ctx, &nodes, client.UnsafeDisableDeepCopy); err != nil {
			return left, fmt.Errorf("listing nodes: %w", err)
		}
		r.wakeNext(nodes.Items)
	}
	return left, nil
}

// wakeNext lets the runs that can have their nodes now be looked at.
func (r *Reconciler) wakeNext(nodes []corev1.Node) {
	for _, uid := range r.Queue.Next(nodes, r.Clock.Now()) {
		name, waits := r.Queue.Waiting(uid)
		if !waits {
			continue
		}
		run := &v1alpha1.BenchmarkRun{}
		namespace, base, _ := strings.Cut(name, "/")
		run.Namespace, run.Name = namespace, base
		// The channel's reader may wait for this very worker.
		go func() { r.wake <- event.GenericEvent{Object: run} }()
	}
}

// queuePoll is how often a queued run is looked at although nobody woke it: nodes
// may have been added.
const queuePoll = time.Minute

// provided are the targets that Assay runs itself.
func provided(run *v1alpha1.BenchmarkRun) []v1alpha1.Target {
	var out []v1alpha1.Target
	for _, t := range run.Spec.Targets {
		if t.MySQL != nil {
			out = append(out, t)
		}
	}
	return out
}
