package custom

import (
	"maps"
	"strconv"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/runner/hdrlog"
)

const formatHistogramLog = "HdrHistogramLog"

// perMs is how many of a unit are one ms.
var perMs = map[string]float64{"ns": 1e6, "us": 1e3, "ms": 1}

// percentiles that are read from a histogram.
var percentiles = []float64{50, 95, 99, 99.9}

// parseHistogramLog reads an HdrHistogram log and adds up its intervals, by their tags.
// The log does not say the unit of its values. A tool may print other lines between.
func parseHistogramLog(output []byte, unit string) runner.Report {
	log, err := hdrlog.Parse(output)
	if err != nil {
		return failed(contract.ReasonOutputTruncated, "the output is no HdrHistogram log: %s", runner.Abridge(err.Error()))
	}
	var r runner.Report
	var strange runner.Problems
	for _, line := range log.Strange {
		strange.Add("", line.Number, line.Text)
	}
	r.Problems = strange.List("")
	var n int64
	for _, h := range log.Histograms {
		r.Measurements = append(r.Measurements, histogramMeasurements(h, perMs[unit])...)
		n += h.N()
	}
	if seconds := float64(log.EndedMs-log.BeganMs) / 1000; seconds > 0 {
		m := runner.Number(contract.NameThroughput, "ops/s", contract.HigherIsBetter, float64(n)/seconds)
		m.Operation, m.N = "operation", &n
		r.Measurements = append(r.Measurements, m)
	}
	return r
}

// histogramMeasurements of a tag; none of an empty histogram.
func histogramMeasurements(h hdrlog.Histogram, perMs float64) []contract.Measurement {
	mean, ok := h.Mean()
	if !ok {
		return nil
	}
	lowest, _ := h.Min()
	highest, _ := h.Max()
	inMs := h.In("ms", perMs)
	var labels map[string]string
	if h.Tag != "" {
		labels = map[string]string{labelOperation: h.Tag}
	}
	out := []contract.Measurement{
		runner.Latency(contract.NameLatencyAvg, labels, mean/perMs, h.N()),
		runner.Latency(contract.NameLatencyMin, labels, float64(lowest)/perMs, h.N()),
		runner.Latency(contract.NameLatencyMax, labels, float64(highest)/perMs, h.N()),
	}
	out[0].Histogram = &inMs
	for _, p := range percentiles {
		value, _ := inMs.Percentile(p)
		with := map[string]string{contract.LabelPercentile: strconv.FormatFloat(p, 'f', -1, 64)}
		maps.Copy(with, labels)
		out = append(out, runner.Latency(contract.NameLatencyPercentile, with, value, h.N()))
	}
	return out
}
