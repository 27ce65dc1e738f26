// Package autoscaler gives the API server of a package's tests the API by which the autoscaler of Kubernetes makes nodes for several pods
// at once: the CRD of ProvisioningRequests is that of its Go module, which hack/autoscaler pins.
package autoscaler

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/assay-bench/assay/test/helpers/hang"
)

// variable with the path of the CRD.
const variable = "ASSAY_AUTOSCALER_CRD"

// Kind of the requests.
var Kind = schema.GroupVersionKind{Group: "autoscaling.x-k8s.io", Version: "v1", Kind: "ProvisioningRequest"}

// installing: two tests at once would both create the CRD.
var installing sync.Mutex

func options(t testing.TB) envtest.CRDInstallOptions {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Fatalf("%s is not set: run these tests with `make envtest`, which fetches the CRD", variable)
	}
	return envtest.CRDInstallOptions{Paths: []string{path}, ErrorIfPathMissing: true, MaxTime: hang.Limit}
}

// Install the API, and wait until it is served.
func Install(t testing.TB, config *rest.Config) {
	t.Helper()
	installing.Lock()
	defer installing.Unlock()
	if _, err := envtest.InstallCRDs(config, options(t)); err != nil {
		t.Fatalf("installing the CRD of ProvisioningRequests: %v", err)
	}
}

// Remove the API, and wait until it is not served any more. No test beside this one uses it.
func Remove(t testing.TB, config *rest.Config) {
	t.Helper()
	if err := envtest.UninstallCRDs(config, options(t)); err != nil {
		t.Fatalf("removing the CRD of ProvisioningRequests: %v", err)
	}
	api, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(hang.Limit); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if _, err := api.ServerResourcesForGroupVersion(Kind.GroupVersion().String()); err != nil {
			return
		}
	}
	t.Fatal("the API server still has ProvisioningRequests")
}

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
