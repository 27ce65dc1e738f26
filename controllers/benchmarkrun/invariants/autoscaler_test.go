package invariants

import (
	"context"
	"fmt"
	"maps"

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

const class = "best-effort-atomic-scale-up.autoscaling.x-k8s.io"

// requestsNodes has the nodes of the clients requested: there is none with their label.
func requestsNodes(r *v1alpha1.BenchmarkRun) {
	shape := r.Spec.Clients.Shape.Inline
	shape.NodeSelector, shape.Nodes, shape.ProvisioningClass = map[string]string{"pool": "empty"}, v1alpha1.NodesProvisioned, class
}

// requests for nodes that there are.
func requests(c *cluster) []unstructured.Unstructured {
	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(requestKind.GroupVersion().WithKind("ProvisioningRequestList"))
	return list(c, l).Items
}

// answer a request with conditions that are true, by their types.
func answer(c *cluster, request unstructured.Unstructured, types ...string) {
	var conditions []any
	for _, t := range types {
		conditions = append(conditions, map[string]any{"type": t, "status": "True", "reason": "Because", "message": "it is so"})
	}
	request.Object["status"] = map[string]any{"conditions": conditions}
	c.must(c.api.Update(context.Background(), &request))
}

// provision what is requested, whose templates are there before it is. One group of nodes has to hold all pods of a request.
func (c kubelet) provision() {
	for _, request := range requests(c.cluster) {
		if _, answered := request.Object["status"]; answered {
			continue
		}
		sets, _, err := unstructured.NestedSlice(request.Object, "spec", "podSets")
		c.must(err)
		var group map[string]string
		made := 0
		for _, s := range sets {
			name, _, err := unstructured.NestedString(s.(map[string]any), "podTemplateRef", "name")
			c.must(err)
			template := &corev1.PodTemplate{}
			c.must(c.api.Get(context.Background(), client.ObjectKey{Namespace: namespace, Name: name}, template))
			if selector := template.Template.Spec.NodeSelector; group == nil {
				group = selector
			} else if !maps.Equal(group, selector) {
				c.t.Errorf("no group of nodes holds all pods of ProvisioningRequest %s: %v and %v", request.GetName(), group, selector)
			}
			for range s.(map[string]any)["count"].(int64) {
				c.makeNode(fmt.Sprintf("of-%s-%d", request.GetName(), made), group)
				made++
			}
		}
		answer(c.cluster, request, "Provisioned")
	}
}

func (c kubelet) makeNode(name string, labels map[string]string) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Status: corev1.NodeStatus{
		Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("2Gi"), corev1.ResourcePods: resource.MustParse("10")},
	}}
	c.must(client.IgnoreAlreadyExists(c.api.Create(context.Background(), node)))
}

func isPlaceholder(job *batchv1.Job) bool {
	return job.Labels[v1alpha1.LabelRole] == v1alpha1.RolePlaceholder
}

// keepPlace has the pod of a placeholder on a node that was made for its request: for one that takes what was requested nobody makes another.
func (c kubelet) keepPlace(job *batchv1.Job) {
	if len(c.podsOf(job)) > 0 {
		return
	}
	request := job.Spec.Template.Annotations["autoscaling.x-k8s.io/consume-provisioning-request"]
	for i := range 10 {
		node := &corev1.Node{}
		err := c.api.Get(context.Background(), client.ObjectKey{Name: fmt.Sprintf("of-%s-%d", request, i)}, node)
		var pods corev1.PodList
		c.must(c.api.List(context.Background(), &pods, client.MatchingFields{"spec.nodeName": node.Name}))
		if err != nil || len(pods.Items) > 0 {
			continue
		}
		c.must(c.api.Create(context.Background(), &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: namespace, Name: job.Name, UID: c.uid(), Labels: job.Spec.Template.Labels, CreationTimestamp: metav1.Time{Time: c.now},
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))},
			},
			Spec: corev1.PodSpec{NodeName: node.Name},
		}))
		return
	}
}
