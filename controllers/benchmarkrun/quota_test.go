package benchmarkrun

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// quotaOf a namespace. Its status is that which a controller gives it in a cluster.
func quotaOf(t *testing.T, namespace string, name corev1.ResourceName, hard, used string) *corev1.ResourceQuota {
	t.Helper()
	q := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "team"}}
	q.Spec.Hard = corev1.ResourceList{name: resource.MustParse(hard)}
	if err := server.API.Create(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	counted(t, q, used)
	return q
}

// counted sets what a quota has counted.
func counted(t *testing.T, q *corev1.ResourceQuota, used string) {
	t.Helper()
	q.Status = corev1.ResourceQuotaStatus{Hard: q.Spec.Hard, Used: corev1.ResourceList{}}
	for name := range q.Spec.Hard {
		q.Status.Used[name] = resource.MustParse(used)
	}
	if err := server.API.Status().Update(t.Context(), q); err != nil {
		t.Fatal(err)
	}
}

// A run that a quota or a limit range of its namespace can never let be fails before it has nodes, and says what does not fit.
func TestRunBeyondTheBoundsOfItsNamespace(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		bound  func(t *testing.T, ns string)
		reason string
		words  []string
	}{
		"quota": {
			func(t *testing.T, ns string) { quotaOf(t, ns, corev1.ResourceRequestsCPU, "1", "0") },
			v1alpha1.ReasonQuotaExceeded, []string{"ResourceQuota team: requests.cpu: the run needs ", "target db ", "1 client ", "and 1 is allowed", "have the quota raised"},
		},
		"limit range": {
			func(t *testing.T, ns string) {
				l := &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "small"}}
				l.Spec.Limits = []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, Max: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("100Mi")}}}
				if err := server.API.Create(t.Context(), l); err != nil {
					t.Fatal(err)
				}
			},
			v1alpha1.ReasonOutsideLimitRange, []string{"LimitRange small: container server in a pod of target db: memory is ", "at most 100Mi is allowed (max)", "have the LimitRange changed"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := server.Namespace(t)
			tt.bound(t, ns)
			startManager(t, ns, nil)
			run := newRun(t, ns)
			create(t, run)
			got := await(t, run, "Failed", isTrue(v1alpha1.ConditionFailed))
			c := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionFailed)
			for _, w := range tt.words {
				if c.Reason != tt.reason || !strings.Contains(c.Message, w) {
					t.Errorf("%s: %s, want %s: %s", c.Reason, c.Message, tt.reason, w)
				}
			}
			if got.Status.Placement != nil || got.Status.StartTime != nil || len(children(t, ns)["StatefulSet"]) > 0 {
				t.Errorf("it had nodes: %+v, objects %v", got.Status.Placement, children(t, ns))
			}
		})
	}
}

// A run for which a quota has no room now waits without nodes, and lets others have them. It is looked at when another run has ended.
func TestRunWaitsForAQuota(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	q := quotaOf(t, ns, corev1.ResourceRequestsStorage, "15Gi", "0")
	startManager(t, ns, nil)
	play, open := gatedClient(t, delivers(always(1)))
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: play})
	first, second, small := newRun(t, ns, named("first", 0), stores("10Gi")), newRun(t, ns, named("second", 0), stores("10Gi")), newRun(t, ns, named("small", 0), stores("5Gi"))
	create(t, first)
	await(t, first, "measuring", measures)
	create(t, second)
	// The quota has counted nothing, but the first run needs its volume.
	got := queuedBehind(t, second, "ResourceQuota team: requests.storage: the run needs 10Gi, and of 15Gi others have or wait for 10Gi")
	if got.Status.Placement != nil || len(children(t, ns)["StatefulSet"]) != 1 {
		t.Errorf("it has nodes: %+v, objects %v", got.Status.Placement, children(t, ns))
	}
	time.Sleep(1100 * time.Millisecond) // ages are in whole seconds
	create(t, small)
	queuedBehind(t, small, "the run needs 5Gi, and of 15Gi others have or wait for 20Gi") // it would fit, and the second one never would then
	counted(t, q, "11Gi")
	open()
	await(t, first, "Complete", isTrue(v1alpha1.ConditionComplete))
	queuedBehind(t, second, "and of 15Gi others have or wait for 11Gi") // it was looked at when the other one ended
	counted(t, q, "0")
	patch(t, second, `"priority":1`)
	await(t, second, "Complete", isTrue(v1alpha1.ConditionComplete))
	await(t, small, "Complete", isTrue(v1alpha1.ConditionComplete))
}

// stores data of a size on a volume, and shares its nodes.
func stores(size string) func(*v1alpha1.BenchmarkRun) {
	return func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Exclusive = new(false)
		r.Spec.Targets[0].MySQL.Storage = v1alpha1.Storage{Medium: v1alpha1.MediumVolume, Size: resource.MustParse(size)}
	}
}

// forgetful is a cache that lags behind: it knows of no run that it was accepted, and has nodes.
type forgetful struct{ client.Client }

func (f forgetful) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	err := f.Client.List(ctx, list, opts...)
	if runs, is := list.(*v1alpha1.BenchmarkRunList); is {
		for i := range runs.Items {
			runs.Items[i].Status = v1alpha1.BenchmarkRunStatus{}
		}
	}
	return err
}

// Of runs that are created at one instant, no more get nodes than a quota has room for, although it has counted nothing yet, and the cache
// lags behind; and one whose quota became too small while it waited fails.
func TestManyRunsOfOneQuota(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	q := quotaOf(t, ns, corev1.ResourceRequestsCPU, "5", "0")
	startManager(t, ns, func(c client.Client) client.Client { return forgetful{c} }, func(r *Reconciler) { r.Workers = 6 })
	needsTwo := func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Exclusive = new(false)
		r.Spec.Targets[0].Shape.Inline.CPU, r.Spec.Clients.Shape.Inline.CPU = resource.MustParse("1"), resource.MustParse("750m") // and the agent
	}
	var all []*v1alpha1.BenchmarkRun
	for i := range 6 {
		all = append(all, newRun(t, ns, named(fmt.Sprint("run-", i), 0), needsTwo))
	}
	var creating sync.WaitGroup
	for _, run := range all {
		creating.Go(func() { create(t, run) })
	}
	creating.Wait()
	var placed, queued []*v1alpha1.BenchmarkRun
	for _, run := range all {
		got := await(t, run, "asked for its nodes", func(r *v1alpha1.BenchmarkRun) bool {
			return r.Status.Placement != nil || r.Status.Phase == v1alpha1.PhaseQueued
		})
		if got.Status.Placement != nil {
			placed = append(placed, run)
		} else {
			queued = append(queued, run)
		}
	}
	if len(placed) != 2 {
		t.Fatalf("%d runs have nodes, and the quota has room for 2", len(placed))
	}
	if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(q), q); err != nil {
		t.Fatal(err)
	}
	q.Spec.Hard[corev1.ResourceRequestsCPU] = resource.MustParse("1")
	if err := server.API.Update(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	patch(t, queued[0], `"priority":1`)
	failedWith(t, queued[0], v1alpha1.ReasonQuotaExceeded)
}
