package custom

import (
	"bytes"
	"regexp"
	"slices"

	"golang.org/x/perf/benchfmt"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// goFailed are the lines of go test that say that something failed; a benchmark
// before them may have printed its numbers.
var goFailed = regexp.MustCompile(`(?m)^(?:--- FAIL: .*|FAIL(?:\t.*)?|panic: .*)$`)

// parseGoBenchmark reads the text of go test -bench. Repeated lines of one benchmark
// (-count) become one value: the mean, weighted by the number of iterations, which is
// the value of all iterations together.
func parseGoBenchmark(output []byte) runner.Report {
	var r runner.Report
	type key struct{ benchmark, unit string }
	sums, iterations := map[key]float64{}, map[key]int64{}
	var order []key
	reader := benchfmt.NewReader(bytes.NewReader(output), "")
	for reader.Scan() {
		switch line := reader.Result().(type) {
		case *benchfmt.Result:
			for _, v := range line.Values {
				k := key{string(line.Name.Full()), v.Unit}
				if !slices.Contains(order, k) {
					order = append(order, k)
				}
				sums[k] += v.Value * float64(line.Iters)
				iterations[k] += int64(line.Iters)
			}
		case *benchfmt.SyntaxError:
			r.Problems = append(r.Problems, problem(line.Line, line.Msg))
		}
	}
	if err := reader.Err(); err != nil {
		return failed(contract.ReasonOutputTruncated, "reading the output of go test: %v", err)
	}
	for _, k := range order {
		if n := iterations[k]; n > 0 {
			r.Measurements = append(r.Measurements, goMeasurement(k.benchmark, k.unit, sums[k]/float64(n), n))
		}
	}
	if line := goFailed.Find(output); line != nil {
		r.Failure = runner.Failed(contract.ReasonToolFailed, "go test failed: %s", line)
	}
	return r
}

// goMeasurement has the name by the unit; benchfmt has turned ns into sec, and MB/s
// into B/s. Of units of a benchmark's own, the direction is not known.
func goMeasurement(benchmark, unit string, value float64, n int64) contract.Measurement {
	var m contract.Measurement
	switch unit {
	case "sec/op":
		m = runner.Number(nameOperationTime, "s", contract.LowerIsBetter, value)
	case "B/s":
		m = runner.Number("bytes", "B/s", contract.HigherIsBetter, value)
	case "B/op", "allocs/op":
		m = runner.Number(unit, unit, contract.LowerIsBetter, value)
	default:
		m = runner.Number(unit, unit, "", value)
	}
	m.N, m.Labels = &n, map[string]string{labelBenchmark: benchmark}
	return m
}
