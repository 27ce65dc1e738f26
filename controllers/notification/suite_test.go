package notification

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/show/metrics"
	"github.com/assay-bench/assay/internal/show/notify"
	"github.com/assay-bench/assay/test/helpers/apiserver"
	"github.com/assay-bench/assay/test/helpers/hang"
	"github.com/assay-bench/assay/test/helpers/inputs"
)

var server apiserver.Server

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	os.Exit(apiserver.Main(m, &server))
}

const signingKey = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"

// receiver is a real one: it verifies what it gets, keeps the ids, and answers as it is told.
type receiver struct {
	*httptest.Server
	config config.Receiver
	mu     sync.Mutex
	got    []event.Event
	// metrics of the manager that was started last.
	metrics *prometheus.Registry
}

// metric of the receiver, such as assay_notifications_waiting, with the outcome of run.completed
// where it has one.
func (r *receiver) metric(t *testing.T, name, outcome string) float64 {
	t.Helper()
	families, err := r.metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			labels := map[string]string{"outcome": "", "type": "run.completed"}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			if f.GetName() == name && labels["receiver"] == r.config.Name && labels["outcome"] == outcome && labels["type"] == "run.completed" {
				return m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
		}
	}
	t.Fatalf("there is no %s of outcome %q", name, outcome)
	return 0
}

// receives starts one that answers the n-th request, from 1, with the status.
func receives(t *testing.T, name string, answer func(n int) int) *receiver {
	t.Helper()
	r := &receiver{}
	hook, err := standardwebhooks.NewWebhook(signingKey)
	if err != nil {
		t.Fatal(err)
	}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		var e event.Event
		if err = errors.Join(err, hook.Verify(body, req.Header), json.Unmarshal(body, &e)); err != nil || e.ID() != req.Header.Get("webhook-id") {
			t.Errorf("not signed as it should be, or no CloudEvent: %v", err)
		}
		r.mu.Lock()
		r.got = append(r.got, e)
		n := len(r.got)
		r.mu.Unlock()
		status := answer(n)
		if status == 0 {
			<-req.Context().Done()
			return
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(r.Close)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, notify.FileKey), []byte(signingKey), 0o600); err != nil {
		t.Fatal(err)
	}
	r.config = config.Receiver{Name: name, URL: r.URL, Credentials: dir}
	return r
}

// ids of the events that arrived.
func (r *receiver) ids() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, e := range r.got {
		out = append(out, e.ID())
	}
	return out
}

// starts a manager with the receivers, until the test or the returned function ends it.
func starts(t *testing.T, namespace string, giveUpAfter time.Duration, wrap func(client.Client) client.Client, receivers ...*receiver) (end func()) {
	t.Helper()
	var all []config.Receiver
	for _, r := range receivers {
		all = append(all, r.config)
	}
	registry := prometheus.NewRegistry()
	counts, err := metrics.CountNotifications(all, registry)
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Default().Notifications
	cfg.GiveUpAfter.Duration = giveUpAfter
	return server.Manager(t, namespace, func(mgr ctrl.Manager) error {
		for _, r := range receivers {
			r.metrics = registry
			sender, err := notify.NewSender(r.config, time.Hour) // one that hangs does so for good
			if err != nil {
				return err
			}
			one := &Reconciler{
				Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clock: clock.RealClock{}, Events: mgr.GetEventRecorder("assay"),
				Config: cfg, Receiver: r.config, Send: sender.Send, Metrics: counts,
			}
			if wrap != nil {
				one.Client = wrap(one.Client)
			}
			if err := one.SetupWithManager(mgr); err != nil {
				return err
			}
		}
		return nil
	})
}

// endedRun creates a run that became Complete at the time, and whose gate failed.
func endedRun(t *testing.T, namespace, name string, at time.Time) *v1alpha1.BenchmarkRun {
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
	run.Namespace, run.Name = namespace, name
	if err := server.API.Create(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	run.Status.ObservedGeneration = run.Generation // without it, kubectl wait believes no condition
	run.Status.Phase, run.Status.Verdict = v1alpha1.PhaseComplete, "mariadb 1.52x mysql"
	for _, c := range []metav1.Condition{
		{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue, Message: "all trials have ended"},
		{Type: "Passed", Status: metav1.ConditionFalse, Message: "innodb: throughput 30 % below the baseline"},
	} {
		c.Reason, c.LastTransitionTime = "Because", metav1.NewTime(at)
		run.Status.Conditions = append(run.Status.Conditions, c)
	}
	if err := server.API.Status().Update(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	return run
}

// recorded waits until the status has an outcome of the receiver for the run and for its gate.
func recorded(t *testing.T, run *v1alpha1.BenchmarkRun, receiver string, want v1alpha1.NotificationOutcome) *v1alpha1.BenchmarkRun {
	t.Helper()
	got := &v1alpha1.BenchmarkRun{}
	for begun := time.Now(); time.Since(begun) < hang.Limit; time.Sleep(20 * time.Millisecond) {
		if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(run), got); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, one := range got.Status.Notifications {
			if one.Receiver == receiver && one.Outcome == want && !one.Time.Time.Before(got.CreationTimestamp.Time) {
				n++
			}
		}
		if n == 2 {
			return got
		}
	}
	t.Fatalf("receiver %s: %+v, want two that are %s", receiver, got.Status.Notifications, want)
	return nil
}

func ok(int) int { return http.StatusOK }

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < hang.Limit; time.Sleep(20 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Errorf("not so: %s", what)
}
