package hostile

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/history"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// Schedules of a hostile tenant: so many have a history of many runs that Assay could have written, and so many a forged one. All look for
// changes of the smallest error rate, and name as many bytes of ConfigMaps as they may.
const (
	largest = 8
	forged  = 24
	sound   = 10
)

// Series of each run of the largest history, and how many of them are searched for changes.
const (
	seriesOfLargest = 128
	searched        = 4
)

// hostileSchedules of one tenant stand beside sound ones of another.
func hostileSchedules(t *testing.T, m manager, calm *neighbourhood, namespace string) {
	t.Logf("ten sound schedules took %.1f s to start a run each, without hostile ones", startsOf(t, calm, namespace, "before").Seconds())
	namedByTemplates(t, namespace)
	h := manyRunsOf(t, 500, seriesOfLargest)
	for i := range largest + forged {
		s := newSchedule(namespace, namespace, fmt.Sprint("hostile-", i))
		s.Spec.OnChange, s.Spec.Suspend = true, true
		s.Spec.Alarm = &v1alpha1.Alarm{ChangePoints: &v1alpha1.ChangePoints{ErrorRate: "0.1%", MinimumEffect: "1%"}}
		for n := range searched {
			s.Spec.Alarm.ChangePoints.Measurements = append(s.Spec.Alarm.ChangePoints.Measurements, v1alpha1.MeasurementRef{Name: fmt.Sprint("m", n+1)})
		}
		for n := range 8 {
			s.Spec.RunTemplate.Spec.Targets[0].MySQL.ConfigFrom = append(s.Spec.RunTemplate.Spec.Targets[0].MySQL.ConfigFrom, corev1.LocalObjectReference{Name: fmt.Sprint("large-", n)})
		}
		if err := server.API.Create(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		giveHistory(t, s, h, i < largest)
	}
	manyBaselines(t, namespace)
	t.Logf("ten sound schedules took %.1f s to start a run each, beside %d hostile ones", startsOf(t, calm, namespace, "beside").Seconds(), largest+forged)
	for i := range largest + forged {
		want := "Tampered"
		if i < largest {
			want = v1alpha1.ReasonRegressed
		}
		awaitRegressed(t, client.ObjectKey{Namespace: namespace, Name: fmt.Sprint("hostile-", i)}, want)
	}
	t.Logf("and %.1f s when those had come to rest", startsOf(t, calm, namespace, "after").Seconds())
	if err := server.API.DeleteAllOf(t.Context(), &v1alpha1.BenchmarkSchedule{}, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
}

func newSchedule(namespace, pool, name string) *v1alpha1.BenchmarkSchedule {
	s := &v1alpha1.BenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	s.Spec.ConcurrencyPolicy = v1alpha1.AllowConcurrent
	s.Spec.RunTemplate.Spec = newRun(namespace, pool).Spec
	return s
}

// namedByTemplates are ConfigMaps of almost a megabyte each.
func namedByTemplates(t *testing.T, namespace string) {
	t.Helper()
	for n := range 8 {
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprint("large-", n)}, Data: map[string]string{"a.cnf": strings.Repeat("# a setting\n", 80000)}}
		if err := server.API.Create(t.Context(), cm); err != nil {
			t.Fatal(err)
		}
	}
}

// manyRunsOf a history, at most so many as it may have, whose level changes as often as a search finds changes.
func manyRunsOf(t *testing.T, runs, series int) contract.History {
	t.Helper()
	var h contract.History
	begin := time.Now().Add(-1000 * 24 * time.Hour).UTC().Truncate(time.Second)
	for n := range runs {
		run := contract.PastRun{
			Name: fmt.Sprint("run-", n), UID: fmt.Sprint("uid-", n), CompletionTime: begin.Add(time.Duration(n) * 24 * time.Hour), Outcome: "Measured", Valid: "True",
		}
		for i := range series {
			v := float64(1000-100*(n/60)) + float64((n*37+i*11)%13)
			run.Series = append(run.Series, contract.PastSeries{
				Target: "db", Name: fmt.Sprint("m", i), Unit: "tx/s", Direction: contract.HigherIsBetter, Parameters: map[string]contract.Scalar{"threads": {Int: int32(i), IsInt: true}}, Values: []*float64{&v},
			})
		}
		run.Series[0].Name = contract.NameThroughput
		h.Runs = append(h.Runs, run)
	}
	_, written, err := history.Encode(h)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("a history has %d runs of %d series", len(written.Runs), series)
	return written
}

