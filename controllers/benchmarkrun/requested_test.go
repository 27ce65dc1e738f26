package benchmarkrun

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/autoscaler"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

const atomicScaleUp = "best-effort-atomic-scale-up.autoscaling.x-k8s.io"

// requesting has the nodes of a run made by ProvisioningRequests: one for its target, and one for its client, which is larger by the agent.
func requesting(r *v1alpha1.BenchmarkRun) {
	for _, shape := range []*v1alpha1.ShapeRef{r.Spec.Targets[0].Shape, r.Spec.Clients.Shape} {
		shape.Inline.Nodes, shape.Inline.ProvisioningClass = v1alpha1.NodesProvisioned, atomicScaleUp
	}
}

// requested is what there is of requests for nodes in a namespace: ProvisioningRequests and PodTemplates.
func requested(t *testing.T, namespace string) (names []string) {
	t.Helper()
	requests, err := autoscaler.Requests(t.Context(), server.API, namespace)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range requests {
		names = append(names, r.GetKind()+" "+r.GetName())
	}
	var templates corev1.PodTemplateList
	if err := server.API.List(t.Context(), &templates, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	for _, p := range templates.Items {
		names = append(names, "PodTemplate "+p.Name)
	}
	return names
}

// checkNothingAsks: no placeholder, no request and no template of one is left.
func checkNothingAsks(t *testing.T, namespace string) {
	t.Helper()
	if left := append(placeholders(t, namespace), requested(t, namespace)...); len(left) > 0 {
		t.Errorf("these are left: %v", left)
	}
}

// awaitRequest of a run by its name, other than one before.
func awaitRequest(t *testing.T, run *v1alpha1.BenchmarkRun, name string, before *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	var found *unstructured.Unstructured
	await(t, run, "asking by ProvisioningRequest "+name, func(*v1alpha1.BenchmarkRun) bool {
		requests, err := autoscaler.Requests(t.Context(), server.API, run.Namespace)
		for i := range requests {
			if r := &requests[i]; err == nil && r.GetName() == name && (before == nil || r.GetUID() != before.GetUID()) {
				found = r
			}
		}
		return found != nil
	})
	return found
}

func autoscalerSays(t *testing.T, request *unstructured.Unstructured, condition string, status metav1.ConditionStatus, reason, message string) {
	t.Helper()
	if err := autoscaler.Answer(t.Context(), server.API, request, metav1.Condition{Type: condition, Status: status, Reason: reason, Message: message}); err != nil {
		t.Fatal(err)
	}
}

// playRequests makes the nodes that are requested in a namespace, and places the pods that take them, until the test ends.
func playRequests(t *testing.T, namespace string) {
	t.Helper()
	autoscaler.API.Install(t, server.Config)
	made := map[string]bool{}
	playScaler(t, func(ctx context.Context) error {
		requests, err := autoscaler.Requests(ctx, server.API, namespace)
		for i := range requests {
			if r := &requests[i]; err == nil && r.GetDeletionTimestamp() == nil {
				err = makeRequested(ctx, r, made)
			}
		}
		return errors.Join(err, placeTakers(ctx, namespace, made))
	}, func() []string { return slices.Collect(maps.Keys(made)) })
}

// makeRequested makes the nodes of a request, and answers it: the templates are there before it is, and one group of nodes has to hold all of its pods.
func makeRequested(ctx context.Context, request *unstructured.Unstructured, made map[string]bool) error {
	sets, _, _ := unstructured.NestedSlice(request.Object, "spec", "podSets")
	pools, count := map[string]bool{}, int64(0)
	for _, s := range sets {
		name, _, _ := unstructured.NestedString(s.(map[string]any), "podTemplateRef", "name")
		template := &corev1.PodTemplate{}
		if err := server.API.Get(ctx, client.ObjectKey{Namespace: request.GetNamespace(), Name: name}, template); err != nil {
			return fmt.Errorf("the PodTemplate of a request: %w", err)
		}
		pools[template.Template.Spec.NodeSelector["kind"]] = true
		count += s.(map[string]any)["count"].(int64)
	}
	if len(pools) != 1 {
		return autoscaler.Answer(ctx, server.API, request, metav1.Condition{
			Type: "Provisioned", Status: metav1.ConditionFalse, Reason: "CapacityIsNotFound", Message: "no group of nodes holds all pods",
		})
	}
	for pool := range pools {
		for i := range count {
			node := fmt.Sprintf("%s-%s-%d", request.GetNamespace(), request.GetName(), i)
			if made[node] {
				continue
			}
			if err := makeNode(ctx, node, pool); err != nil {
				return err
			}
			made[node] = true
		}
	}
	if _, answered := request.Object["status"]; answered {
		return nil
	}
	return autoscaler.Answer(ctx, server.API, request, metav1.Condition{
		Type: "Provisioned", Status: metav1.ConditionTrue, Reason: "CapacityIsProvisioned", Message: "Capacity is found in the cluster",
	})
}

// placeTakers puts each pod that takes what was requested on a node that was made for its request.
func placeTakers(ctx context.Context, namespace string, made map[string]bool) error {
	var pods corev1.PodList
	if err := server.API.List(ctx, &pods, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RolePlaceholder}); err != nil {
		return err
	}
	taken := map[string]bool{}
	for _, pod := range pods.Items {
		taken[pod.Spec.NodeName] = true
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.Spec.NodeName != "" || !pod.DeletionTimestamp.IsZero() || pod.Annotations[takes] == "" {
			continue
		}
		for n := range len(made) {
			node := fmt.Sprintf("%s-%s-%d", namespace, pod.Annotations[takes], n)
			if !made[node] || taken[node] {
				continue
			}
			if err := bind(ctx, pod, node); err != nil {
				return err
			}
			taken[node] = true
			break
		}
	}
	return nil
}

