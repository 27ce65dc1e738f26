package benchmarkrun

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// targetPods are the database pods of a namespace, seen from watching every change.
type targetPods struct {
	mu sync.Mutex
	// up are those that exist.
	up []string
	// most that existed at once.
	most int
	// nodes on which each was created, in order.
	nodes map[string][]string
}

func (p *targetPods) see(e watch.Event) {
	pod := e.Object.(*corev1.Pod)
	if pod.Labels[v1alpha1.LabelRole] != v1alpha1.RoleTarget {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	target := pod.Labels[v1alpha1.LabelTarget]
	switch e.Type {
	case watch.Added:
		p.up = append(p.up, target)
		p.most = max(p.most, len(p.up))
		p.nodes[target] = append(p.nodes[target], pod.Spec.NodeName)
	case watch.Deleted:
		p.up = slices.DeleteFunc(p.up, func(t string) bool { return t == target })
	}
}

// readiness is the statuses that the condition TargetsReady of a run went through.
type readiness struct {
	mu  sync.Mutex
	was []metav1.ConditionStatus
}

func (r *readiness) see(e watch.Event) {
	c := apimeta.FindStatusCondition(e.Object.(*v1alpha1.BenchmarkRun).Status.Conditions, v1alpha1.ConditionTargetsReady)
	if c == nil || c.Status == metav1.ConditionUnknown {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.was = slices.Compact(append(r.was, c.Status))
}

func TestIdleTargetsAreStopped(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	ready := &readiness{}
	watchAll(t, ns, &v1alpha1.BenchmarkRunList{}, ready.see)
	startManager(t, ns, nil)
	pods := &targetPods{nodes: map[string][]string{}}
	watchAll(t, ns, &corev1.PodList{}, pods.see)
	good := delivers(always(5))
	var before, during sync.Map
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Linger: 300 * time.Millisecond, Client: func(trial contract.Trial) *contract.Result {
		var list corev1.PodList
		if err := server.API.List(t.Context(), &list, client.InNamespace(ns), client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleTarget}); err != nil {
			t.Errorf("listing pods: %v", err)
		}
		if len(list.Items) != 1 || list.Items[0].Labels[v1alpha1.LabelTarget] != trial.Ref.Target {
			t.Errorf("%s of %s began with %d databases", trial.Ref.Phase, trial.Ref.Target, len(list.Items))
		}
		claims := &before
		if trial.Ref.Phase == string(contract.PhaseRun) {
			claims = &during
		}
		set := &appsv1.StatefulSet{}
		if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: contract.TargetName("run", trial.Ref.Target)}, set); err != nil {
			t.Errorf("reading the StatefulSet: %v", err)
		}
		claims.Store(trial.Ref.Target, set.Spec)
		return good(trial)
	}})
	run := newRun(t, ns, alsoTarget("other"), func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Design.Blocks, r.Spec.Design.Order, r.Spec.Design.IdleTargets = 2, v1alpha1.OrderABBA, v1alpha1.IdleStopped
	})
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 4)
	pods.mu.Lock()
	defer pods.mu.Unlock()
	if pods.most != 1 {
		t.Errorf("%d databases were there at once", pods.most)
	}
	// db is loaded, measured first, and measured last; other is loaded, then measured twice.
	want := map[string][]string{}
	for _, p := range got.Status.Placement.Targets {
		want[p.Name] = slices.Repeat([]string{p.NodeName}, map[string]int{"db": 3, "other": 2}[p.Name])
	}
	if diff := cmp.Diff(want, pods.nodes); diff != "" {
		t.Errorf("nodes on which the databases were created (-want +got):\n%s", diff)
	}
	for _, target := range []string{"db", "other"} {
		a, _ := before.Load(target)
		b, _ := during.Load(target)
		first, last := a.(appsv1.StatefulSetSpec), b.(appsv1.StatefulSetSpec)
		if diff := cmp.Diff(first, last); diff != "" || len(first.VolumeClaimTemplates) != 1 {
			t.Errorf("the StatefulSet of %s changed (%d volume claims) (-at load +at trial):\n%s", target, len(first.VolumeClaimTemplates), diff)
		}
		if p := first.PersistentVolumeClaimRetentionPolicy; p != nil && p.WhenScaled != appsv1.RetainPersistentVolumeClaimRetentionPolicyType {
			t.Errorf("the volume of %s goes when it is stopped: %+v", target, p)
		}
	}
	ready.mu.Lock()
	defer ready.mu.Unlock()
	// That another target is brought up for its turn is no loss of readiness.
	if diff := cmp.Diff([]metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionTrue}, ready.was); diff != "" {
		t.Errorf("TargetsReady went through (-want +got):\n%s", diff)
	}
}
