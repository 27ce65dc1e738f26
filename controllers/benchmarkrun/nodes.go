package benchmarkrun

import (
	"context"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/provision"
	"github.com/assay-bench/assay/internal/experiment/queue"
)

// nodeQueue is what the controller does with the queue of nodes, which all runs share.
type nodeQueue struct{ *Reconciler }

func (r *Reconciler) nodes() nodeQueue { return nodeQueue{r} }

// askForNodes of a run that was accepted and has none. The queue decides for all runs at
// once, and holds the nodes that it gives: that is why its answer is a fact of the world,
// and no decision of the run. A run that is suspended leaves the queue, and so does one whose Service has nothing ready. What is
// found behind Services is put into the status of the run.
func (r nodeQueue) askForNodes(ctx context.Context, run *v1alpha1.BenchmarkRun, children decision.Children, now time.Time) (Nodes, error) {
	st := run.Status
	if st.Resolved == nil || st.AcceptedTime == nil {
		return Nodes{}, nil
	}
	if st.Placement != nil {
		return Nodes{}, r.update(ctx, func() bool { return r.Queue.Hold(accept.Held(run, r.Config)) })
	}
	if run.Spec.Suspend {
		return Nodes{}, r.leave(ctx, run)
	}
	if err := r.recall(ctx); err != nil {
		return Nodes{}, err
	}
	if _, err := r.release(ctx, client.ObjectKeyFromObject(run), run.UID); err != nil {
		return Nodes{}, err
	}
	switch unready, err := looker(r).lookAgain(ctx, run); {
	case err != nil:
		return Nodes{}, err
	case unready != "":
		return Nodes{Unready: unready}, r.leave(ctx, run)
	}
	var nodes corev1.NodeList
	if err := r.Client.List(ctx, &nodes, client.UnsafeDisableDeepCopy); err != nil {
		return Nodes{}, fmt.Errorf("listing nodes: %w", err)
	}
	req := accept.NodeRequest(run, r.Config)
	var err error
	if req.Need.Beside, err = looker(r).mayHold(ctx, req.Need.Beside, nodes.Items); err != nil {
		return Nodes{}, err
	}
	// The queue is asked without them, too: it takes the turn of a run that is overdue, however long their API answers with errors.
	requested, unread := r.requested(ctx, run)
	req.Made, req.Overdue = provision.Made(children), provision.Overdue(run, req.Need, children, now)
	req.Barred = unread == nil && provision.Barred(provision.Input{Run: run, Need: req.Need, Children: children, Requested: requested})
	answer, err := r.askWithin(ctx, run, req, provision.Pods(children), nodes.Items, now)
	if err != nil {
		return Nodes{}, err
	}
	frees := true // those behind it may get their nodes now
	switch answer.Reason {
	case v1alpha1.ReasonQueued:
		frees = len(children.Placeholders) > 0 || provision.Waits(run)
	case v1alpha1.ReasonProvisioningNodes:
		frees = req.Barred && !provision.Waits(run)
	}
	if frees {
		r.wakeNext(nodes.Items)
	}
	if unread != nil {
		return Nodes{}, unread
	}
	return Nodes{Asked: true, Answer: answer, Need: req.Need, Overdue: req.Overdue, Requested: requested}, nil
}

// leave the queue. Nodes that the run got a moment ago do not stand in its status: nothing is on them.
func (r nodeQueue) leave(ctx context.Context, run *v1alpha1.BenchmarkRun) error {
	r.Queue.Forget(run.UID)
	r.quotas.forget(run.UID)
	r.Queue.Release(run.UID)
	if err := r.keepResults(ctx, run); err != nil {
		return err
	}
	return r.wakeAll(ctx)
}

// update the queue with what a run does, and let those be looked at that can have nodes by that.
func (r nodeQueue) update(ctx context.Context, frees func() bool) error {
	if err := r.recall(ctx); err != nil {
		return err
	}
	if !frees() {
		return nil
	}
	return r.wakeAll(ctx)
}

// freeNodes of a run that has just given them back: its status has no placement any more.
func (r nodeQueue) freeNodes(ctx context.Context, before, after *v1alpha1.BenchmarkRun) error {
	if before.Status.Placement == nil || after.Status.Placement != nil || !r.Queue.Release(after.UID) {
		return nil
	}
	r.wakeWaiting(after.Namespace)
	if err := r.keepResults(ctx, after); err != nil {
		return err
	}
	return r.wakeAll(ctx)
}

// wakeAll lets the runs that can have their nodes now be looked at.
func (r nodeQueue) wakeAll(ctx context.Context) error {
	var nodes corev1.NodeList
	if err := r.Client.List(ctx, &nodes, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	r.wakeNext(nodes.Items)
	return nil
}

// recall fills the queue once after the start of the manager: which nodes are held,
// and who waits, stands in the objects. A run holds its nodes from its placement until it has ended
// and none of its pods is left.
func (r nodeQueue) recall(ctx context.Context) error {
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
		if run.DeletionTimestamp.IsZero() {
			r.Queue.Keep(accept.Kept(run))
		}
		switch {
		case run.Finished() || !run.DeletionTimestamp.IsZero():
			if run.Status.StartTime != nil {
				r.Queue.Begun(accept.Held(run, r.Config))
			}
		case run.Status.Placement != nil:
			r.Queue.Hold(accept.Held(run, r.Config))
			held[run.UID] = true
		case run.Status.Resolved != nil && run.Status.AcceptedTime != nil && !run.Spec.Suspend:
			r.Queue.Wait(accept.NodeRequest(run, r.Config))
		}
	}
	var pods corev1.PodList
	if err := r.Client.List(ctx, &pods, client.HasLabels{v1alpha1.LabelRunUID}, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("listing the runs' pods: %w", err)
	}
	rest := map[types.UID]queue.Holding{}
	for _, p := range pods.Items {
		uid := types.UID(p.Labels[v1alpha1.LabelRunUID])
		if held[uid] || p.Spec.NodeName == "" {
			continue
		}
		if is, err := r.madeByRun(ctx, p); err != nil {
			return err
		} else if is {
			holding := queue.Holding{UID: uid, Name: p.Namespace + "/" + p.Labels[v1alpha1.LabelRun], Nodes: rest[uid].Nodes, Exclusive: true}
			holding.Nodes = append(holding.Nodes, p.Spec.NodeName)
			rest[uid] = holding
		}
	}
	for _, holding := range rest {
		r.Queue.Hold(holding)
	}
	r.recalled = true
	return nil
}

