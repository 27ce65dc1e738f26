package custom

import (
	"fmt"
	"maps"
	"strconv"

	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/runner/hdrlog"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const formatHistogramLog = "HdrHistogramLog"

// perMs is how many of a unit are one ms.
var perMs = map[string]float64{"ns": 1e6, "us": 1e3, "ms": 1}

// percentiles that are read from a histogram.
var percentiles = []float64{50, 95, 99, 99.9}

// maxStrange is how many lines that are no part of a log are shown.
const maxStrange = 100

// parseHistogramLog reads an HdrHistogram log and adds up its intervals, by their tags.
// The log does not say the unit of its values. A tool may print other lines between.
func parseHistogramLog(output []byte, unit string) runner.Report {
	log, err := hdrlog.Parse(output)
	if err != nil {
		return failed(contract.ReasonOutputTruncated, "the output is no HdrHistogram log: %s", runner.Abridge(err.Error()))
	}
	var r runner.Report
	for _, line := range log.Strange[:min(len(log.Strange), maxStrange)] {
		r.Problems = append(r.Problems, problem(line.Number, runner.Abridge(line.Text)))
	}
	if more := len(log.Strange) - maxStrange; more > 0 {
		r.Problems = append(r.Problems, problem(0, fmt.Sprintf("and %d more lines that are no interval", more)))
	}
	var n int64
	for _, h := range log.Histograms {
		r.Measurements = append(r.Measurements, histogramMeasurements(h, perMs[unit])...)
		n += h.N()
	}
	if seconds := float64(log.EndedMs-log.BeganMs) / 1000; seconds > 0 {
		m := number(contract.NameThroughput, "ops/s", contract.HigherIsBetter, float64(n)/seconds)
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
	labels := map[string]string{}
	if h.Tag != "" {
		labels[labelOperation] = h.Tag
	}
	var out []contract.Measurement
	add := func(name string, ms float64, labels map[string]string) {
		m := latency(name, ms, h.N())
		if len(labels) > 0 {
			m.Labels = labels
		}
		out = append(out, m)
	}
	add(contract.NameLatencyAvg, mean/perMs, labels)
	out[0].Histogram = &inMs
	add(contract.NameLatencyMin, float64(lowest)/perMs, labels)
	add(contract.NameLatencyMax, float64(highest)/perMs, labels)
	for _, p := range percentiles {
		value, _ := inMs.Percentile(p)
		with := maps.Clone(labels)
		with[contract.LabelPercentile] = strconv.FormatFloat(p, 'f', -1, 64)
		add(contract.NameLatencyPercentile, value, with)
	}
	return out
}
