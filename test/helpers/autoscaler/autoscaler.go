// Package autoscaler gives the API server of a package's tests the API by which the autoscaler of Kubernetes makes nodes for several pods
// at once: the CRD of ProvisioningRequests is that of its Go module, which hack/autoscaler pins.
package autoscaler

import (
	"context"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/test/helpers/crds"
)

// Kind of the requests.
var Kind = schema.GroupVersionKind{Group: "autoscaling.x-k8s.io", Version: "v1", Kind: "ProvisioningRequest"}

// API of the requests.
var API = crds.API{Kind: Kind, Variable: "ASSAY_AUTOSCALER_CRD"}

// Requests of a namespace; none where the API server does not know them.
func Requests(ctx context.Context, api client.Client, namespace string) ([]unstructured.Unstructured, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(Kind.GroupVersion().WithKind(Kind.Kind + "List"))
	err := api.List(ctx, list, client.InNamespace(namespace))
	if apimeta.IsNoMatchError(err) {
		err = nil
	}
	return list.Items, err
}

// Answer a request with a condition, as the autoscaler does. An earlier one of its type is replaced.
func Answer(ctx context.Context, api client.Client, request *unstructured.Unstructured, c metav1.Condition) error {
	conditions, _, err := unstructured.NestedSlice(request.Object, "status", "conditions")
	if err != nil {
		return err
	}
	next := []any{map[string]any{
		"type": c.Type, "status": string(c.Status), "reason": c.Reason, "message": c.Message, "lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
	}}
	for _, other := range conditions {
		if o, is := other.(map[string]any); is && o["type"] != c.Type {
			next = append(next, o)
		}
	}
	if err := unstructured.SetNestedSlice(request.Object, next, "status", "conditions"); err != nil {
		return err
	}
	return api.Status().Update(ctx, request)
}