// The nodes of each pool are requested together; the placeholders come when all of them are provisioned, and take them.
func TestNodesAreRequested(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	autoscaler.API.Install(t, server.Config)
	startManager(t, ns, nil)
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns})
	run := newRun(t, ns, onPool(ns), requesting)
	create(t, run)
	ofTarget, ofClient := awaitRequest(t, run, "run-place-db", nil), awaitRequest(t, run, "run-place", nil)
	for _, request := range []*unstructured.Unstructured{ofTarget, ofClient} {
		want := map[string]any{
			"provisioningClassName": atomicScaleUp, "parameters": map[string]any{"ValidUntilSeconds": "900"},
			"podSets": []any{map[string]any{"podTemplateRef": map[string]any{"name": request.GetName()}, "count": int64(1)}},
		}
		if diff := cmp.Diff(want, request.Object["spec"]); diff != "" {
			t.Errorf("request %s differs (-want +got):\n%s", request.GetName(), diff)
		}
	}
	checkTemplates(t, run, ns)

	const says = "ProvisioningRequest run-place-db is not Provisioned: CapacityIsNotFound: Capacity is not found, CA will try to find it later."
	autoscalerSays(t, ofTarget, "Provisioned", metav1.ConditionFalse, "CapacityIsNotFound", "Capacity is not found, CA will try to find it later.")
	autoscalerSays(t, ofClient, "Provisioned", metav1.ConditionTrue, "CapacityIsProvisioned", "Capacity is found in the cluster")
	await(t, run, "told why", func(r *v1alpha1.BenchmarkRun) bool {
		return waitsForNodes(r) && strings.Contains(messageOf(r, v1alpha1.ConditionPlaced), says)
	})
	if early := placeholders(t, ns); len(early) > 0 {
		t.Errorf("placeholders before all is provisioned: %v", early)
	}
	autoscalerSays(t, ofTarget, "Provisioned", metav1.ConditionTrue, "CapacityIsProvisioned", "Capacity is found in the cluster")
	await(t, run, "with placeholders", func(*v1alpha1.BenchmarkRun) bool { return len(placeholders(t, ns)) == 2 })
	for name, request := range map[string]string{"run-place-0": "run-place-db", "run-place-1": "run-place"} {
		job := &batchv1.Job{}
		if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: name}, job); err != nil {
			t.Fatal(err)
		}
		if a := job.Spec.Template.Annotations; a[takes] != request || a["autoscaling.x-k8s.io/provisioning-class-name"] != atomicScaleUp {
			t.Errorf("placeholder %s takes what was not provisioned for it: %v", name, a)
		}
	}
	playRequests(t, ns)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 3)
	checkNothingAsks(t, ns)
}

