package validity

import (
	"maps"
	"slices"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func counted(name string, labels map[string]string, n int64) contract.Measurement {
	return contract.Measurement{Name: name, Labels: labels, Unit: "1", Value: new(float64(n))}
}

// mixed makes the run one of kinds of operations, and says how many were answered OK.
func mixed(counts, ok map[string]int64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		for _, operation := range slices.Sorted(maps.Keys(counts)) {
			r.Measurements = append(r.Measurements, counted(contract.NameOperationCount, map[string]string{contract.LabelOperation: operation}, counts[operation]))
		}
		for _, operation := range slices.Sorted(maps.Keys(ok)) {
			labels := map[string]string{contract.LabelOperation: operation, contract.LabelStatus: "OK"}
			r.Measurements = append(r.Measurements, counted(contract.NameReturnCount, labels, ok[operation]))
		}
	}
}

// answeredBy is one kind of operation that was answered with several statuses.
func answeredBy(operation string, statuses map[string]int64, n int64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, e *runner.Expectations) {
		mixed(map[string]int64{operation: n}, nil)(r, e)
		for _, status := range slices.Sorted(maps.Keys(statuses)) {
			labels := map[string]string{contract.LabelOperation: operation, contract.LabelStatus: status}
			r.Measurements = append(r.Measurements, counted(contract.NameReturnCount, labels, statuses[status]))
		}
	}
}

func asking(mix map[string]float64) func(*contract.Result, *runner.Expectations) {
	return func(_ *contract.Result, e *runner.Expectations) { e.Mix = mix }
}

// labelled adds latencies of one operation, the last one its 95 % latency.
func labelled(values map[string]float64, p95 float64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		labels := map[string]string{contract.LabelOperation: "read", contract.LabelTiming: contract.TimingIntended}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			r.Measurements = append(r.Measurements, contract.Measurement{Name: name, Labels: labels, Unit: "ms", Value: new(values[name])})
		}
		of := maps.Clone(labels)
		of[contract.LabelPercentile] = "95"
		r.Measurements = append(r.Measurements, contract.Measurement{Name: contract.NameLatencyPercentile, Labels: of, Unit: "ms", Value: &p95})
	}
}

// idle lets all threads work for only so many of 10 s.
func idle(seconds float64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, e *runner.Expectations) {
		n, _ := operations(*r)
		set(contract.NameLatencyAvg, seconds*1000*float64(e.Threads)/n)(r, e)
		set(contract.NameLatencySum, seconds*1000*float64(e.Threads))(r, e)
	}
}

// after lets the threads connect for so many seconds first.
func after(seconds float64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		r.Measurements = append(r.Measurements, contract.Measurement{Name: contract.NameSetupTime, Unit: "s", Value: &seconds})
	}
}
