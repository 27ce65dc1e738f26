package instanceshape

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/apiserver"
	"github.com/assay-bench/assay/test/helpers/gitops"
	"github.com/assay-bench/assay/test/helpers/hang"
)

var server apiserver.Server

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	os.Exit(apiserver.Main(m, &server))
}

// The status of a shape follows the nodes as they come, change and go.
func TestStatusFollowsTheNodes(t *testing.T) {
	server.Inputs(t)
	mgr, err := ctrl.NewManager(server.Config, manager.Options{Scheme: server.Scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Reconciler{Client: mgr.GetClient()}).SetupWithManager(mgr); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	shape := &v1alpha1.InstanceShape{
		ObjectMeta: metav1.ObjectMeta{Name: "small"},
		Spec: v1alpha1.InstanceShapeSpec{
			CPU: resource.MustParse("2"), Memory: resource.MustParse("4Gi"), NodeSelector: map[string]string{"size": "small"},
		},
	}
	if err := server.API.Create(t.Context(), shape); err != nil {
		t.Fatal(err)
	}
	if got := shape.Status.ObservedGeneration; got != -1 {
		t.Errorf("before the manager has seen it, the shape's observedGeneration is %d, want -1", got)
	}
	offered(t, shape, 0, metav1.ConditionFalse)

	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{"size": "small"}}}
	if err := server.API.Create(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	node.Spec.Taints = nil
	if err := server.API.Update(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	node.Status = corev1.NodeStatus{
		Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("4Gi")},
	}
	if err := server.API.Status().Update(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	offered(t, shape, 1, metav1.ConditionTrue)

	node.Spec.Unschedulable = true
	if err := server.API.Update(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	offered(t, shape, 0, metav1.ConditionFalse)
}

// CPUs of its own are whole ones.
func TestExclusiveCPUsAreWhole(t *testing.T) {
	server.Inputs(t)
	const refused = "with cpus: Exclusive, cpu must be a whole number, and be written as one, such as 2 and not 2000m or 2.0"
	tests := map[string]struct {
		cpu  any
		cpus string
		want string
	}{
		"a whole number":           {int64(2), "Exclusive", ""},
		"a whole number as text":   {"16", "Exclusive", ""},
		"a whole number in parts":  {"2000m", "Exclusive", refused},
		"a whole number, a point":  {"2.0", "Exclusive", refused},
		"half a CPU":               {"500m", "Exclusive", refused},
		"one and a half":           {"1.5", "Exclusive", refused},
		"a part of shared CPUs":    {"500m", "Shared", ""},
		"a part, and nobody asked": {"500m", "", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			spec := map[string]any{"cpu": tc.cpu, "memory": "1Gi"}
			if tc.cpus != "" {
				spec["cpus"] = tc.cpus
			}
			shape := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": v1alpha1.GroupVersion.String(), "kind": "InstanceShape", "metadata": map[string]any{"generateName": "exclusive-"}, "spec": spec,
			}}
			err := server.API.Create(t.Context(), shape, client.DryRunAll)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}

// Huge pages are whole ones, of a size that machines have.
func TestHugePagesAreWhole(t *testing.T) {
	server.Inputs(t)
	tests := map[string]struct {
		page, count any
		want        string
	}{
		"pages of 2 MiB unless somebody says": {nil, int64(512), ""},
		"pages of 2 MiB":                      {"2Mi", int64(1), ""},
		"pages of 1 GiB":                      {"1Gi", int64(16), ""},
		"none":                                {nil, int64(0), "should be greater than or equal to 1"},
		"more than a machine has":             {nil, int64(1 << 21), "should be less than or equal to 1048576"},
		"a part of one":                       {nil, 1.5, "must be of type integer"},
		"a size":                              {nil, "512Mi", "must be of type integer"},
		"no number":                           {"2Mi", nil, "Required value"},
		"a page that no machine here has":     {"4Mi", int64(2), "Unsupported value"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			pages := map[string]any{}
			for field, value := range map[string]any{"count": tc.count, "pageSize": tc.page} {
				if value != nil {
					pages[field] = value
				}
			}
			shape := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": v1alpha1.GroupVersion.String(), "kind": "InstanceShape", "metadata": map[string]any{"generateName": "pages-"},
				"spec": map[string]any{"cpu": "2", "memory": "1Gi", "hugePages": pages},
			}}
			err := server.API.Create(t.Context(), shape, client.DryRunAll)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func offered(t *testing.T, shape *v1alpha1.InstanceShape, nodes int32, status metav1.ConditionStatus) {
	t.Helper()
	got := &v1alpha1.InstanceShape{}
	for start := time.Now(); time.Since(start) < hang.Limit; time.Sleep(20 * time.Millisecond) {
		if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(shape), got); err != nil {
			t.Fatal(err)
		}
		if got.Status.NodeCount != nil && *got.Status.NodeCount == nodes &&
			apimeta.IsStatusConditionPresentAndEqual(got.Status.Conditions, v1alpha1.ConditionOffered, status) {
			// A shape that no node offers yet is as its spec wants it: an autoscaler may bring the node.
			if h := gitops.Of(t, server.API, gitops.Assay("InstanceShape", "", shape.Name)); h.Flux != "Current" {
				t.Errorf("a shape that was looked at is %+v, want Current", h)
			}
			return
		}
	}
	t.Fatalf("status %+v, want %d nodes and Offered %s", got.Status, nodes, status)
}