// checkTemplates: there is one for each pod, for its nodes, and it belongs to the run.
func checkTemplates(t *testing.T, run *v1alpha1.BenchmarkRun, pool string) {
	t.Helper()
	now := &v1alpha1.BenchmarkRun{}
	if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(run), now); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"run-place-db", "run-place"} {
		template := &corev1.PodTemplate{}
		if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: run.Namespace, Name: name}, template); err != nil {
			t.Fatal(err)
		}
		if got := template.Template.Spec.NodeSelector["kind"]; got != pool || !metav1.IsControlledBy(template, now) {
			t.Errorf("PodTemplate %s is for nodes of %q and has the owners %v", name, got, template.OwnerReferences)
		}
	}
}

// A request that fails ends the run with the words of the autoscaler.
func TestNodesAreRefused(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	autoscaler.API.Install(t, server.Config)
	startManager(t, ns, nil)
	run := newRun(t, ns, onPool(ns), requesting)
	create(t, run)
	autoscalerSays(t, awaitRequest(t, run, "run-place-db", nil), "Failed", metav1.ConditionTrue, "Expired", "ProvisioningRequest is expired")
	got := failedWith(t, run, v1alpha1.ReasonNodesNotProvisioned)
	if m, want := message(got), "the autoscaler makes no nodes: ProvisioningRequest run-place-db is Failed: Expired: ProvisioningRequest is expired"; m != want {
		t.Errorf("message %q, want %q", m, want)
	}
	checkNothingAsks(t, ns)
}

// A run that is suspended while its nodes are requested takes the request back, and makes another one later; one that is deleted leaves
// nothing, also where something else keeps it; and one that has waited too long ends.
func TestRequestsAreTakenBack(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	autoscaler.API.Install(t, server.Config)
	kill := startManager(t, ns, nil)
	run := newRun(t, ns, onPool(ns), requesting)
	create(t, run)
	first := awaitRequest(t, run, "run-place", nil)
	patch(t, run, `"suspend":true`)
	await(t, run, "suspended", func(r *v1alpha1.BenchmarkRun) bool {
		return r.Status.Phase == v1alpha1.PhaseSuspended && len(requested(t, ns)) == 0
	})
	patch(t, run, `"suspend":false`)
	awaitRequest(t, run, "run-place", first)
	// Nobody but the manager deletes here what belongs to a run.
	if err := server.API.Delete(t.Context(), run, client.PropagationPolicy(metav1.DeletePropagationForeground)); err != nil {
		t.Fatal(err)
	}
	await(t, run, "without a request", func(*v1alpha1.BenchmarkRun) bool { return len(requested(t, ns)) == 0 })

	late := newRun(t, ns, onPool(ns), requesting, named("late", 0))
	create(t, late)
	awaitRequest(t, late, "late-place", nil)
	kill()
	startManager(t, ns, nil, func(r *Reconciler) { r.Clock = later{} })
	got := failedWith(t, late, v1alpha1.ReasonNodesNotProvisioned)
	const want = "no nodes were made within 10m0s (provisionWithin of the shape): ProvisioningRequest late-place is not Accepted by an autoscaler yet; " +
		"ProvisioningRequest late-place-db is not Accepted by an autoscaler yet"
	if m := message(got); m != want {
		t.Errorf("message %q, want %q", m, want)
	}
	checkNothingAsks(t, ns)
}

