package custom

import (
	"encoding/json"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// pytestFile is what pytest-benchmark writes with --benchmark-json; times are in s.
type pytestFile struct {
	Version    string `json:"version"`
	Benchmarks []struct {
		Name  string                     `json:"name"`
		Full  string                     `json:"fullname"`
		Stats map[string]json.RawMessage `json:"stats"`
	} `json:"benchmarks"`
}

// pytestStats are the statistics that are kept, the median first: the mean follows
// outliers.
var pytestStats = []string{"median", "mean", "min", "max", "stddev", "iqr", "q1", "q3"}

// parsePytest reads the JSON of pytest-benchmark. N is the number of calls: rounds times
// iterations per round; each time is that of one call.
func parsePytest(output []byte) runner.Report {
	var file pytestFile
	if err := json.Unmarshal(output, &file); err != nil {
		return failed(contract.ReasonOutputTruncated, "the output is not the JSON of pytest-benchmark: %v", err)
	}
	r := runner.Report{}
	if file.Version != "" {
		r.ToolVersion = "pytest-benchmark " + file.Version
	}
	for i, b := range file.Benchmarks {
		name := b.Full
		if name == "" {
			name = b.Name
		}
		figures := map[string]float64{}
		for key, raw := range b.Stats {
			var v *float64
			if json.Unmarshal(raw, &v) == nil && v != nil { // data[] and outliers are no numbers
				figures[key] = *v
			}
		}
		if name == "" || len(figures) == 0 {
			r.Problems = append(r.Problems, problem(i+1, "a benchmark without a name or without statistics"))
			continue
		}
		r.Measurements = append(r.Measurements, pytestMeasurements(name, figures)...)
	}
	return r
}

func pytestMeasurements(name string, figures map[string]float64) []contract.Measurement {
	var n *int64
	if rounds, ok := figures["rounds"]; ok {
		n = new(int64(rounds * max(figures["iterations"], 1)))
	}
	var out []contract.Measurement
	for _, stat := range pytestStats {
		v, ok := figures[stat]
		if !ok {
			continue
		}
		m := runner.Number(nameOperationTime, "s", contract.LowerIsBetter, v)
		m.N, m.Labels = n, map[string]string{labelBenchmark: name, contract.LabelStat: stat}
		out = append(out, m)
	}
	return out
}
