package merge

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// mergeRule is how the values of several clients become one.
type mergeRule int

const (
	// sum: the sum over the whole windows of the clients.
	sum mergeRule = iota + 1
	// rate: the sum of the rates in the time in which all clients measured, from their
	// intervals (merge_rates.go). N is the number of operations in all windows: a count is
	// never estimated.
	rate
	least
	most
	// mean over all operations, from the sum of their latencies, with the histogram of all
	// operations.
	mean
	// percentile of all operations, from their histogram. It has no intervals, because the
	// percentile of the whole cannot be computed from percentiles of parts.
	percentile
	// geometric mean of the values of the clients, each the geometric mean of as many executions: that of all executions.
	geometric
)

// rules by the name of a measurement. A measurement without a rule is kept separately for each
// client, with LabelClient.
var rules = map[string]mergeRule{
	contract.NameThroughput:        rate,
	contract.NameQueries:           rate,
	contract.NameNewOrders:         rate,
	contract.NameQueryMean:         geometric,
	contract.NameQueryCount:        sum,
	contract.NameWrites:            sum,
	contract.NameEvents:            sum,
	contract.NameOperationCount:    sum,
	contract.NameReturnCount:       sum,
	contract.NameGCCount:           sum,
	contract.NameGCTime:            sum,
	contract.NameCPUTime:           sum,
	contract.NameSetupTime:         most,
	contract.NameOffered:           sum, // by schedules, which are the same at any time
	contract.NameErrorRate:         rate,
	contract.NameReconnects:        rate,
	contract.NameQueueLength:       sum,
	contract.NameQueueConcurrency:  sum,
	contract.NameLatencySum:        sum,
	contract.NameLatencyMin:        least,
	contract.NameLatencyMax:        most,
	contract.NameTotalTime:         most,
	contract.NameLoadTime:          most,
	contract.NameGeneratingTime:    most,
	contract.NameWritingTime:       most,
	contract.NameLatencyAvg:        mean,
	contract.NameLatencyPercentile: percentile,
}

// part has the measurements of one client.
type part struct {
	client       int
	measurements []contract.Measurement
	// started and ended are the window on the clock that the clients share. Intervals count
	// from its begin. Nil when they are not known.
	started, ended *time.Time
	// places of the measurements by their keys; of equal keys the first. Tools may have
	// thousands of measurements.
	places map[string]int
}

func newPart(client int, measurements []contract.Measurement) part {
	p := part{client: client, measurements: measurements, places: make(map[string]int, len(measurements))}
	for i, m := range measurements {
		key := keyOf(m)
		if _, known := p.places[key]; !known {
			p.places[key] = i
		}
	}
	return p
}

// keyOf is the same for measurements with the same name, labels and unit.
func keyOf(m contract.Measurement) string {
	words := []string{m.Name, m.Unit}
	for _, key := range slices.Sorted(maps.Keys(m.Labels)) {
		words = append(words, key, m.Labels[key])
	}
	return fmt.Sprintf("%q", words)
}

// measured has the measurements of the clients' windows.
func measured(results []contract.Result) []part {
	parts := make([]part, 0, len(results))
	for _, r := range results {
		p := newPart(r.Trial.Client, r.Measurements)
		if started, ended, ok := contract.MeasuredWindow(r); ok {
			p.started, p.ended = &started, &ended
		}
		parts = append(parts, p)
	}
	return parts
}

// warmedUp has the measurements of the clients' warm-ups, which need not be at the same time.
func warmedUp(results []contract.Result) []part {
	parts := make([]part, 0, len(results))
	for _, r := range results {
		p := newPart(r.Trial.Client, r.Warmup)
		p.started = r.Times.WarmupStarted
		parts = append(parts, p)
	}
	return parts
}

// find the measurement that has exactly the name, labels and unit.
func (p part) find(like contract.Measurement) (contract.Measurement, bool) {
	i, ok := p.places[keyOf(like)]
	if !ok {
		return contract.Measurement{}, false
	}
	return p.measurements[i], true
}

// mergeMeasurements keeps the order of the first client; what only others have
// follows.
func mergeMeasurements(parts []part) ([]contract.Measurement, []contract.Problem) {
	var merged []contract.Measurement
	done := map[string]bool{}
	var problems []contract.Problem
	for _, p := range parts {
		for _, like := range p.measurements {
			key := keyOf(like)
			if done[key] {
				continue
			}
			done[key] = true
			if rules[like.Name] == 0 {
				merged = append(merged, perClient(parts, like)...)
				continue
			}
			m, problem := mergeOne(parts, like)
			if problem != "" {
				problems = append(problems, contract.Problem{Source: sourceMerge, Text: describe(like) + ": " + problem})
			}
			if m.Value != nil || m.N != nil || m.Histogram != nil || len(m.Intervals) > 0 {
				merged = append(merged, m)
			}
		}
	}
	return merged, problems
}

func describe(m contract.Measurement) string {
	text := m.Name
	for _, key := range slices.Sorted(maps.Keys(m.Labels)) {
		text += " " + key + "=" + m.Labels[key]
	}
	return text
}

