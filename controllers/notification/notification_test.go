package notification

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/hang"
)

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
	for _, run := range runs {
		recorded(t, run, "ci2", v1alpha1.NotificationDelivered)
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
	for begun := time.Now(); len(ci.ids()) == 0 && time.Since(begun) < hang.Limit; {
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
	for begun := time.Now(); time.Since(begun) < hang.Limit; time.Sleep(50 * time.Millisecond) {
		var list eventsv1.EventList
		if err := server.API.List(t.Context(), &list, client.InNamespace(ns)); err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(list.Items, func(e eventsv1.Event) bool {
			return e.Reason == reasonFailed && e.Note == "receiver down did not get run.completed: given up"
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
