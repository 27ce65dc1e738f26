package benchmarkrun

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// searching is a run that looks for the highest rate from 100 to 1600 with a p99 of at most 20 ms.
func searching(run *v1alpha1.BenchmarkRun) {
	run.Spec.Workload.Sysbench.Percentile = 99
	run.Spec.Search = &v1alpha1.Search{Low: 100, High: 1600, Precision: "5%", Trials: 1, Objectives: []v1alpha1.SearchObjective{
		{Measurement: v1alpha1.MeasurementRef{Name: "latency.percentile", Labels: map[string]string{"p": "99"}}, AtMost: "20ms"},
	}}
	run.Spec.Design.Blocks = 1
}

// underLoad plays servers with a capacity: beyond it, they achieve no more and take longer. The tool
// gives up at a server of capacity 0.
func underLoad(capacity map[string]float64) kubelet.Client {
	return func(trial contract.Trial) *contract.Result {
		rate, most := float64(sysbenchOf(trial).Rate), capacity[trial.Ref.Target]
		res := delivers(func(contract.Trial) float64 { return min(rate, most) })(trial)
		if trial.Ref.Phase != string(contract.PhaseRun) {
			return res
		}
		if most == 0 {
			return fails(res, contract.ReasonTargetOverloaded, "the event queue is full")
		}
		p99 := 5.0
		if rate > most {
			p99 = 500
		}
		figure := func(name, unit string, v float64, labels map[string]string) {
			res.Measurements = append(res.Measurements, contract.Measurement{Name: name, Unit: unit, Value: &v, Labels: labels})
		}
		figure(contract.NameOffered, "tx/s", rate, nil)
		figure(contract.NameErrorRate, "errors/s", 0, nil)
		figure(contract.NameTotalTime, "s", 10, nil)
		figure(contract.NameLatencyPercentile, "ms", p99, map[string]string{"p": "99"})
		return res
	}
}

// The highest rate of each target is found or bounded; a tool that cannot offer the rate is an answer,
// and ends nothing. Each decision is in the record before the trial that it decides.
func TestTheHighestRateIsFound(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	var told diary
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(underLoad(map[string]float64{"db": 700, "fast": 9999, "slow": 0}))})
	run := newRun(t, ns, searching, alsoTarget("fast"), alsoTarget("slow"))
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkMeasured(t, k, got, 8+2+1)

	accepted := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionAccepted).Message
	if want := "36 trials planned: 1 cell x 3 targets x 1 block x 12 trials of a search from 100 to 1600, within 5%; that is the maximum, and takes 6 min without resets"; !strings.HasPrefix(accepted, want) {
		t.Errorf("Accepted: %q, want %q", accepted, want)
	}
	why := "latency.percentile p=99 was 500 ms, and at most 20ms holds"
	want := []v1alpha1.SearchEntry{
		{Target: "db", Outcome: v1alpha1.SearchFound, Held: 673, Failed: 703, TrialCount: 8, Reason: why, Text: "db, block 0: 673 held, 703 did not: " + why + " (8 trials)"},
		{Target: "fast", Outcome: v1alpha1.SearchAllHeld, Held: 1600, TrialCount: 2, Text: "fast, block 0: 1,600 or more: search.high held (2 trials)"},
		{
			Target: "slow", Outcome: v1alpha1.SearchNoneHeld, Failed: 100, TrialCount: 1, Saturated: true, Reason: "the event queue is full",
			Text: "slow, block 0: no rate is known to hold: 100 (search.low) did not: the event queue is full (1 trial)",
		},
	}
	if diff := cmp.Diff(want, got.Status.Searches); diff != "" {
		t.Errorf("status.searches differs (-want +got):\n%s", diff)
	}
	if want := "highest rate: db 673 | fast 1,600 or more | slow less than 100 tx/s (n=1)"; got.Status.Headline != want {
		t.Errorf("headline %q, want %q", got.Status.Headline, want)
	}
	if p := got.Status.Progress; p.Planned != 11 || p.Text != "11/11" {
		t.Errorf("progress %+v, want 11 of 11: the others are not missing", p)
	}
	checkSearchStored(t, got, want)
	checkDecisions(t, got, told.phase(contract.PhaseRun))
}

// checkMeasured: each trial was measured once, and those that a decision skips are not counted.
func checkMeasured(t *testing.T, k *kubelet.Kubelet, run *v1alpha1.BenchmarkRun, trials int) {
	t.Helper()
	if p := run.Status.Progress; int(p.Done) != trials || int(p.Planned) != trials || len(records(t, run)) != trials {
		t.Errorf("the status counts %d trials of %d, the journal %d, want %d", p.Done, p.Planned, len(records(t, run)), trials)
	}
	checkChain(t, run)
	for job, n := range k.ToolStarts() {
		if n != 1 {
			t.Errorf("the tool of %s was started %d times", job, n)
		}
	}
}

