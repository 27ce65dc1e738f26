package benchmarkbaseline

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cluster/cached"
	"github.com/assay-bench/assay/test/helpers/apiserver"
	"github.com/assay-bench/assay/test/helpers/gitops"
	"github.com/assay-bench/assay/test/helpers/hang"
)

var server apiserver.Server

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	os.Exit(apiserver.Main(m, &server))
}

func sound(ns string) *v1alpha1.BenchmarkBaseline {
	b := &v1alpha1.BenchmarkBaseline{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "release"}}
	b.Spec.Run.Name = "before"
	b.Spec.Promotion = v1alpha1.Promotion{Time: metav1.Unix(1e9, 0), Author: "ada", Reason: "release 1"}
	b.Spec.Measurements = []v1alpha1.ExpectedMeasurement{{
		MeasurementKey: v1alpha1.MeasurementKey{Target: "db", Name: "throughput", Unit: "tx/s"}, Direction: "HigherIsBetter", Blocks: []string{"100", "101.5"},
	}}
	return b
}

// start a manager with the cache of the real one.
func start(t *testing.T, ns string) {
	t.Helper()
	mgr, err := ctrl.NewManager(server.Config, manager.Options{Scheme: server.Scheme, Cache: cached.Options(ns), Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Reconciler{Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clock: clock.RealClock{}}).SetupWithManager(mgr); err != nil {
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
}

// A baseline is ready, stalled when its numbers contradict themselves, and ready again; Flux and Argo CD
// see the same.
func TestStatusFollowsTheNumbers(t *testing.T) {
	ns := server.Namespace(t)
	b := sound(ns)
	if err := server.API.Create(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	healthOf := func() gitops.Health { return gitops.Of(t, server.API, gitops.Assay("BenchmarkBaseline", ns, b.Name)) }
	if got := healthOf(); got.Flux != "InProgress" {
		t.Errorf("before a manager looked at it: %+v", got)
	}
	start(t, ns)
	await := func(want gitops.Health, count int32) {
		t.Helper()
		var got gitops.Health
		for begin := time.Now(); time.Since(begin) < hang.Limit; time.Sleep(20 * time.Millisecond) {
			if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(b), b); err != nil {
				t.Fatal(err)
			}
			if got = healthOf(); cmp.Equal(want, got) && b.Status.MeasurementCount == count && b.Status.ObservedGeneration == b.Generation {
				return
			}
		}
		t.Fatalf("%d measurements (-want +got):\n%s", b.Status.MeasurementCount, cmp.Diff(want, got))
	}
	ready := gitops.Health{Flux: "Current", ArgoCD: "Healthy", Message: "Resource is Ready"}
	await(ready, 1)
	b.Spec.Measurements = append(b.Spec.Measurements, b.Spec.Measurements[0])
	if err := server.API.Update(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	await(gitops.Health{Flux: "Failed", ArgoCD: "Degraded", Message: "spec.measurements[1] is spec.measurements[0] once more (db throughput): give each once"}, 0)
	b.Spec.Measurements = b.Spec.Measurements[:1]
	if err := server.API.Update(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	await(ready, 1)
}

// What the API server can refuse, it refuses.
func TestBadBaselines(t *testing.T) {
	ns := server.Namespace(t)
	for name, tt := range map[string]struct {
		change  func(*v1alpha1.BenchmarkBaselineSpec)
		refused string
	}{
		"no measurement":            {func(s *v1alpha1.BenchmarkBaselineSpec) { s.Measurements = nil }, "spec.measurements"},
		"too many measurements":     {func(s *v1alpha1.BenchmarkBaselineSpec) { s.Measurements = make([]v1alpha1.ExpectedMeasurement, 513) }, "must have at most 512 items"},
		"no value":                  {func(s *v1alpha1.BenchmarkBaselineSpec) { s.Measurements[0].Blocks = nil }, "spec.measurements[0].blocks"},
		"a value that is no number": {func(s *v1alpha1.BenchmarkBaselineSpec) { s.Measurements[0].Blocks[0] = "NaN" }, "spec.measurements[0].blocks[0]"},
		"too many blocks":           {func(s *v1alpha1.BenchmarkBaselineSpec) { s.Measurements[0].Blocks = make([]string, 101) }, "must have at most 100 items"},
		"a direction of its own":    {func(s *v1alpha1.BenchmarkBaselineSpec) { s.Measurements[0].Direction = "Up" }, "spec.measurements[0].direction"},
		"a tolerance of nothing":    {func(s *v1alpha1.BenchmarkBaselineSpec) { s.Measurements[0].Tolerance = "0%" }, "tolerance must be above 0%"},
		"a label that is too long": {func(s *v1alpha1.BenchmarkBaselineSpec) {
			s.Measurements[0].Labels = map[string]string{"a": strings.Repeat("x", 1025)}
		}, "values at most 1024 characters"},
		"nobody's promotion": {func(s *v1alpha1.BenchmarkBaselineSpec) { s.Promotion.Author = "" }, "spec.promotion.author"},
		"no reason":          {func(s *v1alpha1.BenchmarkBaselineSpec) { s.Promotion.Reason = "" }, "spec.promotion.reason"},
		"too long a history": {func(s *v1alpha1.BenchmarkBaselineSpec) { s.History = make([]v1alpha1.PastPromotion, 17) }, "must have at most 16 items"},
		"a speed without a loop": {func(s *v1alpha1.BenchmarkBaselineSpec) {
			s.MachineSpeed = []v1alpha1.BaselineSpeed{{Target: "db", Side: "Target", Kernel: "Speed", Seconds: []string{"1"}}}
		}, "spec.machineSpeed[0].kernel"},
	} {
		t.Run(name, func(t *testing.T) {
			b := sound(ns)
			tt.change(&b.Spec)
			if err := server.API.Create(t.Context(), b, client.DryRunAll); err == nil || !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("got %v, want %q", err, tt.refused)
			}
		})
	}
	if err := server.API.Create(t.Context(), sound(ns), client.DryRunAll); err != nil {
		t.Errorf("a sound one: %v", err)
	}
}