// A request of that name which belongs to somebody else ends the run, and is left alone.
func TestForeignRequestIsLeftAlone(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	autoscaler.API.Install(t, server.Config)
	foreign := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"provisioningClassName": atomicScaleUp, "podSets": []any{map[string]any{"podTemplateRef": map[string]any{"name": "mine"}, "count": int64(1)}},
	}}}
	foreign.SetGroupVersionKind(autoscaler.Kind)
	foreign.SetNamespace(ns)
	foreign.SetName("run-place")
	if err := server.API.Create(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	startManager(t, ns, nil)
	run := newRun(t, ns, onPool(ns), requesting)
	create(t, run)
	got := failedWith(t, run, v1alpha1.ReasonChildConflict)
	if m, want := message(got), "ProvisioningRequest "+ns+"/run-place exists and does not belong to this run"; !strings.Contains(m, want) {
		t.Errorf("message %q, want %q", m, want)
	}
	if diff := cmp.Diff([]string{"ProvisioningRequest run-place"}, requested(t, ns)); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
}

// Whoever may write a template can write that it belongs to a run: nothing is requested by it.
func TestTemplateWithAForgedOwner(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	autoscaler.API.Install(t, server.Config)
	startManager(t, ns, nil)
	run := newRun(t, ns, onPool(ns), requesting, func(r *v1alpha1.BenchmarkRun) { r.Spec.Suspend = true })
	create(t, run)
	forged := &corev1.PodTemplate{ObjectMeta: metav1.ObjectMeta{
		Namespace: ns, Name: "run-place-db", OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("BenchmarkRun"))},
	}}
	forged.Template.Spec.Containers = []corev1.Container{{Name: "large", Image: "i", Resources: corev1.ResourceRequirements{
		Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")},
	}}}
	if err := server.API.Create(t.Context(), forged); err != nil {
		t.Fatal(err)
	}
	patch(t, run, `"suspend":false`)
	got := failedWith(t, run, v1alpha1.ReasonChildConflict)
	if m, want := message(got), "PodTemplate "+ns+"/run-place-db exists and does not ask for what this run needs"; !strings.Contains(m, want) {
		t.Errorf("message %q, want %q", m, want)
	}
}

// Without the API nodes cannot be requested. Other runs do not wait for the one that would, whether they need no nodes made or placeholders
// alone ask for them; and that one asks when the API is there. No other test is under way: those with the API are parallel, and wait for this one.
func TestClusterWithoutProvisioningRequests(t *testing.T) {
	ns := server.Namespace(t)
	autoscaler.API.Remove(t, server.Config)
	startManager(t, ns, nil)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns})
	quotaOf(t, ns, corev1.ResourceRequestsStorage, "15Gi", "0")
	run := newRun(t, ns, onPool(ns), requesting, stores("10Gi"))
	create(t, run)
	const want = "nodes have to be made for the run, which cannot ask for them: other runs go on meanwhile; spec.targets[0].shape: the shape has provisioningClass " + atomicScaleUp + ", and the cluster has no API autoscaling.x-k8s.io/v1 with ProvisioningRequests: " +
		"install its CRD, and let the autoscaler of the cluster follow it, or leave provisioningClass out, so that placeholder pods alone ask for the nodes"
	await(t, run, "told what is missing", func(r *v1alpha1.BenchmarkRun) bool {
		return waitsForNodes(r) && strings.HasSuffix(messageOf(r, v1alpha1.ConditionPlaced), want)
	})
	checkNothingAsks(t, ns)
	other := newRun(t, ns, requesting, named("other", 0))
	create(t, other)
	await(t, other, "Complete", isTrue(v1alpha1.ConditionComplete))
	playAutoscaler(t, ns, ns+"-other", 2)
	grown := newRun(t, ns, onPool(ns+"-other"), named("grown", 0), stores("10Gi"))
	create(t, grown)
	await(t, grown, "Complete", isTrue(v1alpha1.ConditionComplete))
	autoscaler.API.Install(t, server.Config)
	awaitRequest(t, run, "run-place", nil)
}