func perClient(parts []part, like contract.Measurement) []contract.Measurement {
	var kept []contract.Measurement
	for _, p := range parts {
		m, ok := p.find(like)
		if !ok {
			continue
		}
		labels := map[string]string{contract.LabelClient: strconv.Itoa(p.client)}
		maps.Copy(labels, m.Labels)
		m.Labels = labels
		kept = append(kept, m)
	}
	return kept
}

// mergeOne merges one measurement of all clients. It is absent when one client lacks it: a
// partial sum would look like a complete one.
func mergeOne(parts []part, like contract.Measurement) (contract.Measurement, string) {
	merged := contract.Measurement{Name: like.Name, Labels: like.Labels, Unit: like.Unit, Direction: like.Direction, Operation: like.Operation}
	all, missing := gather(parts, like)
	if missing != "" {
		return merged, missing
	}
	merged.N = total(all)
	var problem string
	switch rules[like.Name] {
	case sum:
		merged.Value = fold(all, func(a, b float64) float64 { return a + b })
		merged.Intervals, problem = mergeIntervals(parts, all)
	case rate:
		var unaligned string
		merged.Value, problem = rateTogether(parts, all)
		merged.Intervals, unaligned = mergeIntervals(parts, all)
		problem = cmp.Or(problem, unaligned)
	case least:
		merged.Value = fold(all, math.Min)
	case most:
		merged.Value = fold(all, math.Max)
	case geometric:
		merged.Value = geometricOf(all)
	case mean:
		merged.Value = meanOf(parts, all)
		merged.Histogram = histogramOf(all)
	case percentile:
		if merged.Value, problem = percentileOf(parts, like); problem != "" {
			merged.N = nil // nothing is left of it
		}
	}
	if v := merged.Value; v != nil && (math.IsInf(*v, 0) || math.IsNaN(*v)) {
		merged.Value, problem = nil, "left out, as the numbers of the clients make none together"
	}
	return merged, problem
}

// gather the measurement of each client, or the clients without it.
func gather(parts []part, like contract.Measurement) ([]contract.Measurement, string) {
	var all []contract.Measurement
	var without []string
	for _, p := range parts {
		m, ok := p.find(like)
		if !ok {
			without = append(without, strconv.Itoa(p.client))
			continue
		}
		all = append(all, m)
	}
	if len(without) > 0 {
		return nil, fmt.Sprintf("left out, as these of %d clients have none: %s", len(parts), strings.Join(without, ", "))
	}
	return all, ""
}

// fold returns nil when a value is absent.
func fold(all []contract.Measurement, f func(a, b float64) float64) *float64 {
	if all[0].Value == nil {
		return nil
	}
	folded := *all[0].Value
	for _, m := range all[1:] {
		if m.Value == nil {
			return nil
		}
		folded = f(folded, *m.Value)
	}
	return &folded
}

// geometricOf the values; nil when one is absent, or has no logarithm.
func geometricOf(all []contract.Measurement) *float64 {
	logs := 0.0
	for _, m := range all {
		if m.Value == nil || *m.Value <= 0 {
			return nil
		}
		logs += math.Log(*m.Value)
	}
	return new(math.Exp(logs / float64(len(all))))
}

// total of N; absent when one N is absent.
func total(all []contract.Measurement) *int64 {
	var n int64
	for _, m := range all {
		if m.N == nil {
			return nil
		}
		n += *m.N
	}
	return &n
}

// meanOf all operations. Where a client has no sum of latencies, it is the mean times the
// count.
func meanOf(parts []part, all []contract.Measurement) *float64 {
	n := total(all)
	if n == nil || *n == 0 {
		return nil
	}
	var latencies float64
	for i, m := range all {
		like := m
		like.Name = contract.NameLatencySum
		if s, ok := parts[i].find(like); ok && s.Value != nil {
			latencies += *s.Value
			continue
		}
		if *m.N > 0 && m.Value == nil {
			return nil
		}
		if *m.N > 0 {
			latencies += *m.Value * float64(*m.N)
		}
	}
	return new(latencies / float64(*n))
}

// histogramOf all operations; nil when a client with operations has no histogram.
func histogramOf(all []contract.Measurement) *contract.Histogram {
	var hs []contract.Histogram
	for _, m := range all {
		switch {
		case m.Histogram != nil:
			hs = append(hs, *m.Histogram)
		case m.N == nil || *m.N > 0:
			return nil
		}
	}
	merged, ok := contract.MergeHistograms(hs...)
	if !ok {
		return nil
	}
	return &merged
}

// percentileOf all operations, from the histogram of the mean with the same labels.
func percentileOf(parts []part, like contract.Measurement) (*float64, string) {
	carrier := like
	carrier.Name = contract.NameLatencyAvg
	carrier.Labels = maps.Clone(like.Labels)
	delete(carrier.Labels, contract.LabelPercentile)
	var histogram *contract.Histogram
	if all, missing := gather(parts, carrier); missing == "" {
		histogram = histogramOf(all)
	}
	if histogram == nil {
		return nil, "left out, as a client has no histogram of its own: ask the tool for one"
	}
	p, err := strconv.ParseFloat(like.Labels[contract.LabelPercentile], 64)
	if err != nil {
		return nil, "left out, as its label " + contract.LabelPercentile + " is no number"
	}
	value, ok := histogram.Percentile(p)
	if !ok {
		return nil, "left out, as the histogram is empty or there is no such percentile"
	}
	return &value, ""
}
