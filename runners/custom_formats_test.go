package runners

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// A custom tool may print what a runner of ours reads too.
func TestCustomToolsInTheFormatsOfRunners(t *testing.T) {
	custom, _ := Find("custom")
	parse := func(t *testing.T, format string, output []byte) runner.Report {
		t.Helper()
		workload := strings.Replace(workloads["custom"], "Mysqlslap", format, 1)
		return custom.Parse(contract.Trial{Workload: json.RawMessage(workload)}, contract.PhaseRun, runner.Output{Stdout: output})
	}
	tests := map[string]struct {
		format, file string
		name, unit   string
	}{
		"sysbench: throughput":        {"Sysbench", "sysbench/testdata/run-delete.stdout", contract.NameThroughput, "tx/s"},
		"go-tpc: new orders":          {"GoTPC", "tpcc/testdata/run-stopped-maria118.stdout", contract.NameNewOrders, runner.UnitNewOrders},
		"YCSB: throughput":            {"YCSB", "ycsb/testdata/mysql97-run-text.stdout", contract.NameThroughput, "ops/s"},
		"YCSB: time in s, not in ms":  {"YCSB", "ycsb/testdata/mysql97-run-text.stdout", contract.NameTotalTime, "s"},
		"YCSB: latency in ms, not us": {"YCSB", "ycsb/testdata/mysql97-run-text.stdout", contract.NameLatencyAvg, "ms"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			output, err := os.ReadFile(test.file)
			if err != nil {
				t.Fatal(err)
			}
			report := parse(t, test.format, output)
			m, ok := contract.Find(report.Measurements, test.name, nil)
			if report.Failure != nil || !ok || m.Value == nil || m.Unit != test.unit {
				t.Errorf("got %+v, failure %+v", m, report.Failure)
			}
		})
	}
	failing := []byte("[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), 5\n[READ], Operations, 5\n" +
		"[READ], Return=OK, 3\n[READ], Return=ERROR, 2\n")
	if report := parse(t, "YCSB", failing); report.Failure == nil || !strings.Contains(report.Failure.Message, "ERROR") {
		t.Errorf("operations that failed are no success: %+v", report.Failure)
	}
}
