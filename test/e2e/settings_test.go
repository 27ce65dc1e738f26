package e2e

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// writesYAML is a run of writes, whose commits wait for the log.
func writesYAML(name, more string) string {
	return strings.Replace(cluster.RunYAML(name, "", more), "test: oltp_read_write, threads: 2", "test: oltp_write_only, threads: 4", 1)
}

// A setting of a real server varies from trial to trial, another one with its starts. What the server did in each trial is that of its
// value, and the values are compared.
func TestASettingVaries(t *testing.T) {
	if testing.Short() {
		t.Skip("only in the full set")
	}
	ns := cluster.Namespace(t)
	const flush = "config.innodb_flush_log_at_trx_commit"
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, writesYAML("setting", `  matrix:
  - {name: `+flush+`, target: mariadb, values: [1, 2]}
  - {name: config.back_log, apply: Restart, values: [77]}
  analysis: {comparisons: [{factor: `+flush+`, baseline: 1, measurements: [{name: throughput}]}]}
  design: {blocks: 6, warmup: 1s, duration: 4s}
`)), 10*time.Minute)
	cluster.Complete(t, got)
	all := cluster.Records(t, got)
	if len(all) != 12 {
		t.Fatalf("%d records, want 12", len(all))
	}
	flushes := map[int32]float64{} // of the log and of pages, by the value
	for _, rec := range all {
		value, first := rec.Parameters[flush], cluster.Stored(t, ns, contract.TrialName(got.Name, rec.Index, rec.Attempt), 0)
		if has := first.Server.Variables["innodb_flush_log_at_trx_commit"]; has != value.String() {
			t.Errorf("trial %d of %s: the server had %s", rec.Index, value.String(), has)
		}
		if fact, is := rec.Facts.Map()["innodb_flush_log_at_trx_commit"]; is {
			t.Errorf("trial %d: what varies is a circumstance, too: %s", rec.Index, fact)
		}
		if has := first.Server.Variables["back_log"]; has != "77" || first.Data == nil || first.Data.Restart == nil {
			t.Errorf("trial %d: back_log %s, started %+v", rec.Index, has, first.Data)
		}
		n, known := engines.Counter(first.Server.StatusDelta, "Innodb_data_fsyncs")
		if !known {
			t.Fatalf("trial %d: the server counts no flushes", rec.Index)
		}
		flushes[value.Int] += n
	}
	// With 2 the log is flushed about once a second, with 1 for every group of commits.
	if flushes[1] < 5*flushes[2] {
		t.Errorf("flushes by the value: %v", flushes)
	}
	// Whether it is faster is up to the device: where the CPU is used up, flushes may cost nothing.
	if !strings.Contains(got.Status.Verdict, flush+" 2 against 1 on mariadb") {
		t.Errorf("verdict %q; flushes by the value: %v", got.Status.Verdict, flushes)
	}
	t.Logf("%s; flushes by the value: %v", got.Status.Verdict, flushes)
}

// What a running server cannot change fails in its own words before anything is loaded, and with what would be right.
func TestASettingThatOnlyAStartChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("only in the full set")
	}
	ns := cluster.Namespace(t)
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, writesYAML("read-only", `  matrix: [{name: config.back_log, values: [77, 99]}]
  design: {blocks: 1, warmup: 0s, duration: 2s}
`)), 5*time.Minute)
	failedWith(t, got, v1alpha1.ReasonSettingNotInForce)
	if text := cluster.Message(got, v1alpha1.ConditionFailed); !strings.Contains(text, "read only variable") || !strings.Contains(text, "set apply: Restart") {
		t.Errorf("the message has not the server's words and what would be right: %s", text)
	}
	if c := cluster.Condition(got, v1alpha1.ConditionDataLoaded); c != nil && c.Status == metav1.ConditionTrue {
		t.Error("the data was loaded before")
	}
}
