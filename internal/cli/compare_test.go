package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// measuredRun has ended, with a chain: target b has the ratio to a, with little noise.
func measuredRun(t *testing.T, name string, ratio float64, change func(*v1alpha1.BenchmarkRun)) []client.Object {
	t.Helper()
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name)}}
	run.Spec.Workload.Sysbench = &v1alpha1.SysbenchWorkload{Test: "oltp_read_only", Threads: 2}
	for _, target := range []string{"a", "b"} {
		run.Spec.Targets = append(run.Spec.Targets, v1alpha1.Target{Name: target, MySQL: &v1alpha1.MySQLTarget{Flavor: "MySQL", Version: "9.7"}})
	}
	run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue}}
	if change != nil {
		change(run)
	}
	p := &plan.Plan{Targets: []string{"a", "b"}, Cells: []plan.Cell{{}}}
	for i := range int32(120) { // records of two parts
		p.Trials = append(p.Trials, plan.Trial{Index: i, Block: i / 2, Target: i % 2})
	}
	out := []client.Object{run}
	put := func(name, key string, data []byte) {
		out = append(out, &corev1.ConfigMap{ObjectMeta: resources.Meta(run, name, nil), BinaryData: map[string][]byte{key: data}})
	}
	must := func(data []byte, err error) []byte {
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	parts, err := journal.SplitPlan(p)
	must(nil, err)
	put(contract.PlanName(name, 0), contract.KeyPlan, parts[0])
	records := journal.BeginChain(contract.Digest(parts[0]))
	for _, trial := range p.Trials {
		if records.Full() {
			put(contract.RecordsName(name, records.Part), contract.KeyRecords, must(records.Encode()))
			records = records.Next()
		}
		v := 100 * math.Exp(0.002*math.Sin(float64(7*trial.Index)))
		if trial.Target == 1 {
			v *= ratio
		}
		records = records.Add(contract.Record{
			Final: true, Index: trial.Index, Block: trial.Block, Target: p.Targets[trial.Target], State: contract.Succeeded, Valid: new(true),
			Values: []contract.RecordedValue{{Name: "throughput", Value: v, Unit: "tx/s", Direction: contract.HigherIsBetter}},
		})
	}
	last := must(records.Encode())
	put(contract.RecordsName(name, records.Part), contract.KeyRecords, last)
	run.Status.Plan = &v1alpha1.PlanStatus{ConfigMapCount: 1}
	run.Status.Results = &v1alpha1.ResultsStatus{RecordConfigMapCount: records.Part + 1}
	run.Status.Progress.Totals = v1alpha1.Totals(records.Totals())
	run.Status.Integrity = &v1alpha1.IntegrityStatus{PlanSHA256: contract.Digest(parts[0]), RecordsSHA256: contract.Digest(last), Head: records.Head(), RecordCount: 120}
	return out
}

func compareStored(t *testing.T, names []string, stored ...[]client.Object) (string, error) {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	err := compareRuns(t.Context(), sourcesIn(fake.NewClientBuilder().WithScheme(scheme).WithObjects(slices.Concat(stored...)...).Build(), "ns", names), output.Table, streams{&out, &out})
	return out.String(), err
}

// The whole output of three runs of one experiment.
func TestCompareOverRuns(t *testing.T) {
	got, err := compareStored(t, []string{"x", "y", "z"}, measuredRun(t, "x", 1.5, nil), measuredRun(t, "y", 1.52, nil), measuredRun(t, "z", 1.48, func(run *v1alpha1.BenchmarkRun) {
		run.Status.Conditions = append(run.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionValid, Status: metav1.ConditionFalse, Reason: "CheckFailed", Message: "rows are missing"})
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"BenchmarkRun ns/x, UID x\n  compared: 1 part of the plan, 5 of the records (120 attempts)", "BenchmarkRun ns/z, UID z\n",
		"VERDICT       EFFECT  INTERVAL       LEVEL  P BY ITSELF  ADJUSTED P  BLOCKS      BETTER  RATIOS OF THE RUNS   COMPARISON\n",
		"Faster         1.50x  1.43 to 1.57  97.5 %      0.00036     0.00072  180 of 180  higher  1.50x, 1.52x, 1.48x  b against a, throughput\n",
		"Not measured       -  -                  -            -           -  0 of 180    -       -, -, -              b against a, latency.percentile\n",
		"  b against a, latency.percentile: run x: no trial that counts has this measurement on both sides,",
		"A ratio is the geometric mean over the runs, whose interval and p-value are those of Student's t",
		"what varies, and what to repeat:\n  b against a, throughput: 0.1 % within a run, 1.3 % between runs, which is 100 % of the variance",
		"between the runs:\n  y against x: the trials had the same random order (seed 0)", "\n  z against x, b: not known of both runs:",
		"caveats:\n", "  BenchmarkRun ns/z: the run is not valid (CheckFailed): rows are missing\n",
		"FASTER 1.50x (1.43 to 1.57), p 0.00072, 180 blocks: b against a, throughput\nthe other comparison: not measured\nover 3 runs\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the output lacks %q:\n%s", want, got)
		}
	}
	if !strings.HasPrefix(got, "NOT EVERY RUN CAN BE RELIED ON see the caveats\n") {
		t.Errorf("the answer does not come first:\n%s", got)
	}
	if strings.Count(got, "\nverified\n") != 3 {
		t.Errorf("not every run was verified:\n%s", got)
	}
}

