package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
	"github.com/assay-bench/assay/test/helpers/harnesses"
)

// One small cell per language: every harness starts, and every driver does what it is
// meant to.
func TestDrivers(t *testing.T) {
	t.Parallel()
	ns := cluster.Namespace(t)
	var entries strings.Builder
	for _, h := range harnesses.WithImage() {
		for _, name := range []string{h.Drivers[len(h.Drivers)-1], "null"} {
			fmt.Fprintf(&entries, "      - {language: %s, name: %q, as: %s (%s)}\n", h.Name, name, name, h.Name)
		}
	}
	run := cluster.Apply(t, ns, cluster.Beside(cluster.DriversYAML("drivers", cluster.MariaDB, entries.String(),
		"      - {operation: SelectByKey, rows: [10], concurrency: [1, 4]}\n      - {operation: Insert, schemes: [SingleRow, MultiRow], rows: [100]}\n", "rounds: 1")))
	got := cluster.AwaitRun(t, run, 6*time.Minute)
	cluster.Complete(t, got)
	if want := len(harnesses.WithImage()); len(got.Status.Trials) != want {
		t.Fatalf("%d trials, want one of each of %d languages", len(got.Status.Trials), want)
	}
	for _, trial := range got.Status.Trials {
		res := storedResult(t, ns, trial.Result)
		if res.Tool.Version == "" {
			t.Errorf("trial %d does not say what ran", trial.Index)
		}
		for _, m := range res.Measurements {
			if m.Absent != nil && !doesOneAtATime(m) {
				t.Errorf("trial %d (%s): %v: %s: %s", trial.Index, res.Tool.Version, m.Labels, m.Absent.State, m.Absent.Reason)
			}
		}
		for _, name := range []string{contract.NameThroughput, contract.NameRowRate, contract.NameLatencyAvg} {
			if m, ok := res.Find(name, map[string]string{contract.LabelScheme: "MultiRow"}); !ok || m.Value == nil || *m.Value <= 0 {
				t.Errorf("trial %d (%s): %s of MultiRow is %+v", trial.Index, res.Tool.Version, name, m)
			}
		}
	}
}

// doesOneAtATime: the harness of PHP has nothing that does several operations at once, and says so.
func doesOneAtATime(m contract.Measurement) bool {
	return m.Absent.State == contract.Unsupported && strings.HasSuffix(m.Labels[contract.LabelDriver], "(PHP)") &&
		m.Labels[contract.LabelConcurrency] == "4" && strings.Contains(m.Absent.Reason, "cannot do Concurrency")
}

// A server that only takes encrypted connections: every driver encrypts, and says so.
func TestDriversWithTLSRequired(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	ns := cluster.Namespace(t)
	var entries strings.Builder
	for _, h := range harnesses.WithImage() {
		for _, name := range h.Drivers {
			fmt.Fprintf(&entries, "      - {language: %s, name: %q, as: %s (%s)}\n", h.Name, name, name, h.Name)
		}
	}
	target := strings.Replace(cluster.MariaDB, "flavor: MariaDB", "flavor: MariaDB, tls: Required", 1)
	run := cluster.Apply(t, ns, cluster.DriversYAML("drivers-tls", target, entries.String(), "      - {operation: SelectOne}\n", "warmup: 0s, duration: 100ms"))
	got := cluster.AwaitRun(t, run, 10*time.Minute)
	cluster.Complete(t, got)
	measured := 0
	for _, trial := range got.Status.Trials {
		for _, m := range storedResult(t, ns, trial.Result).Measurements {
			if m.Absent != nil {
				t.Errorf("%v: %s", m.Labels, m.Absent.Reason)
			} else if m.Name == contract.NameThroughput {
				measured++
			}
		}
	}
	if measured != strings.Count(entries.String(), "\n") {
		t.Errorf("%d drivers were measured, want %d", measured, strings.Count(entries.String(), "\n"))
	}
}

// The published comparisons, small, as their samples say, and those of Node.js and of batches on MySQL, too. The driver mysql cannot
// log in to MySQL 9.7; what the server says is the reason.
func TestPublishedDriverComparisons(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	for _, name := range []string{"drivers-node-small", "drivers-node-small on MySQL 9.7", "drivers-python-small", "drivers-batch-small", "drivers-batch-small on MySQL 9.7", "drivers-batch-large"} {
		t.Run(name, func(t *testing.T) {
			file, onMySQL := strings.CutSuffix(name, " on MySQL 9.7")
			s := readSample(t, file+".yaml")
			s.limit = 20 * time.Minute
			if onMySQL {
				// MySQL has the storage engine of the benchmarks of Node.js built in.
				s.text = strings.NewReplacer(`flavor: MariaDB, version: "10.11"`, `flavor: MySQL, version: "9.7"`, ", config: {plugin_load_add: ha_blackhole}", "").Replace(s.text)
				s.file = name
			}
			got := s.complete(t)
			measured := checkComparison(t, s.ns, got)
			if batch := "InsertText Batch mariadb"; file == "drivers-node-small" && measured[batch] == 0 {
				t.Errorf("%s, which is the headline, was not measured", batch)
			}
		})
	}
}

// checkComparison: nothing failed, and what is absent says why. It returns how often each was measured, as "operation scheme driver".
func checkComparison(t *testing.T, ns string, run *v1alpha1.BenchmarkRun) map[string]int {
	t.Helper()
	measured, unsupported := map[string]int{}, map[string]string{}
	for _, rec := range cluster.Records(t, run) {
		for _, m := range storedResult(t, ns, rec.Result).Measurements {
			switch {
			case m.Absent == nil && m.Name == contract.NameThroughput:
				measured[strings.Join([]string{m.Labels[contract.LabelOperation], m.Labels[contract.LabelScheme], m.Labels[contract.LabelDriver]}, " ")]++
			case m.Absent == nil || harnesses.IsKnown(m):
			case m.Absent.State == contract.NotMeasured:
				t.Errorf("trial %d on %s: %v: %s", rec.Index, rec.Target, m.Labels, m.Absent.Reason)
			default:
				unsupported[rec.Target+" "+m.Labels[contract.LabelDriver]+" "+m.Labels[contract.LabelScheme]] = m.Absent.Reason
			}
		}
	}
	for what, why := range unsupported {
		t.Logf("%s: %s", what, why)
	}
	if len(measured) == 0 {
		t.Error("nothing was measured")
	}
	t.Logf("measured: %v", measured)
	return measured
}
