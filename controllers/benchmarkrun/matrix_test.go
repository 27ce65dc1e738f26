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
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"

	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
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
		Analysis: &v1alpha1.PlannedAnalysis{ComparisonCount: 10, BlocksNeeded: 9, Exploratory: "the plan has 2 blocks"},
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
