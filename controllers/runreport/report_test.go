package runreport

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/store"
	"github.com/assay-bench/assay/test/helpers/hang"
	"github.com/assay-bench/assay/test/helpers/objectstore"
)

// mapOf is the ConfigMap of a report.
func mapOf(t *testing.T, run *v1alpha1.BenchmarkRun) *corev1.ConfigMap {
	t.Helper()
	cm := &corev1.ConfigMap{}
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: run.Namespace, Name: "run-report"}, cm); err != nil {
		t.Fatal(err)
	}
	return cm
}

// checkTables: the ConfigMap belongs to the run, has what the writer makes of it, and the status says so.
func checkTables(t *testing.T, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	cm, report := mapOf(t, run), run.Status.Report
	want, err := writerOf(64<<20).Tables(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, cm.Data); diff != "" {
		t.Errorf("the ConfigMap (-want +got):\n%s", diff)
	}
	if !metav1.IsControlledBy(cm, run) || cm.Labels[v1alpha1.LabelRole] != "report" || cm.Labels[v1alpha1.LabelRun] != run.Name || cm.Labels[v1alpha1.LabelRunUID] != string(run.UID) {
		t.Errorf("the ConfigMap has owners %v and labels %v", cm.OwnerReferences, cm.Labels)
	}
	if report.ConfigMap != cm.Name || report.SizeBytes != budget.OfConfigMap(cm) ||
		report.MarkdownSHA256 != contract.Digest([]byte(cm.Data["report.md"])) || report.SummarySHA256 != contract.Digest([]byte(cm.Data["summary.json"])) {
		t.Errorf("the status says %+v", report)
	}
}

