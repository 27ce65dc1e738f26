package benchmarkrun

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/internal/plan"

	"github.com/assay-bench/assay/internal/summary"

	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/contract"
)

func ints(values ...int) []intstr.IntOrString {
	var out []intstr.IntOrString
	for _, v := range values {
		out = append(out, intstr.FromInt(v))
	}
	return out
}

// sysbenchOf reads the workload that a client was told.
func sysbenchOf(trial contract.Trial) v1alpha1.SysbenchWorkload {
	var w v1alpha1.SysbenchWorkload
	if err := json.Unmarshal(trial.Workload, &w); err != nil {
		panic(err)
	}
	return w
}

func threadsOf(trial contract.Trial) int { return int(sysbenchOf(trial).Threads) }

// cellThroughput tells cells and targets apart.
func cellThroughput(trial contract.Trial) float64 {
	w := sysbenchOf(trial)
	v := float64(1000*w.Threads) + float64(10*w.Percentile)
	if trial.Ref.Target == "other" {
		v++
	}
	return v
}

func TestMatrixIsMeasuredAsPlanned(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	var told diary
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(delivers(cellThroughput))})
	run := newRun(t, ns, alsoTarget("other"), func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Matrix = []v1alpha1.Axis{{Name: "threads", Values: ints(4, 8)}, {Name: "percentile", Values: ints(1, 2, 3)}}
		r.Spec.Exclude = []v1alpha1.Exclusion{{"threads": intstr.FromInt(8), "percentile": intstr.FromInt(3)}}
		r.Spec.Design.Blocks, r.Spec.Design.Order, r.Spec.Design.Seed = 2, v1alpha1.OrderRandomizedBlocks, new(int64(7))
	})
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 20)

	want, err := plan.New(got.Spec, []string{"tables", "tableSize"}, plan.Largest())
	if err != nil {
		t.Fatal(err)
	}
	checkStoredPlan(t, got, want)
	var measured []plan.Trial
	for _, rec := range records(t, got) {
		target := int32(0)
		if rec.Target == "other" {
			target = 1
		}
		measured = append(measured, plan.Trial{Index: rec.Index, Block: rec.Block, Cell: rec.Cell, Target: target})
		parameters := map[string]contract.Scalar{}
		for name, v := range want.Cells[rec.Cell] {
			parameters[name] = contract.Scalar{Int: v.IntVal, IsInt: true}
		}
		if diff := cmp.Diff(parameters, rec.Parameters); diff != "" {
			t.Errorf("parameters of trial %d differ (-want +got):\n%s", rec.Index, diff)
		}
	}
	if diff := cmp.Diff(want.Trials, measured); diff != "" {
		t.Errorf("the journal is not in the order of the plan (-want +got):\n%s", diff)
	}
	checkTold(t, got, want, told.phase(contract.PhaseRun))
	checkCellSummary(t, got, want)
}

// checkTold makes sure that each client was told the workload of its own cell, and
// the rest of the spec's workload.
func checkTold(t *testing.T, run *v1alpha1.BenchmarkRun, p *plan.Plan, told []contract.Trial) {
	t.Helper()
	if len(told) != len(p.Trials) {
		t.Fatalf("%d clients were started for %d trials", len(told), len(p.Trials))
	}
	for i, trial := range told {
		planned, want := p.Trials[i], *run.Spec.Workload.Sysbench.DeepCopy()
		cell := p.Cells[planned.Cell]
		want.Threads, want.Percentile = cell["threads"].IntVal, cell["percentile"].IntVal
		if diff := cmp.Diff(want, sysbenchOf(trial)); diff != "" || trial.Ref.Target != p.Targets[planned.Target] {
			t.Errorf("trial %d on %s was told another workload (-want +got):\n%s", i, trial.Ref.Target, diff)
		}
		if trial.Seed != p.Seed || trial.SharedServer || trial.Ref.Cell == nil || *trial.Ref.Cell != int(planned.Cell) || trial.Ref.Attempt != 0 {
			t.Errorf("trial %d was told seed %d, shared server %v and %+v", i, trial.Seed, trial.SharedServer, trial.Ref)
		}
	}
}

