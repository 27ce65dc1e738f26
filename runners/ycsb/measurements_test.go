package ycsb

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/trial/validity"
	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"

	"github.com/assay-bench/assay/internal/trial/merge"
)

// values of measurements of the names, as text: name, labels, value and n.
func values(ms []contract.Measurement, names ...string) []string {
	var list []string
	for _, m := range ms {
		if !slices.Contains(names, m.Name) {
			continue
		}
		text := m.Name
		for _, key := range slices.Sorted(maps.Keys(m.Labels)) {
			text += " " + key + "=" + m.Labels[key]
		}
		if m.Value != nil {
			text += fmt.Sprintf(" %g", *m.Value)
		}
		if m.N != nil {
			text += fmt.Sprintf(" n=%d", *m.N)
		}
		list = append(list, text)
	}
	return list
}

func section1(name string, n int, avg, low, high string) string {
	return fmt.Sprintf("[%[1]s], Operations, %[2]d\n[%[1]s], AverageLatency(us), %[3]s\n[%[1]s], MinLatency(us), %[4]s\n"+
		"[%[1]s], MaxLatency(us), %[5]s\n[%[1]s], 95thPercentileLatency(us), %[5]s\n", name, n, avg, low, high)
}

func TestLatencyOfAllOperations(t *testing.T) {
	const head = "[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), 4.0\n"
	latencyNames := []string{contract.NameLatencyMin, contract.NameLatencyAvg, contract.NameLatencyMax, contract.NameLatencyPercentile, contract.NameThroughput}
	tests := map[string]struct {
		report string
		logs   map[string]string
		want   []string
	}{
		"of one operation it is that of the operation": {
			head + section1("READ", 4, "200.0", "100", "300") + section1("UPDATE", 0, "0.0", "0", "0"), nil,
			[]string{"throughput 4 n=4", "latency.min 0.1 n=4", "latency.avg 0.2 n=4", "latency.max 0.3 n=4", "latency.percentile p=95 0.3 n=4"}},
		"of several without logs no percentile is known": {
			head + section1("READ", 3, "200.0", "100", "300") + section1("UPDATE", 1, "400.0", "400", "400"), nil,
			[]string{"throughput 4 n=4", "latency.min 0.1 n=4", "latency.avg 0.25 n=4", "latency.max 0.4 n=4"}},
		"of several with logs percentiles are of all": {
			head + section1("READ", 3, "200.0", "100", "300") + section1("UPDATE", 1, "400.0", "400", "400"),
			map[string]string{"hdr-READ.hdr": record(t, 3, 100, 200, 300), "hdr-UPDATE.hdr": record(t, 3, 400)},
			[]string{"throughput 4 n=4", "latency.min 0.1 n=4", "latency.avg 0.25 n=4", "latency.max 0.4 n=4", "latency.percentile p=95 0.4 n=4"}},
		"cleanup is no operation of the workload": {
			head + section1("READ", 4, "200.0", "100", "300") + section1("CLEANUP", 2, "9000.0", "1000", "17000"), nil,
			[]string{"throughput 4 n=4", "latency.min 0.1 n=4", "latency.avg 0.2 n=4", "latency.max 0.3 n=4", "latency.percentile p=95 0.3 n=4"}},
		// 2 reads, and 2 operations that read and write: 4 READ of 200 µs, 2 UPDATE of 400 µs.
		"of operations that consist of others the mean is known": {
			head + section1("READ", 4, "200.0", "100", "300") + section1("UPDATE", 2, "400.0", "400", "400") + section1("READ-MODIFY-WRITE", 2, "600.0", "500", "700"),
			map[string]string{"hdr-READ.hdr": record(t, 3, 100, 200, 200, 300), "hdr-UPDATE.hdr": record(t, 3, 400, 400), "hdr-READ-MODIFY-WRITE.hdr": record(t, 3, 500, 700)},
			[]string{"throughput 4 n=4", "latency.avg 0.4 n=4"}},
		"intended latencies are of their own": {
			head + section1("READ", 4, "200.0", "100", "300") + section1("Intended-READ", 4, "900.0", "800", "1000"), nil,
			[]string{"throughput 4 n=4", "latency.min 0.1 n=4", "latency.avg 0.2 n=4", "latency.max 0.3 n=4", "latency.percentile p=95 0.3 n=4",
				"latency.min timing=intended 0.8 n=4", "latency.avg timing=intended 0.9 n=4", "latency.max timing=intended 1 n=4", "latency.percentile p=95 timing=intended 1 n=4"}},
		"an operation without a mean leaves none of all": {
			head + section1("READ", 3, "200.0", "100", "300") + "[UPDATE], Operations, 1\n", nil, []string{"throughput 4 n=4"}},
		"nothing was done": {"[OVERALL], Throughput(ops/sec), 0.0\n" + section1("INSERT", 0, "0.0", "0", "0"), nil, []string{"throughput 0 n=0"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			files := map[string][]byte{}
			for file, log := range tc.logs {
				files[file] = []byte(log)
			}
			r := read(contract.PhaseRun, runner.Output{Stdout: []byte(tc.report), Files: files})
			var whole []contract.Measurement
			for _, m := range r.whole().measurements(nil) {
				if m.Labels[contract.LabelOperation] == "" {
					whole = append(whole, m)
				}
			}
			if diff := cmp.Diff(tc.want, values(whole, latencyNames...)); diff != "" {
				t.Errorf("measurements (-want +got):\n%s", diff)
			}
		})
	}
}

