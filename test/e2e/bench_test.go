package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/contract"
)

// The benchmarks of the operator itself run by make bench-trials only: they print
// figures, and hold them against the bars of docs/performance.md.
func onlyAsBenchmark(t *testing.T) {
	t.Helper()
	if os.Getenv("ASSAY_BENCH") == "" {
		t.Skip("a benchmark: make bench-trials")
	}
}

// quantile of a sample by the nearest rank.
func quantile(sample []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(sample))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// Four clients begin to measure together, 50 times.
func TestBenchStartSkew(t *testing.T) {
	onlyAsBenchmark(t)
	ns := newNamespace(t)
	text := runYAML("skew", "", "  design: {blocks: 50, warmup: 0s, duration: 1s}\n")
	text = strings.Replace(text, "{shape: {name: kind-client}}", "{count: 4, shape: {inline: {cpu: 450m, memory: 128Mi, nodeSelector: {node.kubernetes.io/instance-type: kind.client}}}}", 1)
	got := awaitRun(t, apply(t, ns, text), 15*time.Minute)
	// Windows of a second by clients of a slice of a CPU may be no measurement of the
	// server; when they began, they tell all the same.
	if condition(got, v1alpha1.ConditionComplete) == nil {
		t.Fatalf("not complete: %s", message(got, v1alpha1.ConditionFailed))
	}
	var spreads, late, told, unsure []float64
	claimed := 0
	for _, rec := range records(t, got) {
		if rec.StartSkewSeconds == nil || rec.StartSkewUncertaintySeconds == nil {
			t.Fatalf("trial %d has no start skew with an uncertainty", rec.Index)
		}
		s, u := *rec.StartSkewSeconds, *rec.StartSkewUncertaintySeconds
		told, unsure = append(told, 1000*s), append(unsure, 1000*u)
		if s > u {
			claimed++
		}
		var first, last float64
		for i := range 4 {
			times := stored(t, ns, contract.TrialName(got.Name, rec.Index, 0), i).Times
			after := 1000 * times.MeasureStarted.Sub(*times.Planned).Seconds()
			late = append(late, after)
			if i == 0 {
				first, last = after, after
			}
			first, last = min(first, after), max(last, after)
		}
		spreads = append(spreads, last-first) // all of them planned one instant, on one clock
	}
	fmt.Printf("startSkew of %d trials, by the tool's clock: median %.2f ms, give or take %.2f ms (median); more than its uncertainty in %d\n",
		len(told), quantile(told, 0.5), quantile(unsure, 0.5), claimed)
	fmt.Printf("start of the processes of 4 clients over %d trials (last minus first): median %.2f ms, p99 %.2f ms, max %.2f ms\n",
		len(spreads), quantile(spreads, 0.5), quantile(spreads, 0.99), slices.Max(spreads))
	fmt.Printf("each client after the planned start: median %.2f ms, p99 %.2f ms, max %.2f ms (n=%d)\n",
		quantile(late, 0.5), quantile(late, 0.99), slices.Max(late), len(late))
	if p99 := quantile(spreads, 0.99); p99 > 10 {
		t.Errorf("p99 of the start skew is %.2f ms, over 10 ms", p99)
	}
}

// The time between two trials, with nothing to reset.
func TestBenchDeadTime(t *testing.T) {
	onlyAsBenchmark(t)
	ns := newNamespace(t)
	text := runYAML("dead", "", "  design: {blocks: 21, warmup: 1s, duration: 3s}\n")
	text = strings.Replace(text, "{shape: {name: kind-client}}", "{shape: {inline: {cpu: 500m, memory: 256Mi, nodeSelector: {node.kubernetes.io/instance-type: kind.client}}}}", 1)
	got := awaitRun(t, apply(t, ns, text), 10*time.Minute)
	complete(t, got)
	dead := gaps(records(t, got), time.Second)
	fmt.Printf("dead time between trials: median %.2f s, min %.2f s, max %.2f s, n=%d\n",
		quantile(dead, 0.5), slices.Min(dead), slices.Max(dead), len(dead))
	if m := quantile(dead, 0.5); m > 1.5 {
		t.Errorf("the median dead time is %.2f s, over 1.5 s", m)
	}
	speed := speedTimes(t, got)
	fmt.Printf("of it for the speed of both machines: median %.0f ms, max %.0f ms, n=%d\n", quantile(speed, 0.5), slices.Max(speed), len(speed))
	if m := quantile(speed, 0.5); m > 100 {
		t.Errorf("measuring the speed of the machines takes %.0f ms in the median, over 100 ms", m)
	}
}

