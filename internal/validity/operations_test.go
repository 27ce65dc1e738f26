package validity

import (
	"maps"
	"slices"

	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

func counted(name string, labels map[string]string, n int64) result.Measurement {
	return result.Measurement{Name: name, Labels: labels, Unit: "1", Value: new(float64(n))}
}

// mixed makes the run one of kinds of operations, and says how many were answered OK.
func mixed(counts, ok map[string]int64) func(*result.Result, *runner.Facts) {
	return func(r *result.Result, _ *runner.Facts) {
		for _, operation := range slices.Sorted(maps.Keys(counts)) {
			r.Measurements = append(r.Measurements, counted(result.NameOperationCount, map[string]string{result.LabelOperation: operation}, counts[operation]))
		}
		for _, operation := range slices.Sorted(maps.Keys(ok)) {
			labels := map[string]string{result.LabelOperation: operation, result.LabelStatus: "OK"}
			r.Measurements = append(r.Measurements, counted(result.NameReturnCount, labels, ok[operation]))
		}
	}
}

// answeredBy is one kind of operation that was answered with several statuses.
func answeredBy(operation string, statuses map[string]int64, n int64) func(*result.Result, *runner.Facts) {
	return func(r *result.Result, f *runner.Facts) {
		mixed(map[string]int64{operation: n}, nil)(r, f)
		for _, status := range slices.Sorted(maps.Keys(statuses)) {
			labels := map[string]string{result.LabelOperation: operation, result.LabelStatus: status}
			r.Measurements = append(r.Measurements, counted(result.NameReturnCount, labels, statuses[status]))
		}
	}
}

func asking(mix map[string]float64) func(*result.Result, *runner.Facts) {
	return func(_ *result.Result, f *runner.Facts) { f.Mix = mix }
}

// labelled adds latencies of one operation, the last one its 95 % latency.
func labelled(values map[string]float64, p95 float64) func(*result.Result, *runner.Facts) {
	return func(r *result.Result, _ *runner.Facts) {
		labels := map[string]string{result.LabelOperation: "read", result.LabelTiming: result.TimingIntended}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			r.Measurements = append(r.Measurements, result.Measurement{Name: name, Labels: labels, Unit: "ms", Value: new(values[name])})
		}
		of := maps.Clone(labels)
		of[result.LabelPercentile] = "95"
		r.Measurements = append(r.Measurements, result.Measurement{Name: result.NameLatencyPercentile, Labels: of, Unit: "ms", Value: &p95})
	}
}

// idle lets all threads work for only so many of 10 s.
func idle(seconds float64) func(*result.Result, *runner.Facts) {
	return func(r *result.Result, f *runner.Facts) {
		n, _ := operations(*r)
		set(result.NameLatencyAvg, seconds*1000*float64(f.Threads)/n)(r, f)
		set(result.NameLatencySum, seconds*1000*float64(f.Threads))(r, f)
	}
}

// after lets the threads connect for so many seconds first.
func after(seconds float64) func(*result.Result, *runner.Facts) {
	return func(r *result.Result, _ *runner.Facts) {
		r.Measurements = append(r.Measurements, result.Measurement{Name: result.NameSetupTime, Unit: "s", Value: &seconds})
	}
}
