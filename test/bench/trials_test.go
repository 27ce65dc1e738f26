package bench

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// quantile of a sample by the nearest rank.
func quantile(sample []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(sample))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// report reports a sample as metrics WHAT-p50-UNIT, -min-, -max- and WHAT-n.
func report(b *testing.B, what, unit string, sample []float64) {
	b.Helper()
	b.ReportMetric(quantile(sample, 0.5), what+"-p50-"+unit)
	b.ReportMetric(slices.Min(sample), what+"-min-"+unit)
	b.ReportMetric(slices.Max(sample), what+"-max-"+unit)
	b.ReportMetric(float64(len(sample)), what+"-n")
}

// Four clients begin to measure together, 50 times. The bar: a p99 of 10 ms between the first
// process and the last.
func BenchmarkStartSkew(b *testing.B) {
	for b.Loop() {
		startSkew(b)
	}
}

func startSkew(b *testing.B) {
	ns := cluster.Namespace(b)
	text := cluster.RunYAML("skew", "", "  design: {blocks: 50, warmup: 0s, duration: 1s}\n")
	text = strings.Replace(text, "{shape: {name: kind-client}}", "{count: 4, shape: {inline: {cpu: 220m, memory: 128Mi, nodeSelector: {node.kubernetes.io/instance-type: kind.client}}}}", 1)
	got := cluster.AwaitRun(b, cluster.Apply(b, ns, text), 15*time.Minute)
	// Windows of a second by clients of a slice of a CPU may be no measurement of the
	// server; when they began, they tell all the same.
	if cluster.Condition(got, v1alpha1.ConditionComplete) == nil {
		b.Fatalf("not complete: %s", cluster.Message(got, v1alpha1.ConditionFailed))
	}
	var spreads, late, told, unsure []float64
	claimed := 0
	for _, rec := range cluster.Records(b, got) {
		if rec.StartSkewSeconds == nil || rec.StartSkewUncertaintySeconds == nil {
			b.Fatalf("trial %d has no start skew with an uncertainty", rec.Index)
		}
		s, u := *rec.StartSkewSeconds, *rec.StartSkewUncertaintySeconds
		told, unsure = append(told, 1000*s), append(unsure, 1000*u)
		if s > u {
			claimed++
		}
		after := startsOf(b, ns, contract.TrialName(got.Name, rec.Index, 0), 4)
		late = append(late, after...)
		spreads = append(spreads, slices.Max(after)-slices.Min(after)) // all of them planned one instant, on one clock
	}
	// By the tool's clock: the skew that a trial states, what it is uncertain by, and in how many
	// trials it is more than that.
	report(b, "skew", "ms", told)
	report(b, "skew-uncertainty", "ms", unsure)
	b.ReportMetric(float64(claimed), "skew-claimed-n")
	// The processes of the clients: the last after the first, and each after the planned start.
	report(b, "spread", "ms", spreads)
	report(b, "late", "ms", late)
	p99 := quantile(spreads, 0.99)
	b.ReportMetric(p99, "spread-p99-ms")
	b.ReportMetric(quantile(late, 0.99), "late-p99-ms")
	if p99 > 10 {
		b.Errorf("p99 of the start skew is %.2f ms, over 10 ms", p99)
	}
}

// startsOf is how long after the planned start each client of a trial began to measure, in ms.
func startsOf(b *testing.B, ns, trial string, clients int) []float64 {
	b.Helper()
	var out []float64
	for i := range clients {
		times := cluster.Stored(b, ns, trial, i).Times
		out = append(out, 1000*times.MeasureStarted.Sub(*times.Planned).Seconds())
	}
	return out
}

// The time between two trials, with nothing to reset. The bars: a median of 2.5 s, of which 100 ms for the speed of the
// machines. The kubelet looks once per second for pods that ended, and windows are whole seconds: the gap is 1 s where the
// work in it takes less, 2 s on a slower machine, and no third look is for us.
func BenchmarkDeadTime(b *testing.B) {
	for b.Loop() {
		deadTime(b)
	}
}