// checkPage: the store has the page of the run, once, and the status its place.
func checkPage(t *testing.T, run *v1alpha1.BenchmarkRun, s *objectstore.Server) {
	t.Helper()
	page, err := writerOf(64<<20).Page(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	digest := contract.Digest(page)
	key := fmt.Sprintf("assay/default/%s/run/%s/report/%s-report.html", run.Namespace, run.UID, digest)
	if keys := slices.DeleteFunc(s.Objects(t), func(k string) bool { return !strings.Contains(k, run.Namespace) }); !slices.Equal(keys, []string{key}) {
		t.Errorf("the store has %v, want %s", keys, key)
	}
	if data, err := os.ReadFile(s.Path(key)); err != nil || string(data) != string(page) {
		t.Errorf("the object is not the page of the run (%v)", err)
	}
	want := &v1alpha1.StoredPage{Object: "s3://results/" + key, URL: s.Store.Endpoint + "/results/" + key, SHA256: digest, SizeBytes: int64(len(page))}
	if diff := cmp.Diff(want, run.Status.Report.Page); diff != "" {
		t.Errorf("the status (-want +got):\n%s", diff)
	}
}

// in a store.
func in(t *testing.T, s *objectstore.Server) func(*Reconciler) {
	t.Helper()
	c := s.Client(t)
	return func(r *Reconciler) { r.Store, r.Config = c, s.Store }
}

// counted writes of a manager.
func counted(w *writes) func(*Reconciler) {
	return func(r *Reconciler) { r.Client = w.client(r.Client) }
}

// unchanged is the run without what is said of its report.
func unchanged(t *testing.T, before, after *v1alpha1.BenchmarkRun) {
	t.Helper()
	left := after.Status.DeepCopy()
	left.Report = nil
	if diff := cmp.Diff(before.Status, *left); diff != "" {
		t.Errorf("the run changed (-before +after):\n%s", diff)
	}
}

func TestTablesAreStoredWithoutAStore(t *testing.T) {
	t.Parallel()
	ns, w := server.Namespace(t), &writes{}
	run := endedRun(t, ns, time.Minute)
	m := starts(t, ns, counted(w))
	got := await(t, run, "a report", has(v1alpha1.ReasonSucceeded))
	checkTables(t, got)
	unchanged(t, run, got)
	if got.Status.Report.Page != nil || got.Status.Report.Attempts != 0 || m.outcome(t, "stored") != 1 {
		t.Errorf("without a store: %+v", got.Status.Report)
	}
	// At rest nothing is written, also by the next manager.
	m.end()
	starts(t, ns, counted(w))
	time.Sleep(500 * time.Millisecond)
	if n := w.count.Load(); n != 2 {
		t.Errorf("%d writes, want that of the ConfigMap and that of the status", n)
	}
}

func TestThePageIsInTheStore(t *testing.T) {
	t.Parallel()
	ns, s, w := server.Namespace(t), objectstore.Start(t), &writes{}
	run := endedRun(t, ns, time.Minute)
	m := starts(t, ns, in(t, s), counted(w))
	got := await(t, run, "a page", has(v1alpha1.ReasonSucceeded))
	checkTables(t, got)
	checkPage(t, got, s)
	unchanged(t, run, got)
	time.Sleep(200 * time.Millisecond)
	if n := w.count.Load(); n != 3 || got.Status.Report.Attempts != 1 || m.outcome(t, "stored") != 1 {
		t.Errorf("%d writes, %d attempts", n, got.Status.Report.Attempts)
	}
}

// The manager dies at each of its writes, before and after it; the next one goes on, and the bytes are the same.
func TestDeathAtEveryWrite(t *testing.T) {
	t.Parallel()
	s := objectstore.Start(t)
	for _, lost := range []bool{false, true} {
		for last := range int32(3) {
			t.Run(fmt.Sprintf("write %d, lost: %t", last+1, lost), func(t *testing.T) {
				ns := server.Namespace(t)
				run := endedRun(t, ns, time.Minute)
				w := &writes{last: last + 1, lost: lost, dead: make(chan struct{})}
				m := starts(t, ns, in(t, s), counted(w))
				select {
				case <-w.dead:
				case <-time.After(hang.Limit):
					t.Fatal("the manager did not come to this write")
				}
				m.end()
				starts(t, ns, in(t, s))
				got := await(t, run, "a page", has(v1alpha1.ReasonSucceeded))
				checkTables(t, got)
				checkPage(t, got, s)
				unchanged(t, run, got)
			})
		}
	}
}

// A store that is away keeps nothing else from being stored, and the page follows when it is back.
func TestTheStoreComesBack(t *testing.T) {
	t.Parallel()
	ns, s := server.Namespace(t), objectstore.Start(t)
	run := endedRun(t, ns, time.Minute)
	s.Stop()
	starts(t, ns, in(t, s), func(r *Reconciler) { r.Pause = 16 * time.Second }) // longer than the store is left alone (10 s after the attempt), on a busy machine, too
	got := await(t, run, "an attempt that failed", has(v1alpha1.ReasonRetrying))
	checkTables(t, got)
	if !strings.Contains(got.Status.Report.Message, "attempt 1 of 5 at the page failed, and it is tried again: the object store does not answer") {
		t.Errorf("the status says %q", got.Status.Report.Message)
	}
	s.Resume(t)
	got = await(t, run, "a page", has(v1alpha1.ReasonSucceeded))
	checkPage(t, got, s)
	if n := got.Status.Report.Attempts; n != 2 {
		t.Errorf("%d attempts", n)
	}
}

// noStore refuses everything.
type noStore struct{ asked int }

func (n *noStore) Write(context.Context, store.Item, string, []byte) (store.State, error) {
	n.asked++
	return store.Unreachable, errors.New("403 Forbidden")
}

func (n *noStore) URL(string) string { return "" }

func TestThePageIsGivenUp(t *testing.T) {
	t.Parallel()
	ns, none := server.Namespace(t), &noStore{}
	run := endedRun(t, ns, time.Minute)
	m := starts(t, ns, func(r *Reconciler) { r.Store = none })
	got := await(t, run, "the end of the attempts", has(v1alpha1.ReasonReportNotStored))
	checkTables(t, got)
	unchanged(t, run, got)
	if want := "the page is not stored after 5 attempts: 403 Forbidden; kubectl assay report run makes it"; got.Status.Report.Message != want {
		t.Errorf("the status says %q, want %q", got.Status.Report.Message, want)
	}
	awaitEvent(t, run, v1alpha1.ReasonReportNotStored)
	if none.asked != MaxAttempts || m.outcome(t, "not_stored") != 1 {
		t.Errorf("%d requests", none.asked)
	}
}

// A page that would take too much memory is not made, and nobody tries again.
func TestThePageIsTooLarge(t *testing.T) {
	t.Parallel()
	ns, none := server.Namespace(t), &noStore{}
	run := endedRun(t, ns, time.Minute)
	m := starts(t, ns, func(r *Reconciler) { r.Store, r.Writer = none, writerOf(20000) })
	got := await(t, run, "no page", has(v1alpha1.ReasonReportTooLarge))
	if text := mapOf(t, run).Data["report.md"]; !strings.Contains(text, "## Medians") || none.asked != 0 || m.outcome(t, "too_large") != 1 {
		t.Errorf("%d requests; the tables:\n%s", none.asked, text)
	}
	if !strings.Contains(got.Status.Report.Message, "limits.resultMemory") || !strings.HasSuffix(got.Status.Report.Message, "; kubectl assay report run makes it") {
		t.Errorf("the status says %q", got.Status.Report.Message)
	}
	awaitEvent(t, run, v1alpha1.ReasonReportTooLarge)
}

// What ended before this manager was there stays as it is.
func TestRunsOfBeforeAnUpgrade(t *testing.T) {
	t.Parallel()
	ns, w := server.Namespace(t), &writes{}
	old := endedRun(t, ns, Window+time.Minute)
	starts(t, ns, counted(w))
	time.Sleep(time.Second)
	got := &v1alpha1.BenchmarkRun{}
	if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(old), got); err != nil || got.Status.Report != nil || w.count.Load() != 0 {
		t.Errorf("%+v, %d writes (%v)", got.Status.Report, w.count.Load(), err)
	}
}