// release gives the nodes of runs that have ended or were deleted to those that
// wait, once their last pod is gone. It looks at every run of the name but the one
// that is alive: one that was deleted may have been created again.
func (r nodeQueue) release(ctx context.Context, key types.NamespacedName, alive types.UID) (left bool, err error) {
	for _, uid := range r.Queue.Runs(key.String()) {
		if uid == alive {
			continue
		}
		var pods corev1.PodList
		if err := r.Client.List(ctx, &pods, client.InNamespace(key.Namespace), client.MatchingFields{indexRun: string(uid)}); err != nil {
			return true, fmt.Errorf("listing the pods of a run that has ended: %w", err)
		}
		rest, err := r.madeByRuns(ctx, pods.Items)
		if err != nil {
			return true, err
		}
		if len(rest) > 0 {
			left = true
			continue
		}
		r.Queue.Forget(uid)
		r.Queue.Release(uid)
		r.quotas.forget(uid)
		r.wakeWaiting(key.Namespace)
		if err := r.wakeAll(ctx); err != nil {
			return left, err
		}
	}
	return left, nil
}

// madeByRuns are those of some pods that belong to runs.
func (r nodeQueue) madeByRuns(ctx context.Context, pods []corev1.Pod) (out []corev1.Pod, err error) {
	for _, p := range pods {
		is, err := r.madeByRun(ctx, p)
		if err != nil {
			return nil, err
		}
		if is {
			out = append(out, p)
		}
	}
	return out, nil
}

// madeByRun says whether a pod is of a Job or a StatefulSet of the run whose label it bears. Whoever
// may create pods can give one this label, and would hold the nodes of the run by it for ever. Of an
// owner that is gone, Kubernetes removes the pods.
func (r nodeQueue) madeByRun(ctx context.Context, p corev1.Pod) (bool, error) {
	owner := metav1.GetControllerOf(&p)
	if owner == nil {
		return false, nil
	}
	var of client.Object
	switch owner.Kind {
	case "Job":
		of = &batchv1.Job{}
	case "StatefulSet":
		of = &appsv1.StatefulSet{}
	default:
		return false, nil
	}
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: p.Namespace, Name: owner.Name}, of)
	switch {
	case client.IgnoreNotFound(err) != nil:
		return false, fmt.Errorf("reading what made the pod %s: %w", p.Name, err)
	case err != nil || of.GetUID() != owner.UID:
		return true, nil
	}
	run := metav1.GetControllerOf(of)
	return run != nil && string(run.UID) == p.Labels[v1alpha1.LabelRunUID], nil
}

// wakeNext lets the runs that can have their nodes now be looked at.
func (r nodeQueue) wakeNext(nodes []corev1.Node) {
	for _, uid := range r.Queue.Next(nodes, r.Clock.Now()) {
		if name, waits := r.Queue.Waiting(uid); waits {
			r.wakeRun(name)
		}
	}
}

// wakeRun of a name, as requests have it.
func (r nodeQueue) wakeRun(name string) {
	run := &v1alpha1.BenchmarkRun{}
	run.Namespace, run.Name, _ = strings.Cut(name, "/")
	// The channel's reader may wait for this very worker.
	go func() { r.wake <- event.GenericEvent{Object: run} }()
}

// The queue knows how many bytes of etcd the results of each run take, as it knows the nodes: from the
// statuses of the runs when the manager starts, and from every pass after that. So two runs that are
// placed side by side do not get the same room.

// admit a run with the bytes of its results, beside what the others hold.
func (r nodeQueue) admit(ctx context.Context, run *v1alpha1.BenchmarkRun, q decision.AdmitBytes) (decision.Admission, error) {
	if err := r.recall(ctx); err != nil {
		return decision.Admission{}, err
	}
	b := r.Config.Results.Budget
	limits := queue.Limits{Bytes: b.Namespace.Value(), AllBytes: b.Cluster.Value()}
	namespace, all := r.Queue.Admit(queue.Kept{UID: run.UID, Name: run.Namespace + "/" + run.Name, Bytes: q.Held}, q.Bytes, limits)
	return decision.Admission{
		Namespace: decision.Usage{Held: namespace, Limit: limits.Bytes}, Cluster: decision.Usage{Held: all, Limit: limits.AllBytes},
	}, nil
}

// keepResults of a run that takes only what it holds: one that has ended, is suspended without nodes,
// or has given them back.
func (r nodeQueue) keepResults(ctx context.Context, run *v1alpha1.BenchmarkRun) error {
	return r.update(ctx, func() bool { return r.Queue.Keep(accept.Kept(run)) })
}

// dropResults of the runs of a name that were deleted. The run that exists keeps its own.
func (r nodeQueue) dropResults(ctx context.Context, name types.NamespacedName, exists types.UID) error {
	if !r.Queue.Drop(name.String(), exists) {
		return nil
	}
	return r.wakeAll(ctx)
}

// queuePoll is how often a queued run is looked at although nobody woke it: nodes
// may have been added.
const queuePoll = time.Minute