// For programs the result is one object, and nothing else is on standard output.
func TestCompareAsJSON(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	api := fake.NewClientBuilder().WithScheme(scheme).WithObjects(slices.Concat(measuredRun(t, "x", 1.5, nil), measuredRun(t, "y", 1.52, func(run *v1alpha1.BenchmarkRun) {
		run.Status.Conditions = append(run.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionValid, Status: metav1.ConditionFalse, Reason: "CheckFailed", Message: "rows are missing"})
	}))...).Build()
	var result, notes bytes.Buffer
	if err := compareRuns(t.Context(), sourcesIn(api, "ns", []string{"x", "y"}), output.JSON, streams{&result, &notes}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Kind             string
		Caveats, Between []string
		Comparisons      []struct {
			Family, Verdict, Ratio string
			Ratios                 []string
			Variation              map[string]string
		}
	}
	if err := json.Unmarshal(result.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, result.String())
	}
	c := got.Comparisons[0]
	if got.Kind != "OverRuns" || len(got.Caveats) != 2 || len(got.Between) == 0 || c.Family != "Primary" || !slices.Equal(c.Ratios, []string{"1.5", "1.52"}) ||
		c.Variation["buy"] != "Run" || c.Variation["betweenShare"] == "" || c.Variation["withinRuns"] == "" || c.Variation["betweenRuns"] == "" {
		t.Errorf("%s", result.String())
	}
	if !strings.Contains(notes.String(), "verified") {
		t.Errorf("notes: %s", notes.String())
	}
}

func TestCompareRunAgainstRun(t *testing.T) {
	version := func(run *v1alpha1.BenchmarkRun) { run.Spec.Targets[1].MySQL.Version = "8.4" }
	got, err := compareStored(t, []string{"old", "new"}, measuredRun(t, "old", 1.5, version), measuredRun(t, "new", 1.2, nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"compared:\n  spec.targets[b].mysql.version (old: 8.4, new: 9.7)\n", "Slower        0.8000x  0.7995 to 0.8005  98.76 %  < 0.0001     < 0.0001    60 of 60  higher  run new against old on b, throughput\n",
		"EQUIVALENT 0 % (-0.059 to +0.059 %), p 1, 60 trials: run new against old on a", "run new against old on b, throughput: each side is one run: differences between runs are not in\n", "run new against old on a, throughput: within ±2 % by the 97.52 % interval (-0.054 to +0.054 %);\n", "\nthe other 3 comparisons: 1 slower, 2 not measured\nrun BenchmarkRun ns/new against run BenchmarkRun ns/old\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the output lacks %q:\n%s", want, got)
		}
	}
}

// A run that was changed is not compared, and nor are runs that measured something else.
func TestCompareRefuses(t *testing.T) {
	tests := map[string]struct {
		change func(objects []client.Object) []client.Object
		want   string
		exit   int
	}{
		"a changed record": {func(all []client.Object) []client.Object {
			all[2].(*corev1.ConfigMap).BinaryData[contract.KeyRecords] = all[3].(*corev1.ConfigMap).BinaryData[contract.KeyRecords]
			return all
		}, "not compared: a run is not what it has stored", exit.Differs},
		"a deleted plan": {func(all []client.Object) []client.Object { return slices.Delete(all, 1, 2) }, "not compared", exit.Differs},
		"no head of the chain": {func(all []client.Object) []client.Object {
			all[0].(*v1alpha1.BenchmarkRun).Status.Integrity = nil
			return all
		}, "has no status.integrity", exit.Problem},
		"a run that goes on": {func(all []client.Object) []client.Object {
			all[0].(*v1alpha1.BenchmarkRun).Status.Conditions = nil
			return all
		}, "has not ended", exit.Problem},
		"another load": {func(all []client.Object) []client.Object {
			all[0].(*v1alpha1.BenchmarkRun).Spec.Workload.Sysbench.Threads = 64
			return all
		}, "spec.workload.sysbench.threads (x: 2, y: 64)", exit.Problem},
		"no such run": {func([]client.Object) []client.Object { return nil }, "there is no BenchmarkRun y in namespace ns: kubectl assay get lists", exit.Problem},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := compareStored(t, []string{"x", "y"}, measuredRun(t, "x", 1.5, nil), tc.change(measuredRun(t, "y", 1.5, nil)))
			if err == nil || errors.Is(err, exit.ErrDiffers) != (tc.exit == exit.Differs) || !strings.Contains(got+fmt.Sprint(err), tc.want) || strings.Contains(got, "verdict:") {
				t.Errorf("error %v, want %q, output:\n%s", err, tc.want, got)
			}
		})
	}
}

// sourcesIn a namespace of a cluster.
func sourcesIn(api client.Reader, namespace string, names []string) (out []stored.Source) {
	for _, name := range names {
		out = append(out, stored.InCluster(api, client.ObjectKey{Namespace: namespace, Name: name}))
	}
	return out
}
