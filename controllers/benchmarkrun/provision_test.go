package benchmarkrun

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// onPool puts a run on nodes that do not exist, and can be made.
func onPool(pool string) func(*v1alpha1.BenchmarkRun) {
	return func(r *v1alpha1.BenchmarkRun) {
		for _, shape := range []*v1alpha1.ShapeRef{r.Spec.Targets[0].Shape, r.Spec.Clients.Shape} {
			*shape = inline(pool)
			shape.Inline.Nodes, shape.Inline.ProvisionWithin = v1alpha1.NodesProvisioned, &metav1.Duration{Duration: 10 * time.Minute}
		}
	}
}

// playAutoscaler makes nodes of a pool for the pods of a namespace that are pending, at most so many; about the others it says so. It makes
// none for pods that take what was requested, which playRequests does.
func playAutoscaler(t *testing.T, namespace, pool string, most int) {
	t.Helper()
	made := 0
	playScaler(t, func(ctx context.Context) error {
		var pods corev1.PodList
		err := server.API.List(ctx, &pods, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RolePlaceholder})
		for i := range pods.Items {
			switch pod := &pods.Items[i]; {
			case err != nil || pod.Spec.NodeName != "" || !pod.DeletionTimestamp.IsZero() || pod.Annotations[takes] != "":
			case made < most:
				made++
				err = bindToNewNode(ctx, pod, fmt.Sprintf("%s-%d", pool, made), pool)
			default:
				err = client.IgnoreAlreadyExists(server.API.Create(ctx, refusal(pod)))
			}
		}
		return err
	}, func() (nodes []string) {
		for i := range made {
			nodes = append(nodes, fmt.Sprintf("%s-%d", pool, i+1))
		}
		return nodes
	})
}

// playScaler looks again and again until the test ends, and then takes the nodes away that it has made.
func playScaler(t *testing.T, look func(context.Context) error, made func() []string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			if err := look(ctx); err != nil && ctx.Err() == nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
				t.Errorf("the played autoscaler: %v", err)
				return
			}
			select {
			case <-time.After(50 * time.Millisecond):
			case <-ctx.Done():
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		for _, node := range made() {
			_ = server.API.Delete(context.Background(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node}})
		}
	})
}

// takes is the annotation of a pod with the request whose nodes it takes.
const takes = "autoscaling.x-k8s.io/consume-provisioning-request"

func bindToNewNode(ctx context.Context, pod *corev1.Pod, name, pool string) error {
	if err := makeNode(ctx, name, pool); err != nil {
		return err
	}
	return bind(ctx, pod, name)
}

func bind(ctx context.Context, pod *corev1.Pod, node string) error {
	return server.API.SubResource("binding").Create(ctx, pod, &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: node}})
}

func makeNode(ctx context.Context, name, pool string) error {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kind": pool}}}
	if err := server.API.Create(ctx, n); err != nil {
		return err
	}
	n.Status = corev1.NodeStatus{
		Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("8Gi")},
	}
	err := server.API.Status().Update(ctx, n)
	n.Spec.Taints = nil
	return errors.Join(err, server.API.Update(ctx, n))
}

// refusal of the autoscaler, as it writes one.
func refusal(pod *corev1.Pod) *corev1.Event {
	return &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name + ".refused"},
		InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Source:         corev1.EventSource{Component: "cluster-autoscaler"}, Type: corev1.EventTypeNormal, Reason: "NotTriggerScaleUp",
		Message: "pod didn't trigger scale-up: 1 max node group size reached", LastTimestamp: metav1.Now(),
	}
}

// placeholders are the names of the Jobs that keep places in a namespace.
func placeholders(t *testing.T, namespace string) (names []string) {
	t.Helper()
	var jobs batchv1.JobList
	if err := server.API.List(t.Context(), &jobs, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RolePlaceholder}); err != nil {
		t.Fatal(err)
	}
	for i := range jobs.Items {
		if jobs.Items[i].DeletionTimestamp.IsZero() {
			names = append(names, jobs.Items[i].Name)
		}
	}
	slices.Sort(names)
	return names
}

