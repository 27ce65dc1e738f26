package resources

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// The API of an autoscaler that makes the nodes of several pods at once. Its module is no dependency: it brings its clients and test
// frameworks along, for one object that is made once, and whose conditions are those of every API.
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
	// First of them.
	First Placeholder
	// Count of them, at least 1.
	Count int
}

// Template of the pods.
func (s PodSet) Template() *corev1.PodTemplate {
	pod := s.First
	pod.Request = false // the autoscaler marks the pods of the request itself
	job := pod.Job()
	return &corev1.PodTemplate{ObjectMeta: Meta(pod.Run, s.name(), job.Labels), Template: job.Spec.Template}
}

func (s PodSet) name() string { return contract.TemplateName(s.First.Run.Name, s.First.Target) }

// Request asks for the nodes of placeholders, of all or of none. The templates exist before it does.
func Request(run *v1alpha1.BenchmarkRun, class string, sets []PodSet) *unstructured.Unstructured {
	var podSets []any
	for _, s := range sets {
		podSets = append(podSets, map[string]any{
			"podTemplateRef": map[string]any{"name": s.name()}, "count": int64(s.Count),
		})
	}
	request := NamedRequest(run)
	request.SetLabels(Labels(run, v1alpha1.RolePlaceholder))
	request.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("BenchmarkRun"))})
	request.Object["spec"] = map[string]any{"provisioningClassName": class, "podSets": podSets}
	return request
}

// NamedRequest has nothing but the name of the request of a run.
func NamedRequest(run *v1alpha1.BenchmarkRun) *unstructured.Unstructured {
	request := &unstructured.Unstructured{}
	request.SetGroupVersionKind(provisioningRequest)
	request.SetNamespace(run.Namespace)
	request.SetName(contract.RequestName(run.Name))
	return request
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
