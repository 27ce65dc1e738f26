package e2e

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/merge"
	"github.com/assay-bench/assay/internal/trial/validity"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// rawFile is a file of the raw output of the first client of a trial.
func rawFile(t *testing.T, ns, name, file string) string {
	t.Helper()
	cm := &corev1.ConfigMap{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: name}, cm); err != nil {
		t.Fatal(err)
	}
	return string(untar(t, cm.BinaryData[contract.KeyRaw])[file])
}

// seedOf is the seed in a command line of sysbench.
func seedOf(t *testing.T, commandLine string) int64 {
	t.Helper()
	for line := range strings.Lines(commandLine) {
		if text, is := strings.CutPrefix(strings.TrimSpace(line), "--rand-seed="); is {
			seed, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				t.Fatalf("--rand-seed=%s: %v", text, err)
			}
			return seed
		}
	}
	t.Fatalf("no --rand-seed in:\n%s", commandLine)
	return 0
}

// Every warm-up and every window draws random numbers of its own, so that each update changes its
// row; a server that stops for 1.2 s in the middle of a window stays in the summary, with a
// warning; and each trial tells the clocks and the speed of its machines.
func TestEveryNumberMeansWhatItSays(t *testing.T) {
	ns := cluster.Namespace(t)
	blocks := 3
	if testing.Short() {
		blocks = 2 // one that is stopped, and one beside it
	}
	text := workloadOf("meaning", "", "{test: oltp_update_non_index, threads: 2, tables: 1, tableSize: 20000, randType: uniform}")
	text = strings.Replace(text, short, fmt.Sprintf("  design: {blocks: %d, seed: 7, warmup: 2s, duration: 5s}\n", blocks), 1)
	run := cluster.Apply(t, ns, text)
	stopInWindow(t, run, 1)
	got := cluster.AwaitRun(t, run, 4*time.Minute)
	cluster.Complete(t, got)

	seen := map[int64]string{}
	for _, rec := range cluster.Records(t, got) {
		res := storedResult(t, ns, rec.Result)
		for phase, folder := range map[contract.Phase]string{contract.PhaseWarmup: "warmup", contract.PhaseRun: "run"} {
			seed := seedOf(t, rawFile(t, ns, rec.Result, folder+"/command.txt"))
			what := fmt.Sprintf("trial %d, %s", rec.Index, phase)
			if twice, is := seen[seed]; is {
				t.Errorf("%s has the seed %d of %s", what, seed, twice)
			}
			seen[seed] = what
			if want := runner.Seed(contract.Trial{Seed: 7, Ref: res.Trial}, phase); seed != want || res.Tool.Seeds[string(phase)] != want {
				t.Errorf("%s: seed %d in the command line, %d in the result, want %d", what, seed, res.Tool.Seeds[string(phase)], want)
			}
		}
		checkClockAndSpeed(t, rec, res)
		checkStall(t, rec)
	}
	for _, e := range got.Status.Summary {
		if _, all := accounted(e, int32(blocks)); e.Name == contract.NameThroughput && !all {
			t.Errorf("%s: n=%d of %d planned, left out %v: the stalled trial has to stay", e.Name, e.TrialCount, e.PlannedTrialCount, e.LeftOut)
		}
	}
}

// stopInWindow stops the database for 1.2 s in the measured window of a trial.
func stopInWindow(t *testing.T, run *v1alpha1.BenchmarkRun, index int32) {
	t.Helper()
	node := ""
	cluster.AwaitState(t, run, 3*time.Minute, fmt.Sprintf("begun trial %d", index), func(r *v1alpha1.BenchmarkRun) bool {
		trial := &corev1.ConfigMap{}
		err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: r.Namespace, Name: contract.TrialName(r.Name, index, 0)}, trial)
		if err != nil || trial.Data[contract.KeyStart] == "" {
			return false
		}
		node = r.Status.Placement.Targets[0].NodeName
		return true
	})
	// The warm-up takes 2 s, and the pause behind it 1 s at most; the window 5 s.
	time.Sleep(4500 * time.Millisecond)
	onNodeOf(t, node, "pkill", "-STOP", "-x", "mariadbd")
	time.Sleep(1200 * time.Millisecond)
	onNodeOf(t, node, "pkill", "-CONT", "-x", "mariadbd")
}

// checkStall: the stopped trial has a warning of it, and no other finding takes it out.
func checkStall(t *testing.T, rec contract.Record) {
	t.Helper()
	for _, f := range rec.Findings {
		if f.Severity == string(validity.Invalid) || f.Severity == string(validity.Disturbed) && !cluster.ByTheMachine(f.Check) {
			t.Errorf("trial %d is left out: %s: %s", rec.Index, f.Check, f.Message)
		}
	}
	stalled := slices.ContainsFunc(rec.Findings, func(f contract.RecordedFinding) bool {
		return f.Check == "stall" && f.Severity == string(validity.Warning)
	})
	if rec.Index == 1 && !stalled {
		t.Errorf("trial %d: nothing is said of the stall: %+v", rec.Index, rec.Findings)
	}
}

