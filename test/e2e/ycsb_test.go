package e2e

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/merge"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// ycsbYAML is a run of YCSB instead of sysbench.
func ycsbYAML(name, targets, workload, more string) string {
	const bench = "{sysbench: {test: oltp_read_write, threads: 2, tables: 2, tableSize: 2000}}"
	return strings.Replace(cluster.RunYAML(name, targets, more), bench, "{ycsb: "+workload+"}", 1)
}

// Rows of the small tables of these stories.
const ycsbRows = 2000

// checkLoad looks at what one client has loaded: each of its rows answered OK, or all but
// the ones that send a batch BATCHED_OK; and the table holds the rows of all clients.
func checkLoad(t *testing.T, ns string, run *v1alpha1.BenchmarkRun, target string, clients int, status string) {
	t.Helper()
	var done float64
	for i := range clients {
		res := cluster.Stored(t, ns, contract.LoadName(run.Name, target), i)
		inserts, ok := res.Find(contract.NameReturnCount, map[string]string{contract.LabelOperation: "insert", contract.LabelStatus: status})
		if !ok || inserts.Value == nil {
			t.Errorf("target %s: client %d has no INSERTs that answered %s: %+v", target, i, status, res.Measurements)
			continue
		}
		done += *inserts.Value
		if i > 0 {
			continue
		}
		if res.Data == nil || len(res.Data.Tables) != 1 || res.Data.Tables[0].Name != "usertable" || res.Data.Tables[0].Rows != ycsbRows {
			t.Errorf("target %s holds %+v, want %d rows in usertable", target, res.Data, ycsbRows)
		}
	}
	if status == "OK" && done != ycsbRows {
		t.Errorf("target %s: %v INSERTs answered OK, want %d", target, done, ycsbRows)
	}
	if status == "BATCHED_OK" && (done < ycsbRows*9/10 || done > ycsbRows) {
		t.Errorf("target %s: %v INSERTs answered BATCHED_OK, want nearly all of %d", target, done, ycsbRows)
	}
}

// checkTrial looks at the result of a trial of workload a: half of what was measured reads,
// histograms whose counts are those of the report, and no error.
func checkTrial(t *testing.T, ns string, trial v1alpha1.TrialStatus) {
	t.Helper()
	res := storedResult(t, ns, trial.Result)
	var counts [2]float64
	for i, operation := range []string{"read", "update"} {
		labels := map[string]string{contract.LabelOperation: operation}
		count, ok := res.Find(contract.NameOperationCount, labels)
		avg, found := res.Find(contract.NameLatencyAvg, labels)
		if !ok || count.Value == nil || !found || avg.Value == nil || avg.Histogram == nil {
			t.Fatalf("trial %d: no %ss: %+v", trial.Index, operation, res.Measurements)
		}
		counts[i] = *count.Value
		var inBuckets int64
		for _, b := range avg.Histogram.Buckets {
			inBuckets += b.Count
		}
		if inBuckets != int64(counts[i]) {
			t.Errorf("trial %d: %d %ss in the histogram, %v in the report", trial.Index, inBuckets, operation, counts[i])
		}
	}
	// Five standard deviations of a fair coin.
	if n := counts[0] + counts[1]; math.Abs(counts[0]-n/2) > 5*math.Sqrt(n)/2 {
		t.Errorf("trial %d: %v of %v operations were reads", trial.Index, counts[0], n)
	}
	throughput, ok := res.Find(contract.NameThroughput, nil)
	if !ok || throughput.Value == nil || len(throughput.Intervals) == 0 || *throughput.Value <= 0 {
		t.Errorf("trial %d: no throughput with its intervals: %+v", trial.Index, throughput)
	}
	if len(res.Errors) > 0 || len(res.Problems) > 0 {
		t.Errorf("trial %d: errors %v, problems %v", trial.Index, res.Errors, res.Problems)
	}
	cm := &corev1.ConfigMap{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: trial.Result}, cm); err != nil {
		t.Fatal(err)
	}
	raw := untar(t, cm.BinaryData[contract.KeyRaw])
	if !strings.HasSuffix(strings.TrimSpace(string(raw["run/stderr.txt"])), "[ASSAY], COMPLETE") {
		t.Errorf("trial %d: the tool's last word was another:\n%s", trial.Index, raw["run/stderr.txt"])
	}
}