// checkSearchStored: the answers are in the summary, and only what was found is a value.
func checkSearchStored(t *testing.T, run *v1alpha1.BenchmarkRun, want []v1alpha1.SearchEntry) {
	t.Helper()
	var stored []v1alpha1.SearchEntry
	for i := range run.Status.Results.SummaryConfigMapCount {
		part, err := journal.DecodeSummary(journalPart(t, run, contract.SummaryName(run.Name, i), contract.KeySummary))
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, part.Searches...)
	}
	if diff := cmp.Diff(want, stored); diff != "" || run.Status.Results.SearchCount != 3 {
		t.Errorf("%d searches are stored (-want +got):\n%s", run.Status.Results.SearchCount, diff)
	}
	medians := map[string]string{}
	for _, e := range run.Status.Summary {
		medians[e.Target+" "+e.Name+" "+e.Unit] = e.Median
	}
	if diff := cmp.Diff(map[string]string{"db rate.highest tx/s": "673", "fast rate.highest tx/s": "", "slow rate.highest tx/s": ""}, medians); diff != "" {
		t.Errorf("medians differ (-want +got):\n%s", diff)
	}
}

// checkDecisions: each trial has the rate that the record before it decides, in its record and in what
// its client was told.
func checkDecisions(t *testing.T, run *v1alpha1.BenchmarkRun, told []contract.Trial) {
	t.Helper()
	rate, next := int64(100), int32(0)
	recs := records(t, run)
	if len(recs) != len(told) {
		t.Fatalf("%d records of %d trials", len(recs), len(told))
	}
	for i, rec := range recs {
		if rec.Index != next || rec.Rate != rate || rec.Parameters["rate"] != (contract.Scalar{Int: int32(rate), IsInt: true}) || int64(sysbenchOf(told[i]).Rate) != rate {
			t.Errorf("record %d is of trial %d at %d %v, and its client was told %d; want trial %d at %d", i, rec.Index, rec.Rate, rec.Parameters, sysbenchOf(told[i]).Rate, next, rate)
		}
		if rec.Decision == nil || rec.Decision.Stop != (i == len(recs)-1) {
			t.Fatalf("record %d has the decision %+v", i, rec.Decision)
		}
		if !rec.Decision.Stop {
			rate, next = rec.Decision.Rate, *rec.Decision.Next
		}
	}
}

// A trial that fails for another reason is of no use, and is repeated at its rate.
func TestASearchRepeatsWhatFailed(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	load := underLoad(map[string]float64{"db": 150})
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		if isTrial(trial, 1) {
			return fails(delivers(always(1))(trial), contract.ReasonToolFailed, "it stumbled")
		}
		return load(trial)
	}})
	run := newRun(t, ns, searching, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Search.Precision, r.Spec.Design.OnTrialFailure = "100%", v1alpha1.OnFailureContinue
	})
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkMeasured(t, k, got, 5)
	if s := got.Status.Searches; len(s) != 1 || s[0].Outcome != v1alpha1.SearchFound || s[0].Held != 100 || s[0].RepeatedTrialCount != 1 {
		t.Errorf("searches %+v", s)
	}
}

// What a search cannot do is refused, with the field.
func TestBadSearches(t *testing.T) {
	if err := nodes(); err != nil {
		t.Fatal(err)
	}
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	n := 0
	for name, tt := range map[string]struct{ replace, by, search, refused, message string }{
		"low above high":         {search: `{low: 200, high: 100}`, refused: "high must be above low: the search is between them"},
		"no low":                 {search: `{high: 100}`, refused: "spec.search.low"},
		"a precision of 0":       {search: `{low: 1, high: 100, precision: 0%}`, refused: "precision must be from 0.1% to 100%, such as 5%"},
		"a bound in fathoms":     {search: `{low: 1, high: 100, objectives: [{measurement: {name: latency.avg}, atMost: 20fathoms}]}`, refused: "spec.search.objectives[0].atMost"},
		"no unit":                {search: `{low: 1, high: 100, objectives: [{measurement: {name: latency.avg}, atMost: "20"}]}`, message: "spec.search.objectives[0]: atMost: latency.avg is a time: give 20 a unit, such as 20ms"},
		"no measurement":         {search: `{low: 1, high: 100, objectives: [{measurement: {name: speed}, atMost: "20"}]}`, message: "spec.search.objectives[0]: measurement.name: the records of this tool have no speed"},
		"another percentile":     {search: `{low: 1, high: 100, objectives: [{measurement: {name: latency.percentile, labels: {p: "99"}}, atMost: 20ms}]}`, message: "with this workload the tool computes the percentiles 95, and not 99"},
		"more than the deadline": {search: `{low: 1, high: 10000000, precision: 0.1%, trials: 15}`, message: "spec.deadline: 1h0m0s is shorter than the plan"},
		"a comparison of something else": {
			search: `{low: 1, high: 100}` + "\n  analysis: {comparisons: [{factor: target, measurements: [{name: throughput}]}]}", message: "the records of this tool have no throughput: use one of rate.highest",
		},
	} {
		n++
		t.Run(name, func(t *testing.T) {
			bad := badSpec{refused: tt.refused, reason: v1alpha1.ReasonInvalidSpec, message: tt.message, replace: "deadline: 1h", by: "deadline: 1h\n  search: " + tt.search}
			bad.try(t, ns, n)
		})
	}
}
