package benchmarkrun

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// driversRun has drivers of two languages.
func driversRun(r *v1alpha1.BenchmarkRun) {
	r.Spec.Workload = v1alpha1.Workload{Drivers: &v1alpha1.DriversWorkload{
		Drivers: []v1alpha1.Driver{{Language: "Node", Name: "mysql2"}, {Language: "Go", Name: "go-sql-driver"}, {Language: "Node", Name: "mariadb"}},
		Benchmarks: []v1alpha1.DriverBenchmark{
			{Operation: "SelectOne"}, {Operation: "Insert", Schemes: []v1alpha1.DriverScheme{"SingleRow", "Batch"}, Rows: []int32{100}},
		},
	}}
	r.Spec.Design.Warmup, r.Spec.Design.Duration = nil, &metav1.Duration{Duration: time.Second}
}

// manyValues is a result of a harness, with more numbers than a status has room for, and one
// that is absent.
func manyValues(trial contract.Trial) *contract.Result {
	res := delivers(always(5))(trial)
	res.Measurements = nil
	for i := range 2 * maxShown {
		res.Measurements = append(res.Measurements, contract.Measurement{
			Name: contract.NameThroughput, Labels: map[string]string{"driver": fmt.Sprint(i)}, Unit: "ops/s", Value: new(float64(i + 1)),
		})
	}
	res.Measurements = append(res.Measurements, contract.Measurement{
		Name: contract.NameThroughput, Labels: map[string]string{"driver": "x"}, Unit: "ops/s",
		Absent: &contract.Absence{State: contract.Unsupported, Reason: "Client does not support authentication protocol"},
	})
	return res
}

// Each language is measured from the image of its own, as an axis that the workload brings.
func TestLanguagesHaveImagesOfTheirOwn(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	var mu sync.Mutex
	images := map[string]string{}
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		if trial.Ref.Phase != string(contract.PhaseRun) {
			return delivers(always(5))(trial)
		}
		var w v1alpha1.DriversWorkload
		job := &batchv1.Job{}
		key := client.ObjectKey{Namespace: ns, Name: contract.TrialName("run", int32(*trial.Ref.Index), 0)}
		if err := json.Unmarshal(trial.Workload, &w); err != nil {
			t.Error(err)
		} else if err := server.API.Get(t.Context(), key, job); err != nil {
			t.Error(err)
		} else {
			mu.Lock()
			defer mu.Unlock()
			images[string(w.Language)] = job.Spec.Template.Spec.Containers[1].Image
		}
		return manyValues(trial)
	}})
	run := newRun(t, ns, driversRun, func(r *v1alpha1.BenchmarkRun) { r.Spec.Design.Blocks = 2 })
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 4)

	if diff := cmp.Diff(map[string]string{"Node": "node:1", "Go": "go:1"}, images); diff != "" {
		t.Errorf("images of the jobs (-want +got):\n%s", diff)
	}
	want := []v1alpha1.RunnerImage{{Name: "drivers-node", Image: "node:1"}, {Name: "drivers-go", Image: "go:1"}}
	if diff := cmp.Diff(want, got.Status.Resolved.RunnerImages); diff != "" {
		t.Errorf("status.resolved.runnerImages (-want +got):\n%s", diff)
	}
	for _, rec := range records(t, got) {
		if len(rec.Values) != 2*maxShown {
			t.Errorf("the record of trial %d has %d values, want %d", rec.Index, len(rec.Values), 2*maxShown)
		}
		if language := rec.Parameters["language"]; language.String() != "Node" && language.String() != "Go" {
			t.Errorf("trial %d has the parameters %v", rec.Index, rec.Parameters)
		}
		found := false
		for _, f := range rec.Findings {
			found = found || f.Check == "unsupported"
		}
		if !found {
			t.Errorf("trial %d does not tell what is unsupported: %+v", rec.Index, rec.Findings)
		}
	}
	for _, trial := range got.Status.Trials {
		if len(trial.Values) != maxShown {
			t.Errorf("trial %d shows %d values in the status, want %d", trial.Index, len(trial.Values), maxShown)
		}
	}
}