// speedTimes is how long measuring the speed of the client's and the target's machine took in
// each trial, in ms.
func speedTimes(t *testing.T, run *v1alpha1.BenchmarkRun) []float64 {
	t.Helper()
	var out []float64
	for _, rec := range records(t, run) {
		res := stored(t, run.Namespace, contract.TrialName(run.Name, rec.Index, 0), 0)
		if res.Client.Speed == nil || res.Target == nil || res.Target.Speed == nil {
			t.Fatalf("trial %d: the speed of a machine is not known: %+v", rec.Index, res.Problems)
		}
		out = append(out, 1000*(res.Client.Speed.Seconds+res.Target.Speed.Seconds))
	}
	return out
}

// gaps are the times between the measured windows, without the warm-up and the
// resets, in seconds.
func gaps(all []contract.Record, warmup time.Duration) []float64 {
	var out []float64
	for i := 1; i < len(all); i++ {
		gap := all[i].WindowStartTime.Sub(*all[i-1].WindowEndTime) - warmup
		out = append(out, gap.Seconds())
	}
	return out
}

// A data directory of 1 GiB is put back before each trial.
func TestBenchReset(t *testing.T) {
	onlyAsBenchmark(t)
	ns := newNamespace(t)
	text := runYAML("reset", strings.Replace(mariadb, "size: 1Gi", "size: 6Gi", 1),
		"  design: {blocks: 6, warmup: 0s, duration: 3s, dataReset: PerTrial}\n")
	// About 240 bytes a row: 4 tables of a million rows are about 1 GiB.
	text = strings.Replace(text, "tables: 2, tableSize: 2000", "tables: 4, tableSize: 1000000", 1)
	got := awaitRun(t, apply(t, ns, text), 25*time.Minute)
	complete(t, got)
	snapshot := stored(t, ns, contract.LoadName(got.Name, "mariadb"), 0).Data.Snapshot
	fmt.Printf("snapshot of %.2f GiB in %d files: %.2f s (reflink %t), server down for %.2f s\n",
		float64(snapshot.Bytes)/(1<<30), snapshot.Files, snapshot.Seconds, snapshot.Reflink, snapshot.StoppedSeconds)
	all := records(t, got)
	var resets, copies, verifies, dead []float64
	for i, rec := range all[1:] {
		data := stored(t, ns, contract.TrialName(got.Name, rec.Index, 0), 0).Data
		if data == nil || data.Reset == nil || data.Reset.Method != contract.ResetSnapshot {
			t.Fatalf("trial %d was not reset: %+v", rec.Index, data)
		}
		reset := data.Reset.Ended.Sub(data.Reset.Started).Seconds()
		resets, copies, verifies = append(resets, reset), append(copies, data.Reset.Copy.Seconds), append(verifies, data.Reset.VerifySeconds)
		dead = append(dead, rec.WindowStartTime.Sub(*all[i].WindowEndTime).Seconds()-reset-data.Reset.VerifySeconds)
	}
	fmt.Printf("restore of %.2f GiB: median %.2f s (copy alone %.2f s), then %.2f s to count rows and compute checksums; n=%d\n",
		float64(snapshot.Bytes)/(1<<30), quantile(resets, 0.5), quantile(copies, 0.5), quantile(verifies, 0.5), len(resets))
	fmt.Printf("dead time between these trials without restore and check: median %.2f s, max %.2f s\n", quantile(dead, 0.5), slices.Max(dead))
	if snapshot.Bytes < 1<<30 {
		t.Errorf("the data directory has %d bytes, less than 1 GiB", snapshot.Bytes)
	}
}
