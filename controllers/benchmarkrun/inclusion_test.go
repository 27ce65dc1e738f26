package benchmarkrun

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// counters of a container on a machine of two CPUs over 10 s: how many CPUs it and the
// machine used, and in how many of 100 periods it was throttled.
type counters struct {
	used, busy float64
	throttled  int64
}

func (c counters) environment() contract.Environment {
	from := time.Now()
	return contract.Environment{
		Machine: contract.Machine{BootID: "one", CPUs: new(int64(2))}, Limits: contract.Limits{CPUs: new(1.0)},
		Before: &contract.Usage{At: from, CPUSeconds: new(0.0), NodeCPUSeconds: new(0.0), Periods: new(int64(0)), Throttled: new(int64(0))},
		After: &contract.Usage{
			At: from.Add(10 * time.Second), CPUSeconds: new(10 * c.used), NodeCPUSeconds: new(10 * c.busy), Periods: new(int64(100)), Throttled: &c.throttled,
		},
	}
}

// on puts the counters of a client and its target into a result.
func on(res *contract.Result, client, target counters) *contract.Result {
	e := target.environment()
	res.Client.Environment, res.Target = client.environment(), &e
	return res
}

func valid(run *v1alpha1.BenchmarkRun) metav1.Condition {
	if c := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionValid); c != nil {
		return *c
	}
	return metav1.Condition{}
}

// A trial is left out for what others did, and never for what it did to itself: that is a
// label. An idle pod on its nodes is a note.
func TestInclusionDoesNotDependOnTheOutcome(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	idle := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "idle", Namespace: ns},
		Spec:       corev1.PodSpec{NodeName: "node-client", Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
	run := newRun(t, ns) // it makes the nodes
	if err := server.API.Create(t.Context(), idle); err != nil {
		t.Fatal(err)
	}
	idle.Status.Phase, idle.Status.StartTime = corev1.PodRunning, &metav1.Time{Time: time.Now().Add(-time.Hour)}
	if err := server.API.Status().Update(t.Context(), idle); err != nil {
		t.Fatal(err)
	}
	good := goodClient(t)
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		res := good(trial)
		switch {
		case trial.Ref.Phase != string(contract.PhaseRun):
			return res
		case isTrial(trial, 0): // a stall: little CPU, and still throttled often
			return on(res, counters{0.2, 0.7, 0}, counters{0.4, 0.7, 40})
		case isTrial(trial, 1): // others use 0.9 of two CPUs, all of which the pods may use
			return on(res, counters{0.3, 1.9, 0}, counters{0.7, 1.9, 0})
		}
		return on(res, counters{0.95, 1.6, 2}, counters{0.6, 1.6, 0})
	}})
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 3)
	recs := records(t, got)
	for i, want := range []struct {
		disturbed bool
		limits    []contract.RecordedLimit
	}{
		{false, []contract.RecordedLimit{{By: "CPU", ThrottledShare: new(0.4)}}},
		{true, nil},
		{false, []contract.RecordedLimit{{By: "Client", ThrottledShare: new(0.02)}}},
	} {
		if recs[i].Valid == nil || !*recs[i].Valid || recs[i].Disturbed != want.disturbed {
			t.Errorf("trial %d: valid %v, disturbed %v, findings %+v", i, recs[i].Valid, recs[i].Disturbed, recs[i].Findings)
		}
		if diff := cmp.Diff(want.limits, recs[i].LimitedBy); diff != "" {
			t.Errorf("trial %d: limits (-want +got):\n%s", i, diff)
		}
		note := slices.IndexFunc(recs[i].Findings, func(f contract.RecordedFinding) bool { return f.Check == "second-workload" })
		if note < 0 || recs[i].Findings[note].Severity != "Note" || !strings.Contains(recs[i].Findings[note].Message, ns+"/idle") {
			t.Errorf("trial %d: findings %+v, want a note of the idle pod", i, recs[i].Findings)
		}
	}
	if n := got.Status.Summary[0].TrialCount; n != 2 {
		t.Errorf("n = %d in the summary, want 2", n)
	}
	c := valid(got)
	if want := "2 of 3 results passed every check; not part of the summary: 1 disturbed"; c.Status != metav1.ConditionTrue || c.Message != want {
		t.Errorf("condition Valid %+v, want True with %q", c, want)
	}
}

// A run of which nothing counts has not passed every check. Its numbers are shown, and marked.
func TestRunWithoutAUsableTrialIsNotValid(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	good := goodClient(t)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		if trial.Ref.Phase != string(contract.PhaseRun) {
			return good(trial)
		}
		return on(good(trial), counters{0.3, 1.9, 0}, counters{0.7, 1.9, 0})
	}})
	run := newRun(t, ns)
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	c := valid(got)
	if c.Status != metav1.ConditionFalse || c.Reason != v1alpha1.ReasonNoUsableTrial || c.Message != "none of 3 results counts; 3 disturbed, and neighbours lasted for more than half of the blocks: "+
		"the summary has these trials, marked, and decides nothing by them: see status.findings" {
		t.Errorf("condition Valid %+v", c)
	}
	for _, e := range got.Status.Summary {
		if e.TrialCount != 3 || e.Median == "" || e.PlannedTrialCount != 3 || e.WithDisturbed != nil || !strings.Contains(e.Caveat, "3 of 3 trials were disturbed (neighbours)") {
			t.Errorf("entry %+v, want one of all trials, with a caveat", e)
		}
	}
}
