package custom

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

const formatHistogramLog = "HdrHistogramLog"

// perMs is how many of a unit are one ms.
var perMs = map[string]float64{"ns": 1e6, "us": 1e3, "": 1e3, "ms": 1}

// percentiles that are read from a histogram.
var percentiles = []float64{50, 95, 99, 99.9}

// parseHistogramLog reads an HdrHistogram log, format 1.2 or 1.3, and adds up its
// intervals, by their tags. Only the compressed histograms are read: the columns beside
// them are scaled and rounded. The log does not say the unit of its values.
func parseHistogramLog(output []byte, unit string) runner.Report {
	sum, began, ended, err := addUp(output)
	if err != nil {
		return failed(result.ReasonOutputTruncated, "the output is no HdrHistogram log: %v", err)
	}
	var r runner.Report
	for _, tag := range sum.order {
		r.Measurements = append(r.Measurements, histogramMeasurements(sum.byTag[tag], tag, perMs[unit])...)
	}
	if seconds := float64(ended-began) / 1000; len(sum.order) > 0 && seconds > 0 {
		var n int64
		for _, h := range sum.byTag {
			n += h.TotalCount()
		}
		m := number(result.NameThroughput, "ops/s", result.HigherIsBetter, float64(n)/seconds)
		m.Operation, m.N = "operation", &n
		r.Measurements = append(r.Measurements, m)
	}
	return r
}

// tagged are histograms by their tags, in the order in which they came.
type tagged struct {
	order []string
	byTag map[string]*hdrhistogram.Histogram
}

// addUp returns the first begin and the last end in ms.
func addUp(output []byte) (sum tagged, began, ended int64, err error) {
	sum.byTag = map[string]*hdrhistogram.Histogram{}
	reader := hdrhistogram.NewHistogramLogReader(bytes.NewReader(output))
	for {
		h, err := reader.NextIntervalHistogram()
		if errors.Is(err, io.EOF) || (err == nil && h == nil) {
			return sum, began, ended, nil
		}
		if err != nil {
			return tagged{}, 0, 0, err
		}
		if len(sum.order) == 0 || h.StartTimeMs() < began {
			began = h.StartTimeMs()
		}
		ended = max(ended, h.EndTimeMs())
		if before := sum.byTag[h.Tag()]; before != nil {
			if dropped := before.Merge(h); dropped > 0 {
				return tagged{}, 0, 0, errors.New("an interval has values beyond the range of the first one")
			}
			continue
		}
		sum.byTag[h.Tag()] = h
		sum.order = append(sum.order, h.Tag())
	}
}

func histogramMeasurements(h *hdrhistogram.Histogram, tag string, perMs float64) []result.Measurement {
	n := h.TotalCount()
	if n == 0 {
		return nil
	}
	var labels map[string]string
	if tag != "" {
		labels = map[string]string{labelOperation: tag}
	}
	add := func(out []result.Measurement, name string, value float64, more map[string]string) []result.Measurement {
		m := latency(name, value/perMs, n)
		m.Labels = more
		return append(out, m)
	}
	out := add(nil, result.NameLatencyAvg, h.Mean(), labels)
	out[0].Histogram = buckets(h, perMs)
	out = add(out, result.NameLatencyMin, float64(h.Min()), labels)
	out = add(out, result.NameLatencyMax, float64(h.Max()), labels)
	for _, p := range percentiles {
		with := map[string]string{result.LabelPercentile: strconv.FormatFloat(p, 'f', -1, 64)}
		for k, v := range labels {
			with[k] = v
		}
		out = add(out, result.NameLatencyPercentile, float64(h.ValueAtPercentile(p)), with)
	}
	return out
}

// buckets by the highest value that each of them stands for, as percentiles are read.
func buckets(h *hdrhistogram.Histogram, perMs float64) *result.Histogram {
	out := &result.Histogram{Unit: "ms"}
	for _, b := range h.Distribution() {
		if b.Count > 0 {
			out.Buckets = append(out.Buckets, result.Bucket{Value: float64(b.To) / perMs, Count: b.Count})
		}
	}
	return out
}
