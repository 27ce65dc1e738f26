package validity

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// latencyOrder checks that minimum, percentiles, mean and maximum are in order, for each kind
// of operation and for all operations.
func latencyOrder(r contract.Result, e runner.Expectations) string {
	for _, m := range r.Measurements {
		if m.Name != contract.NameLatencyMin || m.Value == nil {
			continue
		}
		highest, ok := like(r, m, contract.NameLatencyMax)
		if !ok {
			continue
		}
		if message := inOrder(r, m, highest, e); message != "" {
			return message
		}
	}
	return ""
}

func inOrder(r contract.Result, lowest contract.Measurement, high float64, e runner.Expectations) string {
	low, of := *lowest.Value, ofOperation(lowest)
	if low > high {
		return fmt.Sprintf("the shortest latency%s is %g ms, the longest %g ms", of, low, high)
	}
	if avg, ok := like(r, lowest, contract.NameLatencyAvg); ok && (avg < low || avg > high) {
		return fmt.Sprintf("the mean latency%s %g ms is not between the shortest %g ms and the longest %g ms", of, avg, low, high)
	}
	// A percentile is the value of a bucket, which may be slightly outside the extremes.
	below, above := low*(1-e.QuantileError)-2*latencyStep, high*(1+e.QuantileError)+2*latencyStep
	before := 0.0
	for _, p := range percentilesLike(r, lowest) {
		name, v := p.Labels[contract.LabelPercentile], *p.Value
		if v < below || v > above {
			return fmt.Sprintf("the %s%% latency%s %g ms is not between the shortest %g ms and the longest %g ms (buckets of %.1f %%)",
				name, of, v, low, high, 100*e.QuantileError)
		}
		if v < before {
			return fmt.Sprintf("the %s%% latency%s %g ms is shorter than that of a lower percentile, %g ms", name, of, v, before)
		}
		before = v
	}
	return ""
}

// like is the value of the measurement of the name with the same labels.
func like(r contract.Result, m contract.Measurement, name string) (float64, bool) {
	for _, other := range r.Measurements {
		if other.Name == name && other.Value != nil && maps.Equal(other.Labels, m.Labels) {
			return *other.Value, true
		}
	}
	return 0, false
}

// percentilesLike are those with the same labels, in ascending order.
func percentilesLike(r contract.Result, m contract.Measurement) []contract.Measurement {
	var found []contract.Measurement
	for _, p := range r.Measurements {
		labels := maps.Clone(p.Labels)
		delete(labels, contract.LabelPercentile)
		if p.Name == contract.NameLatencyPercentile && p.Value != nil && maps.Equal(labels, m.Labels) {
			found = append(found, p)
		}
	}
	of := func(m contract.Measurement) float64 {
		p, _ := strconv.ParseFloat(m.Labels[contract.LabelPercentile], 64) // one that is no number comes first
		return p
	}
	slices.SortStableFunc(found, func(a, b contract.Measurement) int { return cmp.Compare(of(a), of(b)) })
	return found
}

// ofOperation names the kind of operation of a measurement; empty for all operations.
func ofOperation(m contract.Measurement) string {
	text := ""
	if operation := m.Labels[contract.LabelOperation]; operation != "" {
		text = " of " + operation
	}
	if timing := m.Labels[contract.LabelTiming]; timing != "" {
		text += " (" + timing + ")"
	}
	return text
}
