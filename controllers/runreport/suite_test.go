package runreport

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/show/metrics"
	"github.com/assay-bench/assay/internal/show/writeup"
	"github.com/assay-bench/assay/test/helpers/apiserver"
	"github.com/assay-bench/assay/test/helpers/finished"
	"github.com/assay-bench/assay/test/helpers/hang"
	"github.com/assay-bench/assay/test/helpers/inputs"
)

var server apiserver.Server

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	os.Exit(apiserver.Main(m, &server))
}

// started is a manager with the controller alone.
type started struct {
	metrics *prometheus.Registry
	end     func()
}

// starts a manager until the test, or the returned function, ends it.
func starts(t *testing.T, namespace string, change ...func(*Reconciler)) started {
	t.Helper()
	registry := prometheus.NewRegistry()
	counts, err := metrics.CountReports(registry)
	if err != nil {
		t.Fatal(err)
	}
	end := server.Manager(t, namespace, func(mgr ctrl.Manager) error {
		r := &Reconciler{
			Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clock: clock.RealClock{}, Events: mgr.GetEventRecorder("assay"), Metrics: counts,
			Writer: writerOf(64 << 20), Reading: &sync.Mutex{}, Pause: time.Millisecond,
		}
		for _, c := range change {
			c(r)
		}
		return r.SetupWithManager(mgr)
	})
	return started{registry, end}
}

func writerOf(memory int) writeup.Writer {
	return writeup.Writer{API: server.API, Memory: memory, Measurements: 20000}
}

// outcome counts the reports that ended so.
func (s started) outcome(t *testing.T, outcome string) float64 {
	t.Helper()
	families, err := s.metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if m.GetLabel()[0].GetValue() == outcome {
				return m.GetCounter().GetValue()
			}
		}
	}
	t.Fatalf("there is no outcome %s", outcome)
	return 0
}

// endedRun stores a run that ended so long ago, with all its ConfigMaps.
func endedRun(t *testing.T, namespace string, ago time.Duration) *v1alpha1.BenchmarkRun {
	t.Helper()
	const sample = "../../config/samples/demo.yaml"
	inputs.Read(t, sample)
	text, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	run := &v1alpha1.BenchmarkRun{}
	if err := yaml.Unmarshal(text, run); err != nil {
		t.Fatal(err)
	}
	run.Namespace, run.Name, run.Spec.Clients.Count = namespace, "run", finished.Clients
	run.Spec.Targets[0].Name, run.Spec.Targets[1].Name, run.Spec.Analysis = "a", "b", nil
	if err := server.API.Create(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	end := metav1.NewTime(time.Now().Add(-ago))
	stored := finished.New(t, finished.Options{Change: func(r *v1alpha1.BenchmarkRun) {
		r.Namespace, r.UID, r.Status.CompletionTime, r.Status.Phase = namespace, run.UID, &end, v1alpha1.PhaseComplete
		r.Spec.Targets = r.Spec.Targets[:2] // a published one is no part of it
		for i := range r.Status.Conditions {
			r.Status.Conditions[i].LastTransitionTime = end
		}
	}})
	for _, cm := range stored.Maps {
		if err := server.API.Create(t.Context(), cm); err != nil {
			t.Fatal(err)
		}
	}
	run.Status = stored.Object.Status
	if err := server.API.Status().Update(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	return run
}

// await a status.report.
func await(t *testing.T, run *v1alpha1.BenchmarkRun, what string, is func(*v1alpha1.ReportStatus) bool) *v1alpha1.BenchmarkRun {
	t.Helper()
	got := &v1alpha1.BenchmarkRun{}
	for begun := time.Now(); time.Since(begun) < hang.Limit; time.Sleep(20 * time.Millisecond) {
		if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(run), got); err != nil {
			t.Fatal(err)
		}
		if got.Status.Report != nil && is(got.Status.Report) {
			return got
		}
	}
	t.Fatalf("not in time: %s: %+v", what, got.Status.Report)
	return nil
}

func has(reason string) func(*v1alpha1.ReportStatus) bool {
	return func(r *v1alpha1.ReportStatus) bool { return r.Reason == reason }
}

// awaitEvent about the run.
func awaitEvent(t *testing.T, run *v1alpha1.BenchmarkRun, reason string) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < hang.Limit; time.Sleep(50 * time.Millisecond) {
		var all eventsv1.EventList
		if err := server.API.List(t.Context(), &all, client.InNamespace(run.Namespace)); err != nil {
			t.Fatal(err)
		}
		for _, e := range all.Items {
			if e.Reason == reason && e.Regarding.UID == run.UID && e.Type == "Warning" {
				return
			}
		}
	}
	t.Errorf("no event %s within 20 s", reason)
}

var errDead = errors.New("the manager is dead")

// writes of a manager, counted; it dies at the last one: with lost, that one never reaches the API server, or else only its
// answer is lost.
type writes struct {
	count atomic.Int32
	last  int32
	lost  bool
	dead  chan struct{}
}

func (w *writes) do(write func() error) error {
	switch n := w.count.Add(1); {
	case w.last == 0 || n < w.last:
		return write()
	case n > w.last:
		return errDead
	}
	defer close(w.dead)
	if !w.lost {
		_ = write() // whatever became of it, nobody hears
	}
	return errDead
}

// client that counts, and dies.
func (w *writes) client(c client.Client) client.Client {
	return interceptor.NewClient(noWatch{c}, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return w.do(func() error { return c.Create(ctx, o, opts...) })
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return w.do(func() error { return c.Update(ctx, o, opts...) })
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			return w.do(func() error { return c.SubResource(sub).Update(ctx, o, opts...) })
		},
	})
}

// noWatch lets a client that cannot watch be intercepted.
type noWatch struct{ client.Client }

func (noWatch) Watch(context.Context, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
	return nil, errors.New("this client cannot watch")
}
