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
	"github.com/assay-bench/assay/internal/plan"

	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/contract"

	"github.com/assay-bench/assay/internal/merge"
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
		case isTrial(trial, 1): // others use 0.6 of two CPUs, all of which the pods may use
			return on(res, counters{0.5, 1.9, 0}, counters{0.8, 1.9, 0})
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

// A run of which nothing counts has not passed every check.
func TestRunWithoutAUsableTrialIsNotValid(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	good := goodClient(t)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		if trial.Ref.Phase != string(contract.PhaseRun) {
			return good(trial)
		}
		return on(good(trial), counters{0.5, 1.9, 0}, counters{0.8, 1.9, 0})
	}})
	run := newRun(t, ns)
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	c := valid(got)
	if c.Status != metav1.ConditionFalse || c.Reason != v1alpha1.ReasonNoUsableTrial || c.Message != "none of 3 results counts: 3 disturbed: see status.findings" {
		t.Errorf("condition Valid %+v", c)
	}
	for _, e := range got.Status.Summary {
		if e.TrialCount != 0 || e.Median != "" || e.PlannedTrialCount != 3 || e.WithDisturbed == nil || e.WithDisturbed.TrialCount != 3 {
			t.Errorf("entry %+v, want one of no trial, with what the disturbed ones had beside it", e)
		}
	}
}

func TestSetValid(t *testing.T) {
	p := &plan.Plan{Targets: []string{"a", "b"}, Cells: []plan.Cell{{}, {}}}
	for block := range int32(2) {
		for cell := range int32(2) {
			for target := range int32(2) {
				p.Trials = append(p.Trials, plan.Trial{Index: int32(len(p.Trials)), Block: block, Cell: cell, Target: target})
			}
		}
	}
	// all trials of the plan, in their order, changed by index.
	all := func(change map[int]func(*contract.Record)) []contract.Record {
		var out []contract.Record
		for i, tr := range p.Trials {
			rec := contract.Record{
				Final: true, Index: tr.Index, Block: tr.Block, Cell: tr.Cell, Target: p.Targets[tr.Target], State: contract.Succeeded, Valid: new(true),
			}
			if f := change[i]; f != nil {
				f(&rec)
			} else if f := change[-1]; f != nil {
				f(&rec)
			}
			out = append(out, rec)
		}
		return out
	}
	failed := func(r *contract.Record) { r.State, r.Valid = contract.Failed, nil }
	invalid := func(r *contract.Record) { r.Valid = new(false) }
	disturbed := func(r *contract.Record) { r.Disturbed = true }
	type changes = map[int]func(*contract.Record)
	tests := map[string]struct {
		records []contract.Record
		want    string
	}{
		"nothing was measured":        {nil, "  "},
		"nothing has a result":        {all(changes{-1: failed}), "  "},
		"all is well":                 {all(nil), "True Succeeded 8 of 8 results passed every check"},
		"one failed":                  {all(changes{0: failed}), "True Succeeded 7 of 7 results passed every check"},
		"one was disturbed":           {all(changes{0: disturbed}), "True Succeeded 7 of 8 results passed every check; not part of the summary: 1 disturbed, 1 of the same blocks as disturbed ones"},
		"one is invalid":              {all(changes{0: invalid}), "False Contradictions 1 of 8 results contradict themselves: see status.findings; not part of the summary: 1 invalid"},
		"all were disturbed":          {all(changes{-1: disturbed}), "False NoUsableTrial none of 8 results counts: 8 disturbed: see status.findings"},
		"all are invalid":             {all(changes{-1: invalid}), "False NoUsableTrial none of 8 results counts: 8 invalid: see status.findings"},
		"some of both":                {all(changes{-1: invalid, 3: disturbed}), "False NoUsableTrial none of 8 results counts: 1 disturbed, 7 invalid: see status.findings"},
		"invalid and disturbed, both": {all(changes{-1: func(r *contract.Record) { invalid(r); disturbed(r) }}), "False NoUsableTrial none of 8 results counts: 8 invalid: see status.findings"},
		"a disturbed one in each block leaves none": {all(changes{0: disturbed, 3: disturbed, 5: disturbed, 6: disturbed}),
			"False NoUsableTrial none of 8 results counts: 4 disturbed, 4 of the same blocks as disturbed ones: see status.findings"},
		"a cell without any": {all(changes{0: disturbed, 4: disturbed}),
			"True Succeeded 6 of 8 results passed every check; not part of the summary: 2 disturbed, 2 of the same blocks as disturbed ones; " +
				"1 of 2 cells have no usable trial of at least one target"},
		"a target without any in one cell": {all(changes{0: failed, 4: failed}),
			"True Succeeded 6 of 6 results passed every check; 1 of 2 cells have no usable trial of at least one target"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := &scope{run: &v1alpha1.BenchmarkRun{}, plan: p}
			setValid(s, tc.records)
			c := valid(s.run)
			if got := string(c.Status) + " " + c.Reason + " " + c.Message; got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

// The more trials a run has, the less chance is left to each: the mix of one trial that is
// one of some thousand is a finding in a run of one trial, and none in a run of 1,000.
func TestChanceIsSharedByAllTrials(t *testing.T) {
	n, reads := int64(10000), 5215.0
	res := contract.Result{
		State: contract.Succeeded, Trial: contract.TrialRef{Phase: string(contract.PhaseRun)},
		Measurements: []contract.Measurement{
			{Name: contract.NameThroughput, Value: new(1000.0), N: &n},
			{Name: contract.NameOperationCount, Labels: map[string]string{contract.LabelOperation: "read"}, Value: &reads},
		},
	}
	for trials, want := range map[int]bool{1: true, 1000: false} {
		s := &scope{
			run:  &v1alpha1.BenchmarkRun{Spec: v1alpha1.BenchmarkRunSpec{Targets: []v1alpha1.Target{{Name: "a", External: &v1alpha1.ExternalTarget{}}}}},
			plan: &plan.Plan{Trials: make([]plan.Trial, trials)},
			runner: runner.Runner{Facts: func(contract.Trial) (runner.Facts, error) {
				return runner.Facts{Mix: map[string]float64{"read": 0.5}}, nil
			}},
		}
		s.run.Spec.SetDefaults()
		findings, _ := s.check(execution{ref: contract.TrialRef{Target: "a"}}, []contract.Result{res}, merge.Skew{})
		if got := slices.ContainsFunc(findings, isInvalid); got != want {
			t.Errorf("of %d trials: invalid %v, want %v: %+v", trials, got, want, findings)
		}
	}
}