// Workload a at a rate, on InnoDB. In a closed loop the small client would be the bottleneck,
// which the checks tell.
func TestYCSB(t *testing.T) {
	ns := cluster.Namespace(t)
	run := cluster.Apply(t, ns, ycsbYAML("ycsb", "", "{workload: a, recordCount: 2000, threads: 2, target: 100, driver: MariaDB, columns: Varchar, jvmOptions: [-Xmx128m]}",
		"  design: {blocks: 1, warmup: 3s, duration: 5s}\n"))
	got := cluster.AwaitRun(t, run, 5*time.Minute)
	cluster.Complete(t, got)
	checkLoad(t, ns, got, "mariadb", 1, "OK")
	if len(got.Status.Trials) != 1 {
		t.Fatalf("%d trials, want 1", len(got.Status.Trials))
	}
	checkTrial(t, ns, got.Status.Trials[0])
	res := storedResult(t, ns, got.Status.Trials[0].Result)
	if intended, ok := res.Find(contract.NameLatencyAvg, map[string]string{contract.LabelOperation: "read", contract.LabelTiming: contract.TimingIntended}); !ok || intended.Value == nil {
		t.Errorf("no latency from the intended start: %+v", res.Measurements)
	}
	if len(got.Status.Summary) == 0 || got.Status.Summary[0].Name != contract.NameThroughput {
		t.Errorf("the summary does not begin with the throughput: %+v", got.Status.Summary)
	}
	for _, name := range []string{contract.NameLatencyMin, contract.NameOperationCount, contract.NameGCCount, contract.NameGCTime} {
		if !slices.ContainsFunc(got.Status.Summary, func(e v1alpha1.SummaryEntry) bool { return e.Name == name }) {
			t.Errorf("the summary has no %s", name)
		}
	}
	// What YCSB itself measured of the load stands beside its time.
	if !slices.ContainsFunc(got.Status.Targets[0].Load, func(v v1alpha1.Value) bool { return v.Name == contract.NameThroughput }) {
		t.Errorf("the load has no figure of the tool: %+v", got.Status.Targets[0].Load)
	}
}

// Two clients load a table together, and insert different rows while they are measured.
func TestYCSBClientsShareTheLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("only in the full set")
	}
	ns := cluster.Namespace(t)
	text := ycsbYAML("share", "", "{workload: d, recordCount: 2000, threads: 2, target: 50, driver: MariaDB, jvmOptions: [-Xmx96m]}",
		"  design: {blocks: 1, warmup: 5s, duration: 30s}\n")
	text = strings.Replace(text, "{shape: {name: kind-client}}", "{count: 2, shape: {inline: {cpu: 350m, memory: 256Mi, nodeSelector: {node.kubernetes.io/instance-type: kind.client}}}}", 1)
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, text), 6*time.Minute)
	cluster.Complete(t, got)
	checkLoad(t, ns, got, "mariadb", 2, "OK")
	var results []contract.Result
	for i := range 2 {
		res := cluster.Stored(t, ns, contract.TrialName(got.Name, 0, 0), i)
		results = append(results, res)
		if res.Tool.WarmupCut != contract.WarmupInProcess || res.Tool.WarmupSeconds == nil || res.Times.WindowStarted == nil {
			t.Errorf("client %d does not say how its warm-up was cut: %+v, %+v", i, res.Tool, res.Times)
		}
		inserts, ok := res.Find(contract.NameReturnCount, map[string]string{contract.LabelOperation: "insert", contract.LabelStatus: "OK"})
		if !ok || inserts.Value == nil || *inserts.Value < 1 || len(res.Errors) > 0 {
			t.Errorf("client %d has inserted nothing, or has errors: %+v, %v", i, inserts, res.Errors)
		}
	}
	_, skew, err := merge.Results(results)
	if err != nil || skew.Overlap == nil || *skew.Overlap < 0.98 {
		t.Errorf("the clients did not measure together by their tools' clocks: %+v, %v", skew, err)
	}
}

// The published comparison, scaled down: the load and workload a on InnoDB and on MyRocks of
// one MariaDB, with batches that are batches.
func TestYCSBOnInnoDBAndMyRocks(t *testing.T) {
	if testing.Short() {
		t.Skip("only in the full set")
	}
	ns := cluster.Namespace(t)
	targets := strings.Replace(cluster.MariaDB, "name: mariadb", "name: innodb", 1) + "\n" +
		strings.NewReplacer("name: mariadb", "name: myrocks", `version: "10.11",`, `version: "10.11", storageEngine: RocksDB,`).Replace(cluster.MariaDB)
	run := cluster.Apply(t, ns, ycsbYAML("engines", targets, `{workload: a, recordCount: 2000, threads: 4, target: 100, driver: MySQL, columns: Varchar,
      batchSize: 100, batchUpdateAPI: true, urlParameters: {rewriteBatchedStatements: "true"}, jvmOptions: [-Xmx128m]}`,
		"  design: {blocks: 2, warmup: 2s, duration: 5s, dataReset: PerTrial}\n"))
	got := cluster.AwaitRun(t, run, 12*time.Minute)
	cluster.Complete(t, got)
	engines := map[string]string{"innodb": "InnoDB", "myrocks": "ROCKSDB"}
	for target, engine := range engines {
		checkLoad(t, ns, got, target, 1, "BATCHED_OK")
		cm := &corev1.ConfigMap{}
		if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: contract.ResultName(contract.LoadName(got.Name, target), 0)}, cm); err != nil {
			t.Fatal(err)
		}
		if stderr := string(untar(t, cm.BinaryData[contract.KeyRaw])["prepare/stderr.txt"]); !strings.Contains(stderr, "[ASSAY], Table, "+engine+" ") {
			t.Errorf("target %s: the table is not of %s:\n%s", target, engine, stderr)
		}
	}
	if len(got.Status.Trials) != 4 {
		t.Errorf("%d trials, want 4", len(got.Status.Trials))
	}
	for _, trial := range got.Status.Trials {
		checkTrial(t, ns, trial)
	}
}
