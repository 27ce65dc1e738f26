package benchmarkrun

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/verdict/summary"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// A run with more trials, findings and cells than the status may show. No test takes longer: it
// stands in the last file, because Go begins with the last of the parallel tests.
func TestStatusStaysSmall(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	good := delivers(always(100))
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		res := good(trial)
		if trial.Ref.Phase != string(contract.PhaseRun) {
			return res
		}
		res.Errors = []contract.ErrorCount{{Name: contract.ErrorIgnored, Count: 3}} // a warning
		res.Measurements = append(res.Measurements, contract.Measurement{Name: contract.NameErrorRate, Unit: "errors/s", Value: new(1.0)})
		if *trial.Ref.Block == 1 && threadsOf(trial)%5 == 0 {
			res.Measurements = res.Measurements[1:] // no headline: contradicts itself
		}
		return res
	}})
	var threads []int
	for i := range 36 {
		threads = append(threads, i+1)
	}
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Matrix = []v1alpha1.Axis{
			{Name: "threads", Values: ints(threads...)}, {Name: "skipTrx", Values: []intstr.IntOrString{intstr.FromString("false"), intstr.FromString("true")}},
		}
		r.Spec.Design.Blocks = 2
	})
	create(t, run)
	got := await(t, run, "Complete", func(r *v1alpha1.BenchmarkRun) bool {
		checkSmall(t, r)
		return isTrue(v1alpha1.ConditionComplete)(r)
	})
	checkOnce(t, k, got, 144)
	if len(got.Status.Trials) != 10 || len(got.Status.Findings) != 20 || len(got.Status.Summary) != 72 {
		t.Errorf("the status has %d trials, %d findings and %d entries of the summary, want 10, 20 and 72",
			len(got.Status.Trials), len(got.Status.Findings), len(got.Status.Summary))
	}
	wantTotals := v1alpha1.Totals{Done: 144, Succeeded: 144, Invalid: 14}
	if diff := cmp.Diff(wantTotals, got.Status.Progress.Totals); diff != "" {
		t.Errorf("totals differ (-want +got):\n%s", diff)
	}
	wantResults := &v1alpha1.ResultsStatus{RecordConfigMapCount: 6, SummaryConfigMapCount: 2, SummaryEntryCount: 144, ShownEntryCount: 72, SweepCount: 2}
	if r := got.Status.Results; r != nil {
		// TestResultsHaveABudget compares these with the ConfigMaps.
		wantResults.BudgetBytes, wantResults.ClientBudgetBytes, wantResults.HeldBytes, wantResults.TrialBytes = r.BudgetBytes, r.ClientBudgetBytes, r.HeldBytes, r.TrialBytes
	}
	if diff := cmp.Diff(wantResults, got.Status.Results); diff != "" {
		t.Errorf("status.results differs (-want +got):\n%s", diff)
	}
	last, err := journal.DecodeRecords(journalPart(t, got, contract.RecordsName("run", 5), contract.KeyRecords))
	if err != nil || last.Part != 5 || len(last.Records) != 144-5*journal.PerPart || last.Before.Done != 5*journal.PerPart || v1alpha1.Totals(last.Totals()) != wantTotals {
		t.Errorf("the last part of the journal: part %d, %d records, before %+v, %v", last.Part, len(last.Records), last.Before, err)
	}
	all := storedSummary(t, got)
	if len(all.Entries) != 144 {
		t.Errorf("the stored summary has %d entries, want 144 (72 cells, throughput and errors)", len(all.Entries))
	}
	n := int32(0)
	for _, e := range all.Entries {
		n += e.TrialCount
	}
	if n != 2*(144-14) {
		t.Errorf("%d values went into the summary, want those of the 130 valid trials", n)
	}
	// Nothing disappears unsaid: the main measurement of each cell is there, and where the rest is.
	for i, e := range got.Status.Summary {
		if e.Cell != int32(i) || e.Name != contract.NameThroughput || e.PlannedTrialCount != 2 {
			t.Errorf("entry %d of the summary is %+v", i, e)
		}
	}
	complete := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionComplete)
	want := "threads=1 skipTrx=false: db 100 tx/s (n=2; 1 of 72 cells); status.summary has 72 of 144 entries: 72 stand only in ConfigMaps run-summary-0000 to run-summary-0001, which have all of them"
	if complete.Message != want {
		t.Errorf("Complete says %q, want %q", complete.Message, want)
	}
}

// checkSmall holds the status against its bounds.
func checkSmall(t *testing.T, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	data, err := json.Marshal(run.Status)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 60<<10 || len(run.Status.Trials) > 11 || len(run.Status.Findings) > 20 || len(run.Status.Summary) > summary.MaxShown {
		t.Fatalf("the status has %d bytes, %d trials, %d findings, %d entries of the summary",
			len(data), len(run.Status.Trials), len(run.Status.Findings), len(run.Status.Summary))
	}
}
