package custom

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/apischema"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

var update = flag.Bool("update", false, "write the golden files anew")

// fixtures are raw outputs. tpccmysql has the numbers that its documentation shows:
// the tool could not be obtained; benchbase is from a report of a user; benchbase-warmup is of the
// commands in docs/guide/custom-tools.md, with a warm-up of 3 s and a window of 10 s; the others are from runs of the tools.
var fixtures = map[string]string{
	"mysqlslap.txt": "Mysqlslap", "mysqlslap.csv": "Mysqlslap",
	"tpccmysql.txt": "TPCCMySQL", "tpccmysql-ng.txt": "TPCCMySQL", "benchbase.json": "BenchBase", "benchbase-warmup.json": "BenchBase",
	"gobench.txt": "GoBenchmark", "pytest.json": "PytestBenchmark", "histogram.hdr": "HdrHistogramLog", "result.json": "Result",
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func trial(format string) contract.Trial {
	workload, err := json.Marshal(v1alpha1.CustomWorkload{
		Image: "example.com/tool:1", Run: v1alpha1.CustomPhase{Command: []string{"tool"}}, Format: format,
	})
	if err != nil {
		panic(err)
	}
	tool, err := apischema.ForTool(Name)
	if err != nil {
		panic(err)
	}
	if workload, err = tool.Complete(workload); err != nil {
		panic(err)
	}
	return contract.Trial{Version: contract.TrialVersion, Runner: Name, Workload: workload, Clients: 1, DurationSeconds: 10}
}

func parseFixture(format string, output []byte) runner.Report {
	return Runner(nil).Parse(trial(format), contract.PhaseRun, runner.Output{Stdout: output})
}

func TestFormats(t *testing.T) {
	for name, format := range fixtures {
		t.Run(name, func(t *testing.T) {
			got, err := json.MarshalIndent(parseFixture(format, fixture(t, name)), "", " ")
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(strings.TrimSpace(string(fixture(t, name+".golden"))), string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What matters of each format, read by hand from its fixture.
func TestNumbersOfTheFormats(t *testing.T) {
	tests := map[string]struct {
		fixture, name string
		labels        map[string]string
		want          float64
	}{
		"mysqlslap: 4 clients x 500 queries in 0.259 s": {"mysqlslap.txt", contract.NameThroughput, nil, 2000 / 0.259},
		"mysqlslap: the shortest round":                 {"mysqlslap.txt", nameRoundTime, map[string]string{"stat": "min"}, 0.240},
		"mysqlslap --csv: the row of 4 clients":         {"mysqlslap.csv", nameRoundTime, map[string]string{"clients": "4", "stat": "max"}, 0.399},
		"tpcc-mysql: 3 payments were retried or failed": {"tpccmysql.txt", contract.NameErrorRate, nil, 3.0 / 20},
		"tpcc-mysql: TpmC":                              {"tpccmysql.txt", contract.NameNewOrders, nil, 67461},
		"BenchBase: throughput, all digits":             {"benchbase.json", contract.NameThroughput, nil, 0.010009098869862678},
		"BenchBase: median in ms":                       {"benchbase.json", contract.NameLatencyPercentile, map[string]string{"p": "50"}, 1145.302},
		"BenchBase: the window without its warm-up":     {"benchbase-warmup.json", contract.NameTotalTime, nil, 11.008845059},
		"BenchBase: requests of the window alone":       {"benchbase-warmup.json", contract.NameThroughput, nil, 37633 / 11.008845059},
		"go test: the mean of two runs in s":            {"gobench.txt", nameOperationTime, nil, (31181116 + 20443583) / 2e9},
		"pytest-benchmark: a median in s":               {"pytest.json", nameOperationTime, map[string]string{"stat": "median"}, 1.0985000699292868e-05},
		"pytest-benchmark: the range of the quartiles":  {"pytest.json", nameOperationTime, map[string]string{"stat": "iqr"}, 7.710004865657538e-07},
		"Result: a mean":                                {"result.json", contract.NameLatencyAvg, nil, 0.83},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			report := parseFixture(fixtures[test.fixture], fixture(t, test.fixture))
			m, ok := contract.Find(report.Measurements, test.name, test.labels)
			if !ok || m.Value == nil {
				t.Fatalf("there is no %s %v in %+v", test.name, test.labels, report.Measurements)
			}
			if diff := *m.Value/test.want - 1; diff > 1e-12 || diff < -1e-12 {
				t.Errorf("got %v, want %v", *m.Value, test.want)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	tests := map[string]struct {
		format string
		output runner.Output
		want   string
	}{
		"silence":                           {"Mysqlslap", runner.Output{}, "no number in the format Mysqlslap"},
		"a tool that failed with numbers":   {"Mysqlslap", runner.Output{Stdout: []byte("Benchmark\n\tNumber of clients running queries: 4\n"), ExitCode: 1}, "exit code 1"},
		"a tool whose client is refused":    {"Mysqlslap", runner.Output{Stderr: []byte("mysqlslap: Error when connecting to server: 1045 Access denied\n"), ExitCode: 1}, "Error when connecting to server: 1045 Access denied: check the username"},
		"a server without connections left": {"Mysqlslap", runner.Output{Stderr: []byte("warming up\nERROR 1040 (08004): Too many connections\n"), ExitCode: 1}, "exit code 1: ERROR 1040 (08004): Too many connections: raise max_connections"},
		"a tool that was killed":            {"TPCCMySQL", runner.Output{ExitCode: -1, Signal: "SIGKILL"}, "SIGKILL"},
		"a benchmark of Go that failed":     {"GoBenchmark", runner.Output{Stdout: []byte("BenchmarkA-2 10 5 ns/op\n--- FAIL: BenchmarkB\nFAIL\n")}, "--- FAIL: BenchmarkB"},
		"a constraint of TPC-C":             {"TPCCMySQL", runner.Output{Stdout: []byte(" New-Order: 83.21% [NG]\n<TpmC>\n 5.0 TpmC\n")}, "83.21%"},
		"a run of BenchBase that broke off": {"BenchBase", runner.Output{Stdout: []byte(`{"Final State":"MEASURE","Throughput (requests/second)":5}`)}, "MEASURE"},
		"a tool's own failure":              {"Result", runner.Output{Stdout: []byte(`{"version":"assay.dev/custom-result/v1","failure":"no rows"}`)}, "no rows"},
		"a result of another version":       {"Result", runner.Output{Stdout: []byte(`{"version":"v2","measurements":[]}`)}, "version"},
		"a result with a field too many":    {"Result", runner.Output{Stdout: []byte(`{"version":"assay.dev/custom-result/v1","qps":5}`)}, "qps"},
		"a result without a unit":           {"Result", runner.Output{Stdout: []byte(`{"version":"assay.dev/custom-result/v1","measurements":[{"name":"a"}]}`)}, "measurements[0]"},
		"a result of too many measurements": {"Result", runner.Output{Stdout: []byte(`{"version":"assay.dev/custom-result/v1","measurements":[` +
			strings.Repeat(`{"name":"a","unit":"b"},`, 20_000) + `{"name":"a","unit":"b"}]}`)}, "more than 20000 measurements"},
		"a result of too many elements": {"Result", runner.Output{Stdout: []byte(`{"version":"assay.dev/custom-result/v1","measurements":[{"intervals":[` +
			strings.Repeat(`{},`, 1_000_001) + `{}]}]}`)}, "more than 2000000 elements"},
		"a result in two objects":     {"Result", runner.Output{Stdout: []byte(`{"version":"assay.dev/custom-result/v1","failure":"x"}{}`)}, "after the end"},
		"a histogram log that is cut": {"HdrHistogramLog", runner.Output{Stdout: []byte("0.001,0.425,0.229,HISTFAAAAXl42i2R\n")}, "HdrHistogram"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := Runner(nil).Parse(trial(test.format), contract.PhaseRun, test.output)
			if got.Failure == nil || !strings.Contains(got.Failure.Message, test.want) {
				t.Errorf("failure = %+v, want one with %q", got.Failure, test.want)
			}
		})
	}
}

func FuzzFormats(f *testing.F) {
	var names []string
	for name, format := range fixtures {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(format, data)
		names = append(names, format)
	}
	f.Fuzz(func(t *testing.T, format string, data []byte) {
		if format == "" {
			format = names[len(data)%len(names)]
		}
		report := parseFixture(format, data)
		if report.Failure == nil && len(report.Measurements) == 0 {
			t.Error("neither a number nor a failure")
		}
		if _, err := json.Marshal(report); err != nil {
			t.Errorf("the report cannot be written down: %v", err)
		}
	})
}

// A tool of one's own that counts its errors and tells its time has a rate of errors, 0 as well.
func TestErrorRateOfAResult(t *testing.T) {
	tests := map[string]struct {
		more, errors string
		want         string
	}{
		"errors and a time":          {`{"name": "time.total", "unit": "s", "value": 10}`, `[{"name": "deadlock", "count": 3}, {"name": "timeout", "count": 2}]`, "0.5"},
		"none, and a time":           {`{"name": "time.total", "unit": "s", "value": 10}`, `[]`, "0"},
		"errors without a time":      {`{"name": "latency.avg", "unit": "ms", "value": 10}`, `[{"name": "deadlock", "count": 3}]`, "absent"},
		"a rate that the tool tells": {`{"name": "rate.errors", "unit": "errors/s", "value": 7}, {"name": "time.total", "unit": "s", "value": 10}`, `[]`, "7"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			report := parseFixture("Result", []byte(`{"version": "assay.dev/custom-result/v1", "measurements": [
				{"name": "throughput", "unit": "tx/s", "value": 1}, `+tc.more+`], "errors": `+tc.errors+`}`))
			got := "absent"
			if m, ok := contract.Find(report.Measurements, contract.NameErrorRate, nil); ok {
				got = strconv.FormatFloat(*m.Value, 'g', -1, 64)
			}
			if got != tc.want || report.Failure != nil {
				t.Errorf("got %s, want %s; failure %+v", got, tc.want, report.Failure)
			}
		})
	}
}
