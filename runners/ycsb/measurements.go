package ycsb

import (
	"maps"
	"slices"
	"strconv"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Units.
const (
	unitOperations  = "ops/s"
	unitErrors      = "errors/s"
	unitMillisecond = "ms"
	unitSecond      = "s"
	unitPercent     = "%"
	unitOne         = "1"
)

// operationAny is what the throughput counts: any operation of the workload.
const operationAny = "operation"

// part is the report of a process, or of a part of its life.
type part struct {
	report report
	logs   hdrLogs
	// setupSeconds is how long its threads took together to connect; nil if unknown.
	setupSeconds *float64
}

// whole is the life of the process.
func (r *reading) whole() part {
	return part{report: r.report, logs: r.logs, setupSeconds: r.marks.setupSeconds}
}

// measurements turns what was read into measurements, in a fixed order: those about all
// operations first, as they have no labels. What was not reported is left out.
//
// The series is that of the rate.
func (p part) measurements(series []contract.Interval) []contract.Measurement {
	n := p.report.endedWell()
	ms := []contract.Measurement{{
		Name: contract.NameThroughput, Unit: unitOperations, Direction: contract.HigherIsBetter, Operation: operationAny,
		N: n, Value: p.report.throughput.value(0), Intervals: series,
	}}
	ms = append(ms, p.allOperations(false)...)
	ms = append(ms, p.allOperations(true)...)
	ms = append(ms, contract.Measurement{Name: contract.NameTotalTime, Unit: unitSecond, Value: p.report.runTime.value(-3)})
	events := contract.Measurement{Name: contract.NameEvents, Unit: unitOne}
	if counted := p.report.counted(); counted != nil {
		events.Value = new(float64(*counted))
	}
	setup := contract.Measurement{Name: contract.NameSetupTime, Unit: unitSecond}
	if threads := p.report.of(metricCleanup, false).done(); p.setupSeconds != nil && threads != nil && *threads > 0 {
		setup.Value = new(*p.setupSeconds / float64(*threads))
	}
	ms = append(ms, events, setup)
	for _, s := range p.report.sortedSections() {
		ms = append(ms, p.ofSection(s)...)
	}
	for _, g := range p.report.gcs {
		ms = append(ms, g.measurement())
	}
	return runner.Reported(ms)
}

// sortedSections of operations that ended well: YCSB prints them in the order of a hash
// table. Intended latencies follow those without.
func (r report) sortedSections() []*section {
	order := slices.Concat(basic, []string{metricReadModifyWrite, metricCleanup})
	rank := func(s *section) int {
		m := parseMetric(s.name)
		i := slices.Index(order, m.operation)
		if i < 0 {
			i = len(order)
		}
		if m.intended {
			i += len(order) + 1
		}
		return i
	}
	kept := slices.DeleteFunc(slices.Clone(r.sections), func(s *section) bool { return parseMetric(s.name).failed != "" })
	slices.SortStableFunc(kept, func(a, b *section) int { return rank(a) - rank(b) })
	return kept
}

// ofSection are the measurements of one operation. No operation has no latency: what
// YCSB prints then is 0.
func (p part) ofSection(s *section) []contract.Measurement {
	m, n := parseMetric(s.name), s.done()
	count := contract.Measurement{Name: contract.NameOperationCount, Labels: m.labels(), Unit: unitOne}
	if n != nil && !m.intended {
		count.Value = new(float64(*n))
	}
	ms := []contract.Measurement{count}
	if n == nil || *n > 0 {
		ms = append(ms, latencies(m.labels(), m.label(), n, figuresOf(s, p.logs.histogramOf(s.name)))...)
	}
	for _, ret := range s.returns {
		labels := m.labels()
		labels[contract.LabelStatus] = ret.status
		ms = append(ms, contract.Measurement{Name: contract.NameReturnCount, Labels: labels, Unit: unitOne, Value: ret.n.value(0)})
	}
	return ms
}

// figures of latencies in ms, of one operation or of all.
type figures struct {
	min, avg, max *float64
	percentiles   []quantile
	histogram     *contract.Histogram
}

// quantile is a percentile in ms.
type quantile struct {
	p     string
	value *float64
}

// figuresOf a section. Percentiles are read from the histogram, if there is one, as those
// of several clients are.
func figuresOf(s *section, h *contract.Histogram) figures {
	f := figures{min: s.min.ms(), avg: s.avg.ms(), max: s.max.ms(), histogram: h}
	if parseMetric(s.name).operation == metricCleanup {
		return f // one for each thread: the 95 % of 20 are the second largest
	}
	for _, p := range s.percentiles {
		value := p.ms()
		if h != nil {
			value = percentileOf(*h, p.p)
		}
		f.percentiles = append(f.percentiles, quantile{p.p, value})
	}
	return f
}

func percentileOf(h contract.Histogram, p string) *float64 {
	of, err := strconv.ParseFloat(p, 64)
	if err != nil {
		return nil
	}
	value, ok := h.Percentile(of)
	if !ok {
		return nil
	}
	return &value
}

// latencies as measurements.
func latencies(labels map[string]string, operation string, n *int64, f figures) []contract.Measurement {
	latency := func(name string, value *float64) contract.Measurement {
		return contract.Measurement{
			Name: name, Labels: maps.Clone(labels), Unit: unitMillisecond, Direction: contract.LowerIsBetter, Operation: operation,
			N: n, Value: value,
		}
	}
	ms := []contract.Measurement{latency(contract.NameLatencyMin, f.min), latency(contract.NameLatencyAvg, f.avg), latency(contract.NameLatencyMax, f.max)}
	ms[1].Histogram = f.histogram
	for _, q := range f.percentiles {
		m := latency(contract.NameLatencyPercentile, q.value)
		if m.Labels == nil {
			m.Labels = map[string]string{}
		}
		m.Labels[contract.LabelPercentile] = q.p
		ms = append(ms, m)
	}
	return slices.DeleteFunc(ms, func(m contract.Measurement) bool { return m.Value == nil })
}

// allOperations are the latencies of all operations together.
func (p part) allOperations(intended bool) []contract.Measurement {
	n := p.report.endedWell()
	if n == nil || *n <= 0 {
		return nil
	}
	var sections []*section
	for _, operation := range basic {
		s := p.report.of(operation, intended)
		if p.report.of(operation, false).done() == nil {
			continue
		}
		if s.done() == nil {
			return nil // an operation whose latency is not known
		}
		if *s.done() > 0 {
			sections = append(sections, s)
		}
	}
	var labels map[string]string
	if intended {
		labels = map[string]string{contract.LabelTiming: contract.TimingIntended}
	}
	return latencies(labels, operationAny, n, p.together(sections, *n))
}

// together is what sections of operations say of all of them. Where operations consist
// of others (READ-MODIFY-WRITE), only their mean is known: the time of all parts by the
// number of operations.
func (p part) together(sections []*section, n int64) figures {
	if len(sections) == 0 {
		return figures{}
	}
	composed := p.report.of(metricReadModifyWrite, false).done()
	isComposed := composed != nil && *composed > 0
	if len(sections) == 1 && !isComposed {
		return figuresOf(sections[0], p.logs.histogramOf(sections[0].name))
	}
	var f figures
	sum := 0.0
	for i, s := range sections {
		one := figuresOf(s, p.logs.histogramOf(s.name))
		if one.min == nil || one.avg == nil || one.max == nil {
			return figures{}
		}
		sum += *one.avg * float64(*s.done())
		if i == 0 || *one.min < *f.min {
			f.min = one.min
		}
		if i == 0 || *one.max > *f.max {
			f.max = one.max
		}
	}
	f.avg = new(sum / float64(n))
	if isComposed {
		return figures{avg: f.avg}
	}
	f.histogram = p.logs.merged(sections)
	if f.histogram != nil {
		for _, p := range sections[0].percentiles {
			f.percentiles = append(f.percentiles, quantile{p.p, percentileOf(*f.histogram, p.p)})
		}
	}
	return f
}

// merged is that of all sections; nil when one has none.
func (l hdrLogs) merged(sections []*section) *contract.Histogram {
	var hs []contract.Histogram
	for _, s := range sections {
		h := l.histogramOf(s.name)
		if h == nil {
			return nil
		}
		hs = append(hs, *h)
	}
	merged, ok := contract.MergeHistograms(hs...)
	if !ok {
		return nil
	}
	return &merged
}

// histogramOf a metric from its HDR log; nil when there is none, or it is empty.
func (l hdrLogs) histogramOf(name string) *contract.Histogram {
	log, ok := l[name]
	if !ok || len(log.histogram.Buckets) == 0 {
		return nil
	}
	return &log.histogram
}

func (g gc) measurement() contract.Measurement {
	m := contract.Measurement{Name: g.name, Unit: g.unit, Value: g.value(0)}
	if g.collector != "" {
		m.Labels = map[string]string{contract.LabelCollector: g.collector}
	}
	return m
}
