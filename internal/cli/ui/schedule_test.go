package ui

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/history"
)

func nightly() *v1alpha1.BenchmarkSchedule {
	s := &v1alpha1.BenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "nightly", UID: "nightly-uid"}}
	s.Spec.Schedule, s.Spec.Alarm = "0 2 * * *", &v1alpha1.Alarm{}
	s.Spec.RunTemplate.Spec.Gate = &v1alpha1.Gate{Baseline: "expected"}
	s.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionRegressed, Status: metav1.ConditionTrue, Reason: "Slower", Message: "one measurement became slower"}}
	s.Status.Regressions = []v1alpha1.ScheduleRegression{{Source: v1alpha1.RegressionOfChangePoint, Measurement: throughputOf("a"), Since: "nightly-3", RunCount: 2, Confirmed: true, Text: "a throughput: the level changed by -10 %"}}
	return s
}

func throughputOf(target string) v1alpha1.MeasurementKey {
	return v1alpha1.MeasurementKey{Target: target, Name: contract.NameThroughput, Unit: "tx/s"}
}

func expected() *v1alpha1.BenchmarkBaseline {
	b := &v1alpha1.BenchmarkBaseline{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "expected"}}
	b.Spec.Measurements = []v1alpha1.ExpectedMeasurement{{MeasurementKey: throughputOf("a"), Blocks: []string{"99", "100", "101"}}}
	return b
}

// historyOf the schedule: five nights of two targets, the last two of a are slower.
func historyOf(t *testing.T, s *v1alpha1.BenchmarkSchedule, change func(*contract.History)) *corev1.ConfigMap {
	t.Helper()
	h := contract.History{ScheduleUID: string(s.UID)}
	for i := range 5 {
		run := contract.PastRun{
			Name: fmt.Sprintf("nightly-%d", i), UID: fmt.Sprintf("u%d", i), Outcome: "Succeeded", Valid: "True", Trigger: "Schedule",
			CompletionTime: time.Date(2026, 10, 20+i, 3, 0, 0, 0, time.UTC), Verdict: "b 1.50x a",
		}
		for n, target := range []string{"a", "b"} {
			level := 100 * float64(n+1)
			if i >= 3 && n == 0 {
				level = 90
			}
			low, high := level-1, level+1
			run.Series = append(run.Series,
				contract.PastSeries{Target: target, Name: contract.NameThroughput, Unit: "tx/s", Direction: contract.HigherIsBetter, Values: []*float64{&low, &level, &high, nil}},
				contract.PastSeries{Target: target, Name: contract.NameLatencyAvg, Unit: "ms", Direction: contract.LowerIsBetter, Values: []*float64{&low}})
		}
		h.Runs = append(h.Runs, run)
	}
	if change != nil {
		change(&h)
	}
	gz, _, err := history.Encode(h)
	if err != nil {
		t.Fatal(err)
	}
	s.Status.History = &v1alpha1.HistoryStatus{SHA256: contract.Digest(gz)}
	yes := true
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: contract.HistoryName(s.Name, string(s.UID)), OwnerReferences: []metav1.OwnerReference{{
			APIVersion: v1alpha1.GroupVersion.String(), Kind: "BenchmarkSchedule", Name: s.Name, UID: s.UID, Controller: &yes,
		}}},
		BinaryData: map[string][]byte{contract.KeyHistory: gz},
	}
}

func TestSchedules(t *testing.T) {
	h := pages(cluster(t, interceptor.Funcs{}, nightly())).handler()
	says(t, get(t, h, "/schedules"), http.StatusOK, `<a href="/schedule/ns/nightly">nightly</a>`, "0 2 * * *", "one measurement became slower")
	says(t, get(t, h, "/schedules?namespace=other"), http.StatusOK, "There are no schedules here")
	says(t, get(t, h, "/schedule/ns/nightly"), http.StatusOK, "There is no history yet")
	says(t, get(t, h, "/schedule/ns/none"), http.StatusNotFound, "not there")
}

func TestSchedule(t *testing.T) {
	s := nightly()
	h := pages(cluster(t, interceptor.Funcs{}, s, expected(), historyOf(t, s, nil))).handler()
	w := get(t, h, "/schedule/ns/nightly")
	says(t, w, http.StatusOK, "one measurement became slower", "throughput, tx/s</option>", "latency.avg, ms</option>", "a, baseline expected", "Baseline expected expects 100 tx/s of a.",
		"a: change point", `<a href="/run/ns/nightly-4">nightly-4</a>`, ">90</td>", ">89</td>", ">91</td>", "a throughput: the level changed")
	if strings.Index(w.Body.String(), ">nightly-4<") > strings.Index(w.Body.String(), `/run/ns/nightly-0`) {
		t.Error("the newest run does not come first")
	}
	latency := get(t, h, "/schedule/ns/nightly?measurement="+keyIn(v1alpha1.MeasurementKey{Name: contract.NameLatencyAvg, Unit: "ms"}))
	says(t, latency, http.StatusOK, "selected>latency.avg, ms", "Baseline expected does not have this measurement.")
	if strings.Contains(latency.Body.String(), "a: change point") {
		t.Error("the change of another measurement is marked")
	}
}

// A history that is not that of the schedule is not shown, and what is in one is text.
func TestHostileHistory(t *testing.T) {
	const evil = `<img src=x onerror=alert(1)>`
	s := nightly()
	foreign := historyOf(t, s, nil)
	foreign.OwnerReferences = nil
	h := pages(cluster(t, interceptor.Funcs{}, s, foreign)).handler()
	w := get(t, h, "/schedule/ns/nightly")
	says(t, w, http.StatusOK, "belongs to another object")
	if strings.Contains(w.Body.String(), "nightly-4") {
		t.Error("the history of another object is shown")
	}
	broken := historyOf(t, s, nil)
	broken.BinaryData[contract.KeyHistory] = []byte("no gzip")
	says(t, get(t, pages(cluster(t, interceptor.Funcs{}, s, broken)).handler(), "/schedule/ns/nightly"), http.StatusOK, "It cannot be shown.", "it is not what Assay wrote")
	written := historyOf(t, s, func(h *contract.History) {
		last := &h.Runs[len(h.Runs)-1]
		last.Name, last.Verdict, last.Series[0].Target, last.Series[0].Name = evil, strings.Repeat(evil, 100), evil, evil
	})
	w = get(t, pages(cluster(t, interceptor.Funcs{}, s, expected(), written)).handler(), "/schedule/ns/nightly")
	says(t, w, http.StatusOK, "&lt;img src=x")
	if text := w.Body.String(); strings.Contains(text, "<img") || strings.Contains(text, `href="/run/ns/&lt;`) {
		t.Errorf("what a history has is not text: %s", text)
	}
}
