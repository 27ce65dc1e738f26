package custom

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// benchBaseSummary is the file *.summary.json of BenchBase (ResultWriter.java).
type benchBaseSummary struct {
	Benchmark  string             `json:"Benchmark Type"`
	State      string             `json:"Final State"`
	Requests   *int64             `json:"Measured Requests"`
	Nanos      *float64           `json:"Elapsed Time (nanoseconds)"`
	Throughput *float64           `json:"Throughput (requests/second)"`
	Goodput    *float64           `json:"Goodput (requests/second)"`
	Latency    map[string]float64 `json:"Latency Distribution"`
}

// benchBaseLatencies are the keys of the latency distribution, in µs.
var benchBaseLatencies = []struct{ key, name, percentile string }{
	{"Average Latency (microseconds)", contract.NameLatencyAvg, ""},
	{"Minimum Latency (microseconds)", contract.NameLatencyMin, ""},
	{"25th Percentile Latency (microseconds)", contract.NameLatencyPercentile, "25"},
	{"Median Latency (microseconds)", contract.NameLatencyPercentile, "50"},
	{"75th Percentile Latency (microseconds)", contract.NameLatencyPercentile, "75"},
	{"90th Percentile Latency (microseconds)", contract.NameLatencyPercentile, "90"},
	{"95th Percentile Latency (microseconds)", contract.NameLatencyPercentile, "95"},
	{"99th Percentile Latency (microseconds)", contract.NameLatencyPercentile, "99"},
	{"Maximum Latency (microseconds)", contract.NameLatencyMax, ""},
}

// parseBenchBase reads a summary of BenchBase.
func parseBenchBase(output []byte) runner.Report {
	var s benchBaseSummary
	if err := json.Unmarshal(output, &s); err != nil {
		return failed(contract.ReasonOutputTruncated, "the output is no summary of BenchBase: %v", err)
	}
	r := runner.Report{ToolVersion: strings.TrimSpace("BenchBase " + s.Benchmark)}
	if s.Throughput != nil {
		m := runner.Number(contract.NameThroughput, "requests/s", contract.HigherIsBetter, *s.Throughput)
		m.Operation, m.N = "request", s.Requests
		r.Measurements = append(r.Measurements, m)
	}
	if s.Goodput != nil {
		r.Measurements = append(r.Measurements, runner.Number(nameGoodput, "requests/s", contract.HigherIsBetter, *s.Goodput))
		if s.Throughput != nil && *s.Goodput > *s.Throughput {
			r.Problems = append(r.Problems, problem(0, fmt.Sprintf(
				"the goodput %g is greater than the throughput %g: it counts requests that the throughput leaves out, such as those of a warm-up, and some versions count twice: compare the throughput", *s.Goodput, *s.Throughput)))
		}
	}
	if s.Nanos != nil {
		r.Measurements = append(r.Measurements, runner.Number(contract.NameTotalTime, "s", "", *s.Nanos/1e9))
	}
	for _, l := range benchBaseLatencies {
		v, ok := s.Latency[l.key]
		if !ok {
			continue
		}
		m := runner.Number(l.name, "ms", contract.LowerIsBetter, v/1000)
		m.N = s.Requests
		if l.percentile != "" {
			m.Labels = map[string]string{contract.LabelPercentile: l.percentile}
		}
		r.Measurements = append(r.Measurements, m)
	}
	if done := []string{"", "EXIT", "DONE"}; !slices.Contains(done, s.State) {
		r.Failure = runner.Failed(contract.ReasonToolFailed, "BenchBase ended in the state %q", s.State)
	}
	return r
}