func waitsForNodes(r *v1alpha1.BenchmarkRun) bool {
	c := apimeta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionPlaced)
	return c != nil && c.Reason == v1alpha1.ReasonProvisioningNodes
}

// A run on a pool without nodes gets them from an autoscaler, each pod its own, and leaves no placeholder.
func TestNodesAreProvisioned(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	playAutoscaler(t, ns, ns, 2)
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns})
	run := newRun(t, ns, onPool(ns))
	create(t, run)
	await(t, run, "waiting for its nodes", waitsForNodes)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 3)
	if p := got.Status.Placement; p.Targets[0].NodeName == p.ClientNodeNames[0] || !strings.HasPrefix(p.Targets[0].NodeName, ns) {
		t.Errorf("placement %+v", p)
	}
	if left := placeholders(t, ns); len(left) > 0 {
		t.Errorf("placeholders are left: %v", left)
	}
}

// Of two runs on a pool without nodes the second one waits, and measures on the nodes of the first.
func TestTwoRunsOfAPoolWithoutNodes(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	seen := watchCrowd(t, ns)
	playAutoscaler(t, ns, ns, 2)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns})
	runs := []*v1alpha1.BenchmarkRun{newRun(t, ns, named("one", 0), onPool(ns)), newRun(t, ns, named("two", 0), onPool(ns))}
	for _, run := range runs {
		create(t, run)
		time.Sleep(1100 * time.Millisecond) // ages are in whole seconds
	}
	for _, run := range runs {
		await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	}
	seen.check(t, "one", "two")
	if left := placeholders(t, ns); len(left) > 0 {
		t.Errorf("placeholders are left: %v", left)
	}
}

// later is a clock that is ahead.
type later struct{ clock.RealClock }

func (later) Now() time.Time { return time.Now().Add(11 * time.Minute) }

// A run whose nodes are not made ends in time with the words of the autoscaler, and leaves no placeholder. A run that is suspended
// meanwhile leaves none either, and asks again.
func TestNodesAreNotProvisioned(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	kill := startManager(t, ns, nil)
	playAutoscaler(t, ns, ns, 1)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns})
	run := newRun(t, ns, onPool(ns), func(r *v1alpha1.BenchmarkRun) { r.Spec.Retain = v1alpha1.RetainAlways })
	create(t, run)
	const says = "cluster-autoscaler says NotTriggerScaleUp: pod didn't trigger scale-up: 1 max node group size reached"
	refused := func(r *v1alpha1.BenchmarkRun) bool {
		return waitsForNodes(r) && strings.Contains(messageOf(r, v1alpha1.ConditionPlaced), says)
	}
	await(t, run, "waiting for its nodes", waitsForNodes)
	patch(t, run, `"suspend":true`)
	await(t, run, "suspended", func(r *v1alpha1.BenchmarkRun) bool {
		return r.Status.Phase == v1alpha1.PhaseSuspended && len(placeholders(t, ns)) == 0
	})
	patch(t, run, `"suspend":false`)
	await(t, run, "waiting for its nodes", waitsForNodes)
	kill()
	kill = startManager(t, ns, nil, func(r *Reconciler) { r.Config.Timeouts.Queue.Duration = time.Hour })
	if got := await(t, run, "told why", refused); !strings.Contains(messageOf(got, v1alpha1.ConditionPlaced), "of 2 placeholder pods have a node") {
		t.Errorf("message %q", messageOf(got, v1alpha1.ConditionPlaced))
	}
	kill()
	startManager(t, ns, nil, func(r *Reconciler) { r.Clock = later{} })
	got := failedWith(t, run, v1alpha1.ReasonNodesNotProvisioned)
	if m := message(got); !strings.Contains(m, "no nodes were made within 10m0s (provisionWithin of the shape)") || !strings.Contains(m, says) {
		t.Errorf("message %q", m)
	}
	if left := placeholders(t, ns); len(left) > 0 {
		t.Errorf("placeholders are left: %v", left)
	}
}