// A run whose comparison has unlike sides ends with a verdict that names both, and its status has what they differ in.
func TestAComparisonOfUnlikeSides(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		res := delivers(always(5))(trial)
		if trial.Ref.Phase != string(contract.PhaseRun) {
			return res
		}
		res.Measurements = nil
		for i, of := range [][2]string{{"mysql2", "SingleRow"}, {"mariadb", "SingleRow"}, {"mariadb", "Batch"}} {
			res.Measurements = append(res.Measurements, contract.Measurement{
				Name: contract.NameThroughput, Unit: "ops/s", Direction: contract.HigherIsBetter, Value: new([]float64{40, 50, 2000}[i] + float64(*trial.Ref.Index%3)),
				Labels: map[string]string{"driver": of[0], "scheme": of[1], "operation": "Insert", "rows": "100", "transaction": "Autocommit"},
			})
		}
		return res
	}})
	run := newRun(t, ns, driversRun, func(r *v1alpha1.BenchmarkRun) {
		w := r.Spec.Workload.Drivers
		w.Drivers, w.Benchmarks = []v1alpha1.Driver{w.Drivers[0], w.Drivers[2]}, w.Benchmarks[1:]
		r.Spec.Design.Blocks = 6
		r.Spec.Analysis = &v1alpha1.Analysis{Comparisons: []v1alpha1.Comparison{{
			Factor: "driver", Baseline: new(intstr.FromString("mysql2")),
			Within: v1alpha1.Exclusion{"scheme": intstr.FromString("Batch")}, BaselineWithin: v1alpha1.Exclusion{"scheme": intstr.FromString("SingleRow")},
		}}}
	})
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	if len(got.Status.Comparisons) != 1 {
		t.Fatalf("got %+v", got.Status.Comparisons)
	}
	c := got.Status.Comparisons[0]
	if diff := cmp.Diff([]v1alpha1.UnlikeFactor{{Factor: "scheme", Value: "Batch", Baseline: "SingleRow"}}, c.Unlike); diff != "" || c.Verdict != v1alpha1.VerdictFaster || c.BlockCount != 6 {
		t.Errorf("%s: unlike (-want +got):\n%s", c.Text, diff)
	}
	if want := ": driver mariadb with scheme Batch against mysql2 with scheme SingleRow on "; !strings.Contains(c.Text, want) || !strings.Contains(got.Status.Verdict, want) {
		t.Errorf("the verdict is %q, and the text %q", got.Status.Verdict, c.Text)
	}
}

// The design of drivers is that of each measurement: the API server cannot know how many
// there are in a trial, and the manager refuses a deadline that they would not meet.
func TestDeadlineOfDriversFollowsFromThePlan(t *testing.T) {
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	run := newRun(t, ns, driversRun, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Design.Duration.Duration, r.Spec.Deadline.Duration = time.Hour, 3*time.Hour
	})
	create(t, run)
	got := await(t, run, "Failed", isTrue(v1alpha1.ConditionFailed))
	c := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionFailed)
	if c.Reason != v1alpha1.ReasonInvalidSpec || !strings.Contains(c.Message, "spec.deadline: 3h0m0s is shorter than the plan") {
		t.Errorf("reason %s, message %q", c.Reason, c.Message)
	}
}

// A language whose image the operator does not have is refused before anything starts.
func TestALanguageWithoutAnImageIsRefused(t *testing.T) {
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	run := newRun(t, ns, driversRun, func(r *v1alpha1.BenchmarkRun) { r.Spec.Workload.Drivers.Drivers[0].Language = "Ruby" })
	create(t, run)
	got := await(t, run, "Failed", isTrue(v1alpha1.ConditionFailed))
	c := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionFailed)
	if c.Reason != v1alpha1.ReasonInvalidSpec || !strings.Contains(c.Message, "runners.drivers-ruby.image") {
		t.Errorf("reason %s, message %q", c.Reason, c.Message)
	}
}