func deadTime(b *testing.B) {
	ns := cluster.Namespace(b)
	text := cluster.RunYAML("dead", "", "  design: {blocks: 21, warmup: 1s, duration: 3s}\n")
	text = strings.Replace(text, "{shape: {name: kind-client}}", "{shape: {inline: {cpu: 500m, memory: 256Mi, nodeSelector: {node.kubernetes.io/instance-type: kind.client}}}}", 1)
	got := cluster.AwaitRun(b, cluster.Apply(b, ns, text), 10*time.Minute)
	cluster.Complete(b, got)
	dead := cluster.DeadTimes(cluster.Records(b, got), time.Second)
	report(b, "dead", "s", dead)
	if m := quantile(dead, 0.5); m > 2.5 {
		b.Errorf("the median dead time is %.2f s: the kubelet looked a third time", m)
	}
	speed := speedTimes(b, got)
	report(b, "machine-speed", "ms", speed)
	if m := quantile(speed, 0.5); m > 100 {
		b.Errorf("measuring the speed of the machines takes %.0f ms in the median, over 100 ms", m)
	}
}

// speedTimes is how long measuring the speed of the client's and the target's machine took in
// each trial, in ms.
func speedTimes(b *testing.B, run *v1alpha1.BenchmarkRun) []float64 {
	b.Helper()
	var out []float64
	for _, rec := range cluster.Records(b, run) {
		res := cluster.Stored(b, run.Namespace, contract.TrialName(run.Name, rec.Index, 0), 0)
		if res.Client.Speed == nil || res.Target == nil || res.Target.Speed == nil {
			b.Fatalf("trial %d: the speed of a machine is not known: %+v", rec.Index, res.Problems)
		}
		out = append(out, 1000*(res.Client.Speed.Seconds+res.Target.Speed.Seconds))
	}
	return out
}

// A data directory of at least 1 GiB is put back before each trial.
func BenchmarkReset(b *testing.B) {
	for b.Loop() {
		reset(b)
	}
}

func reset(b *testing.B) {
	ns := cluster.Namespace(b)
	text := cluster.RunYAML("reset", strings.Replace(cluster.MariaDB, "size: 1Gi", "size: 6Gi", 1),
		"  design: {blocks: 6, warmup: 0s, duration: 3s, dataReset: PerTrial}\n")
	// About 240 bytes a row: 4 tables of a million rows are about 1 GiB.
	text = strings.Replace(text, "tables: 2, tableSize: 2000", "tables: 4, tableSize: 1000000", 1)
	got := cluster.AwaitRun(b, cluster.Apply(b, ns, text), 25*time.Minute)
	cluster.Complete(b, got)
	snapshot := cluster.Stored(b, ns, contract.LoadName(got.Name, "mariadb"), 0).Data.Snapshot
	b.ReportMetric(float64(snapshot.Bytes)/(1<<30), "snapshot-GiB")
	b.ReportMetric(float64(snapshot.Files), "snapshot-files")
	b.ReportMetric(snapshot.Seconds, "snapshot-s")
	b.ReportMetric(snapshot.StoppedSeconds, "server-down-s")
	b.Logf("the file system shares blocks of copies (reflink): %t", snapshot.Reflink)
	all := cluster.Records(b, got)
	var resets, copies, verifies, dead []float64
	for i, rec := range all[1:] {
		data := cluster.Stored(b, ns, contract.TrialName(got.Name, rec.Index, 0), 0).Data
		if data == nil || data.Reset == nil || data.Reset.Method != contract.ResetSnapshot {
			b.Fatalf("trial %d was not reset: %+v", rec.Index, data)
		}
		reset := data.Reset.Ended.Sub(data.Reset.Started).Seconds()
		resets, copies, verifies = append(resets, reset), append(copies, data.Reset.Copy.Seconds), append(verifies, data.Reset.VerifySeconds)
		dead = append(dead, rec.WindowStartTime.Sub(*all[i].WindowEndTime).Seconds()-reset-data.Reset.VerifySeconds)
	}
	report(b, "restore", "s", resets)
	report(b, "restore-copy", "s", copies)
	report(b, "check-of-data", "s", verifies)
	report(b, "dead-besides", "s", dead)
	if snapshot.Bytes < 1<<30 {
		b.Errorf("the data directory has %d bytes, less than 1 GiB", snapshot.Bytes)
	}
}