func checkStoredPlan(t *testing.T, run *v1alpha1.BenchmarkRun, want *plan.Plan) {
	t.Helper()
	sum := sha256.Sum256(want.Canonical())
	wantStatus := &v1alpha1.PlanStatus{
		TrialCount: int32(len(want.Trials)), CellCount: int32(len(want.Cells)), SHA256: hex.EncodeToString(sum[:]), ConfigMapCount: 1, Seed: &want.Seed,
	}
	if diff := cmp.Diff(wantStatus, run.Status.Plan); diff != "" {
		t.Errorf("status.plan differs (-want +got):\n%s", diff)
	}
	stored, err := journal.JoinPlan([][]byte{journalPart(t, run, contract.PlanName(run.Name, 0), contract.KeyPlan)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, stored); diff != "" {
		t.Errorf("the stored plan differs (-want +got):\n%s", diff)
	}
}

func journalPart(t *testing.T, run *v1alpha1.BenchmarkRun, name, key string) []byte {
	t.Helper()
	cm := &corev1.ConfigMap{}
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: run.Namespace, Name: name}, cm); err != nil {
		t.Fatal(err)
	}
	return cm.BinaryData[key]
}

func checkCellSummary(t *testing.T, run *v1alpha1.BenchmarkRun, p *plan.Plan) {
	t.Helper()
	var want []v1alpha1.SummaryEntry
	for i, cell := range p.Cells {
		for j, target := range p.Targets {
			value := strconv.Itoa(1000*int(cell["threads"].IntVal) + 10*int(cell["percentile"].IntVal) + j)
			want = append(want, v1alpha1.SummaryEntry{
				Cell: int32(i), Parameters: cell, Target: target, Name: "throughput", Unit: "tx/s", Direction: "HigherIsBetter",
				Median: value, Min: value, Max: value, TrialCount: 2, PlannedTrialCount: 2,
			})
		}
	}
	if diff := cmp.Diff(want, run.Status.Summary); diff != "" {
		t.Errorf("the summary differs (-want +got):\n%s", diff)
	}
	stored := storedSummary(t, run)
	if diff := cmp.Diff(want, stored.Entries); diff != "" {
		t.Errorf("the stored summary differs (-want +got):\n%s", diff)
	}
}

// A run with more trials, findings and cells than the status may show.
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
	wantResults := &v1alpha1.ResultsStatus{RecordConfigMapCount: 2, SummaryConfigMapCount: 1, SummaryEntryCount: 144, ShownEntryCount: 72}
	if r := got.Status.Results; r != nil {
		// TestResultsHaveABudget compares these with the ConfigMaps.
		wantResults.BudgetBytes, wantResults.ClientBudgetBytes, wantResults.HeldBytes, wantResults.TrialBytes = r.BudgetBytes, r.ClientBudgetBytes, r.HeldBytes, r.TrialBytes
	}
	if diff := cmp.Diff(wantResults, got.Status.Results); diff != "" {
		t.Errorf("status.results differs (-want +got):\n%s", diff)
	}
	second, err := journal.DecodeRecords(journalPart(t, got, contract.RecordsName("run", 1), contract.KeyRecords))
	if err != nil || second.Part != 1 || len(second.Records) != 44 || second.Before.Done != journal.PerPart || v1alpha1.Totals(second.Totals()) != wantTotals {
		t.Errorf("the second part of the journal: part %d, %d records, before %+v, %v", second.Part, len(second.Records), second.Before, err)
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
	want := "threads=1 skipTrx=false: db 100.0 tx/s (n=2; 1 of 72 cells); status.summary has 72 of 144 entries: 72 stand only in ConfigMap run-summary-0000, which has all of them"
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

// storedSummary reads the first part of the summary.
func storedSummary(t *testing.T, run *v1alpha1.BenchmarkRun) (s journal.Summary) {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(journalPart(t, run, contract.SummaryName(run.Name, 0), contract.KeySummary)))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(zip).Decode(&s); err != nil {
		t.Fatal(err)
	}
	return s
}