// asResult is what the agent makes of a report.
func asResult(client int, r runner.Report) contract.Result {
	made := contract.Result{
		Version: contract.ResultVersion, State: contract.Succeeded,
		Trial: contract.TrialRef{RunUID: "6f6c4a0e-2f0c-4d0e-9d7c-0b8f6f1f4c11", Phase: string(contract.PhaseRun), Index: new(0), Block: new(0), Target: "a", Client: client},
		Tool:  contract.Tool{Name: Name, Version: r.ToolVersion}, Measurements: r.Measurements, Errors: r.Errors, Problems: r.Problems,
	}
	if r.Failure != nil {
		made.State, made.Failure = contract.Failed, r.Failure
	}
	return made
}

// Two clients together have the counts, the mean and the percentiles of one that did the
// work of both, for each operation and for all.
func TestClientsMergeByOperation(t *testing.T) {
	parseOf := func(name string) contract.Result {
		f := fixtures[name]
		return asResult(0, parse(f.trial(t), f.phase, f.output(t, name)))
	}
	a, b := parseOf("mysql97-run-hdr-text"), parseOf("mysql97-run-hdr-jsonarray")
	b.Trial.Client = 1
	merged, _, err := merge.Results([]contract.Result{a, b})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range merged.Problems {
		if !strings.Contains(p.Text, "intervals") {
			t.Errorf("problem: %+v", p) // nobody knows when the clients of this test began
		}
	}
	one := func(r contract.Result, name string, labels map[string]string) contract.Measurement {
		t.Helper()
		for _, m := range r.Measurements {
			if m.Name == name && maps.Equal(m.Labels, labels) {
				return m
			}
		}
		t.Fatalf("no %s %v", name, labels)
		return contract.Measurement{}
	}
	for _, labels := range []map[string]string{nil, {contract.LabelOperation: "read"}, {contract.LabelOperation: "update"}} {
		left, right, both := one(a, contract.NameLatencyAvg, labels), one(b, contract.NameLatencyAvg, labels), one(merged, contract.NameLatencyAvg, labels)
		if *both.N != *left.N+*right.N || both.Histogram == nil || both.Histogram.N() != *both.N {
			t.Errorf("%v: n = %v, want %d in mean and histogram", labels, both, *left.N+*right.N)
		}
		pooled, _ := contract.MergeHistograms(*left.Histogram, *right.Histogram)
		for _, p := range []string{"50", "90", "95", "99", "99.9"} {
			of := map[string]string{contract.LabelPercentile: p}
			maps.Copy(of, labels)
			if got := one(merged, contract.NameLatencyPercentile, of); got.Value == nil || *got.Value != *percentileOf(pooled, p) {
				t.Errorf("%v p=%s: %v, want %v", labels, p, got.Value, *percentileOf(pooled, p))
			}
		}
	}
	count := map[string]string{contract.LabelOperation: "read"}
	if got, want := *one(merged, contract.NameOperationCount, count).Value, *one(a, contract.NameOperationCount, count).Value+*one(b, contract.NameOperationCount, count).Value; got != want {
		t.Errorf("reads = %v, want %v", got, want)
	}
	if got := *one(merged, contract.NameGCCount, nil).Value; got != *one(a, contract.NameGCCount, nil).Value+*one(b, contract.NameGCCount, nil).Value {
		t.Errorf("collections = %v", got)
	}
	if got := *one(merged, contract.NameThroughput, nil).Value; got != *one(a, contract.NameThroughput, nil).Value+*one(b, contract.NameThroughput, nil).Value {
		t.Errorf("throughput = %v", got)
	}
}

// Sound runs are judged sound. Those of the samples last some seconds, of which threads
// spent up to one on connecting, which YCSB's own binding did not measure: so they are
// short of operations, and have few of them beyond 99.9 %.
// Fields that may be short may be updated to what they are.
func TestUpdatesOfShortFieldsPromiseNothing(t *testing.T) {
	tests := map[string]struct {
		params Params
		want   bool
	}{
		"fields of 100 bytes":          {Params{Workload: "a", FieldLength: 100}, true},
		"fields of one byte":           {Params{Workload: "a", FieldLength: 1}, false},
		"fields of up to 100 bytes":    {Params{Workload: "a", FieldLength: 100, Properties: map[string]string{"fieldlengthdistribution": "uniform"}}, false},
		"fields of 100 bytes, by name": {Params{Workload: "a", FieldLength: 100, Properties: map[string]string{"fieldlengthdistribution": "constant"}}, true},
	}
	for name, tc := range tests {
		if _, got := tc.params.changes()["update"]; got != tc.want {
			t.Errorf("%s: promised %v, want %v", name, got, tc.want)
		}
	}
}

func TestRealRunsAreValid(t *testing.T) {
	for name, f := range fixtures {
		if f.want != "" || f.phase != contract.PhaseRun {
			continue
		}
		t.Run(name, func(t *testing.T) {
			expected, err := Runner().Expectations(f.trial(t))
			if err != nil {
				t.Fatal(err)
			}
			for _, finding := range validity.Check(asResult(0, parse(f.trial(t), f.phase, f.output(t, name))), expected) {
				if finding.Severity == validity.Note && finding.Check == "no-op-writes" {
					continue // nothing tells of the rows without the server
				}
				if slices.Contains([]string{"client-bottleneck", "stall", "percentile-sample", "saturated"}, finding.Check) {
					continue
				}
				t.Errorf("%+v", finding)
			}
		})
	}
}