// The next manager looks whether the ConfigMap is there. Of one that was deleted the status says so, once.
func TestTheTablesAreDeleted(t *testing.T) {
	t.Parallel()
	ns, s, w := server.Namespace(t), objectstore.Start(t), &writes{}
	run := endedRun(t, ns, 2*Window)
	run.Status.Report = &v1alpha1.ReportStatus{
		Reason: v1alpha1.ReasonSucceeded, ConfigMap: "run-report", MarkdownSHA256: "a", SummarySHA256: "b", SizeBytes: 1000,
		Page: &v1alpha1.StoredPage{Object: "s3://results/page", SHA256: "c"},
	}
	if err := server.API.Status().Update(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	m := starts(t, ns, in(t, s), counted(w))
	got := await(t, run, "a word of it", has(v1alpha1.ReasonReportNotStored)).Status.Report
	want := &v1alpha1.ReportStatus{
		Reason: v1alpha1.ReasonReportNotStored, Message: "ConfigMap run-report was deleted; kubectl assay report run makes it", Page: run.Status.Report.Page,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the status (-want +got):\n%s", diff)
	}
	awaitEvent(t, run, v1alpha1.ReasonReportNotStored)
	m.end()
	starts(t, ns, in(t, s), counted(w))
	time.Sleep(500 * time.Millisecond)
	if n := w.count.Load(); n != 1 {
		t.Errorf("%d writes, want that of the status", n)
	}
}

// The ConfigMap of somebody else is left alone, and an API server that refuses ours is not asked for ever.
func TestTheTablesAreNotStored(t *testing.T) {
	t.Parallel()
	refuses := func(r *Reconciler) {
		r.Client = interceptor.NewClient(noWatch{r.Client}, interceptor.Funcs{
			Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
				return apierrors.NewForbidden(corev1.Resource("configmaps"), "run-report", errors.New("exceeded quota"))
			},
		})
	}
	for name, tt := range map[string]struct {
		theirs bool
		change func(*Reconciler)
		reason string
		says   string
	}{
		"another object has the name": {theirs: true, change: func(*Reconciler) {}, reason: v1alpha1.ReasonChildConflict, says: "ConfigMap run-report exists and does not belong to this run"},
		"a quota is used up":          {change: refuses, reason: v1alpha1.ReasonReportNotStored, says: "exceeded quota"},
	} {
		t.Run(name, func(t *testing.T) {
			ns := server.Namespace(t)
			theirs := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "run-report"}, Data: map[string]string{"theirs": "yes"}}
			if tt.theirs {
				if err := server.API.Create(t.Context(), theirs); err != nil {
					t.Fatal(err)
				}
			}
			run := endedRun(t, ns, time.Minute)
			starts(t, ns, tt.change)
			got := await(t, run, "no report", has(tt.reason))
			unchanged(t, run, got)
			if report := got.Status.Report; !strings.Contains(report.Message, tt.says) || report.ConfigMap != "" {
				t.Errorf("the status says %+v", report)
			}
			awaitEvent(t, run, tt.reason)
			if tt.theirs && !cmp.Equal(mapOf(t, run).Data, theirs.Data) {
				t.Error("the ConfigMap of somebody else was written")
			}
		})
	}
}

// slow makes one page at a time, or says so.
type slow struct {
	Writer
	t    *testing.T
	mu   sync.Mutex
	made atomic.Int32
}

func (s *slow) Page(ctx context.Context, run *v1alpha1.BenchmarkRun) ([]byte, error) {
	if !s.mu.TryLock() {
		s.t.Error("two pages are made at a time")
		return nil, errors.New("busy")
	}
	defer s.mu.Unlock()
	time.Sleep(100 * time.Millisecond)
	s.made.Add(1)
	return s.Writer.Page(ctx, run)
}

// Many runs that ended at once have their reports made one after the other, and others may not read meanwhile.
func TestOneReportAtATime(t *testing.T) {
	t.Parallel()
	ns, s := server.Namespace(t), objectstore.Start(t)
	first := endedRun(t, ns, time.Minute)
	runs := []*v1alpha1.BenchmarkRun{first}
	for i := range 4 {
		run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: fmt.Sprint("run-", i)}, Spec: first.Spec}
		if err := server.API.Create(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		run.Status = v1alpha1.BenchmarkRunStatus{CompletionTime: first.Status.CompletionTime, Phase: first.Status.Phase, Conditions: first.Status.Conditions}
		if err := server.API.Status().Update(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	w := &slow{Writer: writerOf(64 << 20), t: t}
	var reading sync.Mutex
	reading.Lock()
	starts(t, ns, in(t, s), func(r *Reconciler) { r.Writer, r.Reading = w, &reading })
	time.Sleep(500 * time.Millisecond)
	for _, run := range runs {
		got := &v1alpha1.BenchmarkRun{}
		if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(run), got); err != nil || got.Status.Report != nil {
			t.Errorf("a report was made while another one read: %+v (%v)", got.Status.Report, err)
		}
	}
	reading.Unlock()
	for _, run := range runs {
		await(t, run, "a report", has(v1alpha1.ReasonSucceeded))
	}
	if n := int(w.made.Load()); n != len(runs) {
		t.Errorf("%d pages of %d runs", n, len(runs))
	}
}
