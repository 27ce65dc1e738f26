package benchmarkrun

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment/placement"
	"github.com/assay-bench/assay/internal/experiment/queue"
	"github.com/assay-bench/assay/internal/experiment/quota"
)

// quotas of namespaces are asked before the queue of nodes: a run that they have no room for takes no node, and is not in the queue.
type quotas struct {
	// mu is held while a run is given its nodes: the next one has to know what that one will need.
	mu sync.Mutex
	// given are runs that got nodes, which the cache may not know yet; waiting are those that a quota has no room for.
	given, waiting map[types.UID]claim
}

// claim of a run on the quotas of its namespace.
type claim struct {
	namespace string
	request   queue.Request
	demand    quota.Demand
}

// forget a run that wants no pods now.
func (q *quotas) forget(uid types.UID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.given, uid)
	delete(q.waiting, uid)
}

// askWithin the quotas of its namespace for the nodes of a run. Where they do not let it be now, or ever, the answer says so, and the run
// leaves the queue.
func (r nodeQueue) askWithin(ctx context.Context, run *v1alpha1.BenchmarkRun, req queue.Request, placeholders []corev1.Pod, nodes []corev1.Node, now time.Time) (placement.Answer, error) {
	q := &r.quotas
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.given == nil {
		q.given, q.waiting = map[types.UID]claim{}, map[types.UID]claim{}
	}
	found, err := quotasOf(ctx, r.Live, run.Namespace)
	if err != nil {
		return placement.Answer{}, err
	}
	delete(q.waiting, run.UID)
	delete(q.given, run.UID)
	own := claim{namespace: run.Namespace, request: req}
	if len(found) == 0 { // none, or the manager may not look
		return r.Queue.Ask(own.request, nodes, now), nil
	}
	own.demand = quota.Of(run, r.Config.Pods, false)
	if exceeds := own.demand.Exceeds(found); len(exceeds) > 0 {
		r.Queue.Forget(run.UID)
		return placement.Answer{Reason: v1alpha1.ReasonQuotaExceeded, Message: quota.Sentence(exceeds)}, nil
	}
	with, before, err := r.othersOf(ctx, run, own)
	if err != nil {
		return placement.Answer{}, err
	}
	if full := own.demand.Waits(found, placeholders, with, before); len(full) > 0 {
		q.waiting[run.UID] = own
		r.Queue.Forget(run.UID)
		r.Queue.Release(run.UID) // it may have been granted some in a pass whose status was not written
		r.wakeNext(nodes)        // those behind it
		return placement.Answer{Reason: v1alpha1.ReasonQueued, Message: quota.Sentence(full)}, nil
	}
	answer := r.Queue.Ask(own.request, nodes, now)
	if answer.Reason == "" || answer.Reason == v1alpha1.ReasonProvisioningNodes && !req.Barred {
		q.given[run.UID] = own
	}
	return answer, nil
}

// othersOf the namespace: runs that have nodes, and those in front that wait for a quota. What is no longer true of them is forgotten.
func (r nodeQueue) othersOf(ctx context.Context, run *v1alpha1.BenchmarkRun, own claim) (with []quota.Taking, before []quota.Demand, err error) {
	var runs v1alpha1.BenchmarkRunList
	if err := r.Client.List(ctx, &runs, client.InNamespace(run.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, nil, fmt.Errorf("listing the runs: %w", err)
	}
	// Only that a run has nodes, or has ended, is believed of the cache: it may not know yet that one was accepted or resumed.
	alive := map[types.UID]bool{}
	for i := range runs.Items {
		o := &runs.Items[i]
		_, outgrew := r.outgrew.Load(o.UID)
		if o.Finished() || !o.DeletionTimestamp.IsZero() || outgrew { // its pods count where they are left
			continue
		}
		alive[o.UID] = true
		claim, given := r.quotas.given[o.UID]
		switch {
		case o.UID == run.UID:
		case o.Status.Placement != nil:
			t, err := r.taking(ctx, o)
			if err != nil {
				return nil, nil, err
			}
			with = append(with, t)
		case given:
			t := quota.Taking{Demand: claim.demand} // and its placeholders
			if t.Pods, err = r.podsOf(ctx, o); err != nil {
				return nil, nil, err
			}
			with = append(with, t)
		}
	}
	ended := func(uid types.UID, c claim) bool { return c.namespace == run.Namespace && !alive[uid] }
	maps.DeleteFunc(r.quotas.given, ended)
	maps.DeleteFunc(r.quotas.waiting, ended)
	for uid, c := range r.quotas.waiting {
		if c.namespace == run.Namespace && uid != run.UID && c.request.Before(own.request) {
			before = append(before, c.demand)
		}
	}
	return with, before, nil
}

// taking is a run with nodes, and what exists of it.
func (r nodeQueue) taking(ctx context.Context, run *v1alpha1.BenchmarkRun) (quota.Taking, error) {
	pods, err := r.podsOf(ctx, run)
	if err != nil {
		return quota.Taking{}, err
	}
	var sets appsv1.StatefulSetList
	if err := r.Client.List(ctx, &sets, client.InNamespace(run.Namespace), client.MatchingFields{indexRun: string(run.UID)}, client.UnsafeDisableDeepCopy); err != nil {
		return quota.Taking{}, fmt.Errorf("listing the objects of run %s: %w", run.Name, err)
	}
	return quota.Taking{Demand: quota.Of(run, r.Config.Pods, false), Pods: pods, Sets: sets.Items}, nil
}

// podsOf a run, as the cache knows them.
func (r nodeQueue) podsOf(ctx context.Context, run *v1alpha1.BenchmarkRun) ([]corev1.Pod, error) {
	var pods corev1.PodList
	if err := r.Client.List(ctx, &pods, client.InNamespace(run.Namespace), client.MatchingFields{indexRun: string(run.UID)}, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing the pods of run %s: %w", run.Name, err)
	}
	return pods.Items, nil
}

// wakeWaiting lets the runs of a namespace be looked at that wait for a quota: one that has ended leaves room in it.
func (r nodeQueue) wakeWaiting(namespace string) {
	r.quotas.mu.Lock()
	defer r.quotas.mu.Unlock()
	for _, c := range r.quotas.waiting {
		if c.namespace == namespace {
			r.wakeRun(c.request.Name)
		}
	}
}
