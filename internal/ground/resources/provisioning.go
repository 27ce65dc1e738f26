package resources

import (
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// The API of an autoscaler that makes the nodes of several pods at once. Its module is no dependency: it brings its clients and test
// frameworks along, for one object, whose conditions are those of every API.
var provisioningRequest = schema.GroupVersionKind{Group: "autoscaling.x-k8s.io", Version: "v1", Kind: "ProvisioningRequest"}

// ProvisioningAPI is the API that has ProvisioningRequests, as people write it.
const ProvisioningAPI = "autoscaling.x-k8s.io/v1"

// By these annotations a pod takes what was provisioned for a request.
const (
	annotationRequest = "autoscaling.x-k8s.io/consume-provisioning-request"
	annotationClass   = "autoscaling.x-k8s.io/provisioning-class-name"
)

// Conditions of a ProvisioningRequest.
const (
	RequestAccepted        = "Accepted"
	RequestProvisioned     = "Provisioned"
	RequestFailed          = "Failed"
	RequestBookingExpired  = "BookingExpired"
	RequestCapacityRevoked = "CapacityRevoked"
)

// PodSet are placeholders that are alike.
type PodSet struct {
	// First of them. Its Request is that of the set.
	First Placeholder
	// Count of them, at least 1.
	Count int
}

// Template of the pods.
func (s PodSet) Template() *corev1.PodTemplate {
	pod := s.First
	pod.Request = "" // the autoscaler marks the pods of the request itself
	job := pod.Job()
	return &corev1.PodTemplate{ObjectMeta: Meta(pod.Run, s.name(), job.Labels), Template: job.Spec.Template}
}

func (s PodSet) name() string { return contract.RequestName(s.First.Run.Name, s.First.Target) }

// NodeRequest asks for the nodes of one pool: an autoscaler makes them in one group of nodes, all or none.
type NodeRequest struct {
	// Sets of placeholders of the pool, at least one.
	Sets []PodSet
}

// Name of the request.
func (r NodeRequest) Name() string { return r.Sets[0].First.Request }

// Object is the ProvisioningRequest. The templates exist before it does.
func (r NodeRequest) Object() *unstructured.Unstructured {
	var podSets []any
	for _, s := range r.Sets {
		podSets = append(podSets, map[string]any{
			"podTemplateRef": map[string]any{"name": s.name()}, "count": int64(s.Count),
		})
	}
	pod := r.Sets[0].First
	request := NamedRequest(pod.Run.Namespace, r.Name())
	request.SetLabels(Labels(pod.Run, v1alpha1.RolePlaceholder))
	request.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(pod.Run, v1alpha1.GroupVersion.WithKind("BenchmarkRun"))})
	request.Object["spec"] = map[string]any{
		"provisioningClassName": pod.Shape.ProvisioningClass, "podSets": podSets,
		// It ends by itself, as a placeholder does, where the autoscaler follows that.
		"parameters": map[string]any{"ValidUntilSeconds": strconv.Itoa(int((pod.Within + beyond) / time.Second))},
	}
	return request
}

// NamedRequest has nothing but its name.
func NamedRequest(namespace, name string) *unstructured.Unstructured {
	request := &unstructured.Unstructured{}
	request.SetGroupVersionKind(provisioningRequest)
	request.SetNamespace(namespace)
	request.SetName(name)
	return request
}

// SameRequest says whether a request that exists asks for the same as one that would be made.
func SameRequest(found, want *unstructured.Unstructured) bool {
	return equality.Semantic.DeepEqual(found.Object["spec"], want.Object["spec"])
}

// SameTemplate says whether a template that exists asks for the same nodes as one that would be made. The API server adds defaults to what
// no node is chosen by.
func SameTemplate(found, want *corev1.PodTemplate) bool {
	return equality.Semantic.DeepEqual(askedBy(found.Template), askedBy(want.Template))
}

// askedBy is what a node is chosen and sized by.
func askedBy(t corev1.PodTemplateSpec) corev1.PodTemplateSpec {
	containers := func(of []corev1.Container) (out []corev1.Container) {
		for _, c := range of {
			out = append(out, corev1.Container{Name: c.Name, Resources: c.Resources, Ports: c.Ports, RestartPolicy: c.RestartPolicy})
		}
		return out
	}
	s := t.Spec
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: t.Labels, Annotations: t.Annotations},
		Spec: corev1.PodSpec{
			InitContainers: containers(s.InitContainers), Containers: containers(s.Containers), Resources: s.Resources, ResourceClaims: s.ResourceClaims,
			Overhead: s.Overhead, RuntimeClassName: s.RuntimeClassName, Volumes: s.Volumes, HostNetwork: s.HostNetwork,
			NodeName: s.NodeName, NodeSelector: s.NodeSelector, Affinity: s.Affinity, Tolerations: s.Tolerations,
			TopologySpreadConstraints: s.TopologySpreadConstraints, PriorityClassName: s.PriorityClassName, Priority: s.Priority,
		},
	}
}

// RequestConditions are those of a ProvisioningRequest by their type, as far as they are conditions.
func RequestConditions(request *unstructured.Unstructured) map[string]metav1.Condition {
	out := map[string]metav1.Condition{}
	list, _, _ := unstructured.NestedSlice(request.Object, "status", "conditions") // what is none says nothing yet
	for _, item := range list {
		c, _ := item.(map[string]any)
		text := func(field string) string { s, _ := c[field].(string); return s }
		if t := text("type"); t != "" {
			out[t] = metav1.Condition{Type: t, Status: metav1.ConditionStatus(text("status")), Reason: text("reason"), Message: text("message")}
		}
	}
	return out
}