// giveHistory to a schedule; one that its status knows is as good as its own.
func giveHistory(t *testing.T, s *v1alpha1.BenchmarkSchedule, h contract.History, known bool) {
	t.Helper()
	h.ScheduleUID = string(s.UID)
	gz, _, err := history.Encode(h)
	if err != nil {
		t.Fatal(err)
	}
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.Namespace, Name: contract.HistoryName(s.Name, string(s.UID)),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(s, v1alpha1.GroupVersion.WithKind("BenchmarkSchedule"))},
		},
		BinaryData: map[string][]byte{contract.KeyHistory: gz},
	}
	if err := server.API.Create(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	digest := contract.Digest(gz)
	if !known {
		digest = contract.Digest([]byte("what Assay wrote"))
	}
	for end := time.Now().Add(hang.Limit); ; {
		if err = server.API.Get(t.Context(), client.ObjectKeyFromObject(s), s); err != nil {
			t.Fatal(err)
		}
		last := h.Runs[len(h.Runs)-1]
		s.Status.History = &v1alpha1.HistoryStatus{ConfigMap: cm.Name, SHA256: digest, RunCount: int32(len(h.Runs)), SizeBytes: budget.OfConfigMap(cm)}
		s.Status.LastRun = &v1alpha1.EndedRun{Name: last.Name, UID: last.UID, CompletionTime: metav1.Time{Time: last.CompletionTime}, Outcome: last.Outcome}
		if err = server.API.Status().Update(t.Context(), s); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	// The manager looks again at a spec that changed, and not at a status that somebody wrote.
	if err := server.API.Patch(t.Context(), s, client.RawPatch(types.MergePatchType, []byte(`{"spec": {"failedRunsHistoryLimit": 7}}`))); err != nil {
		t.Fatal(err)
	}
}

// manyBaselines that are as large as may be, each of which a controller reads.
func manyBaselines(t *testing.T, namespace string) {
	t.Helper()
	for n := range 8 {
		b := &v1alpha1.BenchmarkBaseline{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprint("baseline-", n)}}
		b.Spec.Run.Name, b.Spec.Promotion = "r", v1alpha1.Promotion{Time: metav1.Now(), Author: "a", Reason: "r"}
		for i := range 512 {
			m := v1alpha1.ExpectedMeasurement{MeasurementKey: v1alpha1.MeasurementKey{Target: "db", Name: fmt.Sprint("m", i), Unit: "tx/s"}, Direction: "HigherIsBetter"}
			for block := range 100 {
				m.Blocks = append(m.Blocks, fmt.Sprint(block))
			}
			b.Spec.Measurements = append(b.Spec.Measurements, m)
		}
		if err := server.API.Create(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
}

// startsOf runs of sound schedules, by their annotation: how long until all have started one. They have a history, which is read
// before that. The runs are deleted at once, and nothing here
// collects the pods that hold their nodes: those are of another pool than the normal runs have.
func startsOf(t *testing.T, calm *neighbourhood, pool, value string) time.Duration {
	t.Helper()
	h := manyRunsOf(t, 30, 2)
	var all []*v1alpha1.BenchmarkSchedule
	for i := range sound {
		s := newSchedule(calm.namespace, pool, fmt.Sprintf("sound-%s-%d", value, i))
		if err := server.API.Create(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		giveHistory(t, s, h, true)
		all = append(all, s)
	}
	begin := time.Now()
	for _, s := range all {
		now := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"metadata": {"annotations": {%q: %q}}}`, v1alpha1.AnnotationRunNow, value))
		if err := server.API.Patch(t.Context(), s, now); err != nil {
			t.Fatal(err)
		}
	}
	for i := range sound {
		s := &v1alpha1.BenchmarkSchedule{}
		for end := time.Now().Add(hang.Limit); s.Status.RunNow != value; time.Sleep(10 * time.Millisecond) {
			if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: calm.namespace, Name: fmt.Sprintf("sound-%s-%d", value, i)}, s); err != nil {
				t.Fatal(err)
			}
			if time.Now().After(end) {
				t.Fatalf("a sound schedule starts nothing: %+v", s.Status.Conditions)
			}
		}
	}
	took := time.Since(begin)
	if err := server.API.DeleteAllOf(t.Context(), &v1alpha1.BenchmarkSchedule{}, client.InNamespace(calm.namespace)); err != nil {
		t.Fatal(err)
	}
	if err := server.API.DeleteAllOf(t.Context(), &v1alpha1.BenchmarkRun{}, client.InNamespace(calm.namespace), client.HasLabels{v1alpha1.LabelSchedule}); err != nil {
		t.Fatal(err)
	}
	return took
}

func awaitRegressed(t *testing.T, key client.ObjectKey, reason string) {
	t.Helper()
	s := &v1alpha1.BenchmarkSchedule{}
	for end := time.Now().Add(largest * hang.Limit); ; time.Sleep(100 * time.Millisecond) { // one history is judged at a time
		if err := server.API.Get(t.Context(), key, s); err != nil {
			t.Fatal(err)
		}
		if c := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ConditionRegressed); c != nil && c.Reason == reason {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: never %s: %+v", key.Name, reason, s.Status.Conditions)
		}
	}
}

// silentReceiver of notifications takes what it is sent, and does not answer.
func silentReceiver(t *testing.T) string {
	t.Helper()
	over := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}))
	t.Cleanup(func() { close(over); s.Close() })
	return s.URL
}
