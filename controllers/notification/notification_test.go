package notification

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cached"
	"github.com/assay-bench/assay/internal/config"
	"github.com/assay-bench/assay/internal/metrics"
	"github.com/assay-bench/assay/internal/notify"
	"github.com/assay-bench/assay/test/helpers/apiserver"
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
	mgr, err := ctrl.NewManager(server.Config, manager.Options{
		Scheme: server.Scheme, Cache: cached.Options(namespace), Metrics: metricsserver.Options{BindAddress: "0"},
		Controller: ctrlconfig.Controller{SkipNameValidation: new(true)},
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []config.Receiver
	for _, r := range receivers {
		all = append(all, r.config)
	}
	registry := prometheus.NewRegistry()
	counts, err := metrics.CountNotifications(all, registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range receivers {
		r.metrics = registry
		sender, err := notify.NewSender(r.config, 20*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		cfg := config.Default().Notifications
		cfg.GiveUpAfter.Duration = giveUpAfter
		one := &Reconciler{
			Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clock: clock.RealClock{}, Events: mgr.GetEventRecorder("assay"),
			Config: cfg, Receiver: r.config, Send: sender.Send, Metrics: counts,
		}
		if wrap != nil {
			one.Client = wrap(one.Client)
		}
		if err := one.SetupWithManager(mgr); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	end = sync.OnceFunc(func() {
		cancel()
		begun := time.Now()
		if err := <-ended; err != nil || time.Since(begun) > 10*time.Second {
			t.Errorf("the manager ended after %s: %v", time.Since(begun), err)
		}
	})
	t.Cleanup(end)
	return end
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
	for begun := time.Now(); time.Since(begun) < 20*time.Second; time.Sleep(20 * time.Millisecond) {
		if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(run), got); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, one := range got.Status.Notifications {
			if one.Receiver == receiver && one.Outcome == want && time.Since(one.Time.Time) < time.Minute {
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

// A receiver that fails twice is told by the third attempt, and no more often. One that wants other
// namespaces hears nothing.
func TestToldAfterFailures(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	ci := receives(t, "ci", func(n int) int {
		if n <= 2 {
			return http.StatusInternalServerError
		}
		return http.StatusAccepted
	})
	other := receives(t, "other", ok)
	other.config.Namespaces = []string{"perf-*"}
	starts(t, ns, time.Hour, nil, ci, other)
	run := endedRun(t, ns, "nightly", time.Now())
	got := recorded(t, run, "ci", v1alpha1.NotificationDelivered)
	time.Sleep(time.Second)
	complete, gate := string(run.UID)+"-run-completed", string(run.UID)+"-gate-failed"
	ids := ci.ids()
	slices.Sort(ids)
	if want := []string{gate, gate, complete, complete}; !slices.Equal(ids, want) {
		t.Errorf("the receiver was told %v, want %v", ids, want)
	}
	if n := len(other.ids()); n > 0 {
		t.Errorf("the receiver of other namespaces was told %d times", n)
	}
	now := &v1alpha1.BenchmarkRun{}
	if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(run), now); err != nil {
		t.Fatal(err)
	}
	if now.ResourceVersion != got.ResourceVersion {
		t.Error("the run is written after all was told")
	}
	for outcome, want := range map[string]float64{"delivered": 2, "undelivered": 2, "refused": 0} {
		if n := ci.metric(t, "assay_notification_attempts_total", outcome); n != want {
			t.Errorf("%v attempts are counted as %s, want %v", n, outcome, want)
		}
	}
	if n := ci.metric(t, "assay_notifications_waiting", ""); n != 0 {
		t.Errorf("%v notifications are said to wait", n)
	}
	ci.mu.Lock()
	defer ci.mu.Unlock()
	var data struct{ Verdict, Message string }
	if err := ci.got[len(ci.got)-1].DataAs(&data); err != nil || data.Verdict != "mariadb 1.52x mysql" || data.Message != "all trials have ended" {
		t.Errorf("data %+v: %v", data, err)
	}
}

// A receiver that never answers delays neither another one nor the end of the manager.
func TestHangingReceiverDelaysNobody(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	hangs, ci := receives(t, "hangs", func(int) int { return 0 }), receives(t, "ci2", ok)
	end := starts(t, ns, time.Hour, nil, hangs, ci)
	var runs []*v1alpha1.BenchmarkRun
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		runs = append(runs, endedRun(t, ns, name, time.Now()))
	}
	begun := time.Now()
	for _, run := range runs {
		recorded(t, run, "ci2", v1alpha1.NotificationDelivered)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
	if n := len(hangs.ids()); n != workers {
		t.Errorf("%d attempts hang, want %d", n, workers)
	}
	end()
}

// refuses writes of the status, as an API server does that cannot be reached.
type refuses struct{ client.Client }

// Status has a writer that fails.
func (refuses) Status() client.SubResourceWriter { return noStatus{} }

type noStatus struct{ client.SubResourceWriter }

// Update fails.
func (noStatus) Update(context.Context, client.Object, ...client.SubResourceUpdateOption) error {
	return errors.New("no connection")
}

// A manager that is killed after an event was delivered, and before that was recorded, leaves it to
// the next one, which sends it with the same id. One after that sends nothing.
func TestRestart(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	ci := receives(t, "ci3", ok)
	run := endedRun(t, ns, "nightly", time.Now())
	end := starts(t, ns, time.Hour, func(c client.Client) client.Client { return refuses{c} }, ci)
	for begun := time.Now(); len(ci.ids()) == 0 && time.Since(begun) < 20*time.Second; {
		time.Sleep(20 * time.Millisecond)
	}
	time.Sleep(1500 * time.Millisecond) // a record is tried again; what was delivered is not sent again
	end()
	complete, gate := string(run.UID)+"-run-completed", string(run.UID)+"-gate-failed"
	if got := ci.ids(); !slices.Equal(got, []string{complete}) {
		t.Fatalf("told %v before the restart, want %s once", got, complete)
	}
	end = starts(t, ns, time.Hour, nil, ci)
	recorded(t, run, "ci3", v1alpha1.NotificationDelivered)
	end()
	want := []string{complete, complete, gate}
	if got := ci.ids(); !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
	starts(t, ns, time.Hour, nil, ci)
	time.Sleep(time.Second)
	if got := ci.ids(); !slices.Equal(got, want) {
		t.Errorf("told %v after another restart, want %v", got, want)
	}
}

// What no attempt delivers is given up, and an event of the run says so, without the address.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	down := receives(t, "down", func(int) int { return http.StatusBadGateway })
	starts(t, ns, 4*time.Second, nil, down)
	recorded(t, endedRun(t, ns, "nightly", time.Now()), "down", v1alpha1.NotificationGivenUp)
	for begun := time.Now(); time.Since(begun) < 10*time.Second; time.Sleep(50 * time.Millisecond) {
		var list eventsv1.EventList
		if err := server.API.List(t.Context(), &list, client.InNamespace(ns)); err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(list.Items, func(e eventsv1.Event) bool {
			return e.Reason == reasonFailed && e.Note == "receiver down was not told of run.completed: given up"
		}) {
			return
		}
	}
	t.Error("no event says that the notification was given up")
}

// What a receiver refuses for good is not tried again.
func TestRefused(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	gone := receives(t, "gone", func(int) int { return http.StatusGone })
	starts(t, ns, time.Hour, nil, gone)
	recorded(t, endedRun(t, ns, "nightly", time.Now()), "gone", v1alpha1.NotificationRefused)
	if n := len(gone.ids()); n != 2 {
		t.Errorf("%d attempts, want 2", n)
	}
}

// A new receiver is not told of what ended long ago, and nothing is written.
func TestOldRunsAreNotTold(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	ci := receives(t, "ci4", ok)
	old := endedRun(t, ns, "old", time.Now().Add(-25*time.Hour))
	starts(t, ns, 24*time.Hour, nil, ci)
	fresh := endedRun(t, ns, "fresh", time.Now().Add(-23*time.Hour))
	recorded(t, fresh, "ci4", v1alpha1.NotificationDelivered)
	if n := len(ci.ids()); n != 2 {
		t.Errorf("%d events, want those of the fresh run", n)
	}
	now := &v1alpha1.BenchmarkRun{}
	if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(old), now); err != nil || now.ResourceVersion != old.ResourceVersion {
		t.Errorf("the old run was written: %v", err)
	}
}

// A run that is deleted before its events were delivered takes them with it, and that is counted.
func TestLostWithItsRun(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	down := receives(t, "down2", func(int) int { return http.StatusBadGateway })
	starts(t, ns, time.Hour, nil, down)
	run := endedRun(t, ns, "nightly", time.Now())
	eventually(t, "two events wait", func() bool { return down.metric(t, "assay_notifications_waiting", "") == 2 })
	if err := server.API.Delete(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	eventually(t, "they are lost", func() bool {
		return down.metric(t, "assay_notifications_total", "lost") == 1 && down.metric(t, "assay_notifications_waiting", "") == 0
	})
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < 20*time.Second; time.Sleep(20 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Errorf("not within 20 s: %s", what)
}
