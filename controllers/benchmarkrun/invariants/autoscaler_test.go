package invariants

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// requestKind is what nodes are requested by.
var requestKind = schema.GroupVersionKind{Group: "autoscaling.x-k8s.io", Version: "v1", Kind: "ProvisioningRequest"}

// requestsNodes has the nodes of the clients requested: there is none with their label.
func requestsNodes(r *v1alpha1.BenchmarkRun) {
	shape := r.Spec.Clients.Shape.Inline
	shape.NodeSelector, shape.Nodes, shape.ProvisioningClass = map[string]string{"pool": "empty"}, v1alpha1.NodesProvisioned, "check-capacity.autoscaling.x-k8s.io"
}

// requests for nodes that there are.
func requests(c *cluster) []unstructured.Unstructured {
	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(requestKind.GroupVersion().WithKind("ProvisioningRequestList"))
	return list(c, l).Items
}

// provision what is requested, whose templates are there before it is.
func (c kubelet) provision() {
	for _, request := range requests(c.cluster) {
		if _, answered := request.Object["status"]; answered {
			continue
		}
		sets, _, err := unstructured.NestedSlice(request.Object, "spec", "podSets")
		c.must(err)
		for _, s := range sets {
			name, _, err := unstructured.NestedString(s.(map[string]any), "podTemplateRef", "name")
			c.must(err)
			c.must(c.api.Get(context.Background(), client.ObjectKey{Namespace: namespace, Name: name}, &corev1.PodTemplate{}))
		}
		request.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Provisioned", "status": "True", "reason": "CapacityIsProvisioned", "message": ""}}}
		c.must(c.api.Update(context.Background(), &request))
	}
}

func isPlaceholder(job *batchv1.Job) bool {
	return job.Labels[v1alpha1.LabelRole] == v1alpha1.RolePlaceholder
}

// keepPlace brings a node for the pod of a placeholder, which takes what was requested.
func (c kubelet) keepPlace(job *batchv1.Job) {
	if len(c.podsOf(job)) > 0 {
		return
	}
	if job.Spec.Template.Annotations["autoscaling.x-k8s.io/consume-provisioning-request"] != "run-place" {
		c.t.Errorf("placeholder %s takes what was not requested for it: %v", job.Name, job.Spec.Template.Annotations)
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "of-" + job.Name, Labels: job.Spec.Template.Spec.NodeSelector}, Status: corev1.NodeStatus{
		Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("2Gi"), corev1.ResourcePods: resource.MustParse("10")},
	}}
	c.must(client.IgnoreAlreadyExists(c.api.Create(context.Background(), node)))
	c.must(c.api.Create(context.Background(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: job.Name, UID: c.uid(), Labels: job.Spec.Template.Labels, CreationTimestamp: metav1.Time{Time: c.now},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))},
		},
		Spec: corev1.PodSpec{NodeName: node.Name},
	}))
}