// checkClockAndSpeed: nodes of kind share the clock of one machine, and its speed.
func checkClockAndSpeed(t *testing.T, rec contract.Record, res contract.Result) {
	t.Helper()
	clock := res.Client.Clock
	if clock == nil {
		t.Errorf("trial %d: the offset of the clocks is not known: %+v", rec.Index, res.Problems)
	} else if clock.UncertaintySeconds <= 0 || math.Abs(clock.OffsetSeconds) > clock.UncertaintySeconds+0.001 {
		t.Errorf("trial %d: offset %g s with an uncertainty of %g s, on one machine", rec.Index, clock.OffsetSeconds, clock.UncertaintySeconds)
	}
	for _, side := range []v1alpha1.SpeedSide{v1alpha1.SideClient, v1alpha1.SideTarget} {
		if !slices.ContainsFunc(rec.MachineSpeed, func(s contract.RecordedSpeed) bool { return s.Side == string(side) && s.Seconds > 0 }) {
			t.Errorf("trial %d: the speed of the %s is not known: %+v", rec.Index, side, rec.MachineSpeed)
		}
	}
}

// A test that deletes ends with nothing left to delete: its result is no throughput.
func TestDeletesThatRunDry(t *testing.T) {
	t.Parallel()
	ns := cluster.Namespace(t)
	text := workloadOf("dry", "", "{test: oltp_delete, threads: 2, tables: 1, tableSize: 1000, randType: uniform}")
	text = strings.Replace(text, short, "  design: {blocks: 1, warmup: 0s, duration: 6s}\n", 1)
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.Beside(text)), 3*time.Minute)
	if cluster.Condition(got, v1alpha1.ConditionComplete) == nil || cluster.Condition(got, v1alpha1.ConditionValid) != nil {
		t.Fatalf("want a run that is complete and not valid: %+v", got.Status.Conditions)
	}
	if m := cluster.Message(got, v1alpha1.ConditionValid); m == "" || strings.Contains(m, "passed every check") {
		t.Errorf("the condition Valid says %q", m)
	}
	rec := cluster.Records(t, got)[0]
	if !slices.ContainsFunc(rec.Findings, func(f contract.RecordedFinding) bool {
		return f.Check == "no-op-writes" && f.Severity == string(validity.Invalid)
	}) {
		t.Errorf("nothing is said of deletes without a row: %+v", rec.Findings)
	}
	for _, e := range got.Status.Summary {
		if e.TrialCount != 0 {
			t.Errorf("%s has n=%d", e.Name, e.TrialCount)
		}
	}
}

// Two clients of YCSB, whose Java takes seconds to start, measure at the same time by their own
// clocks.
func TestYCSBClientsMeasureTogether(t *testing.T) {
	ns := cluster.Namespace(t)
	text := ycsbYAML("together", "", "{workload: b, recordCount: 2000, threads: 1, target: 50, driver: MariaDB, columns: Varchar, jvmOptions: [-Xmx96m]}",
		"  design: {blocks: 1, warmup: 6s, duration: 10s}\n")
	text = strings.Replace(text, "{shape: {name: kind-client}}", "{count: 2, shape: {inline: {cpu: 600m, memory: 320Mi, nodeSelector: {node.kubernetes.io/instance-type: kind.client}}}}", 1)
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, text), 4*time.Minute)
	if cluster.Condition(got, v1alpha1.ConditionComplete) == nil {
		t.Fatalf("not complete: %+v", got.Status.Conditions)
	}
	name := contract.TrialName(got.Name, 0, 0)
	_, skew, err := merge.Results([]contract.Result{cluster.Stored(t, ns, name, 0), cluster.Stored(t, ns, name, 1)})
	if err != nil {
		t.Fatal(err)
	}
	if skew.Overlap == nil || *skew.Overlap < 0.98 {
		t.Errorf("the clients overlap by %v of the longest window, want 0.98: %+v", deref(skew.Overlap), skew)
	}
	t.Logf("two clients of YCSB overlap by %.4f of the longest window", deref(skew.Overlap))
}

func deref(f *float64) float64 {
	if f == nil {
		return math.NaN()
	}
	return *f
}

// A sweep of 72 cells: the status names the throughput of each of them.
func TestSweepLosesNoCell(t *testing.T) {
	if testing.Short() {
		t.Skip("only in make e2e-full")
	}
	ns := cluster.Namespace(t)
	const cells = 72
	values := make([]string, 0, cells/3)
	for i := range cells / 3 {
		values = append(values, strconv.Itoa(i+1))
	}
	text := cluster.RunYAML("sweep", "", "  matrix: [{name: threads, values: ["+strings.Join(values, ", ")+"]}, {name: test, values: [oltp_read_write, oltp_point_select, oltp_read_only]}]\n"+
		"  design: {blocks: 1, warmup: 0s, duration: 1s, onTrialFailure: Continue}\n")
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, text), 10*time.Minute)
	shown := map[int32]bool{}
	for _, e := range got.Status.Summary {
		if e.Name == contract.NameThroughput {
			shown[e.Cell] = true
		}
	}
	if len(shown) != cells {
		t.Errorf("the status shows the throughput of %d of %d cells", len(shown), cells)
	}
}
