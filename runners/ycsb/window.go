package ycsb

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/runner/hdrlog"
)

// windowMark is when the measured window of a process was, in ms since 1970.
type windowMark struct {
	// connected is when the last thread had connected.
	connected int64
	// began is the begin of the window; by cut every histogram had begun a new interval.
	began, cut int64
	// ended is the end of the time that was asked for, or that of the last operation, whichever
	// is later.
	ended int64
}

func parseWindow(text string) *windowMark {
	at, ok := wholeNumbers(text, 4)
	if !ok || !slices.IsSorted(at) {
		return nil
	}
	return &windowMark{connected: at[0], began: at[1], cut: at[2], ended: at[3]}
}

// collection is what a collector of garbage did within the window.
type collection struct {
	collector string
	count, ms int64
}

func parseCollection(text string) (collection, bool) {
	collector, rest, _ := strings.Cut(text, ", ")
	n, ok := wholeNumbers(rest, 2)
	if !ok {
		return collection{}, false
	}
	return collection{collector, n[0], n[1]}, true
}

// collected is what the report of YCSB says of garbage collection, of the window alone.
func collected(all []collection, ms int64) []gc {
	if len(all) == 0 || ms <= 0 {
		return nil
	}
	var sum collection
	var list []gc
	add := func(c collection) {
		percent := figure{strconv.FormatFloat(100*float64(c.ms)/float64(ms), 'f', -1, 64)}
		list = append(list,
			gc{contract.NameGCCount, unitOne, c.collector, figureOf(c.count)},
			gc{contract.NameGCTime, unitMillisecond, c.collector, figureOf(c.ms)},
			gc{contract.NameGCPercent, unitPercent, c.collector, percent})
	}
	for _, c := range all {
		sum.count, sum.ms = sum.count+c.count, sum.ms+c.ms
		add(c)
	}
	add(sum)
	return list
}

// before and within say on which side of the begin of the window an interval lies. One on
// neither side was not cut.
func (w windowMark) before(p logPart) bool { return p.began < w.began && p.ended <= w.cut }
func (w windowMark) within(p logPart) bool { return p.began >= w.began }

// uncut: a process that was told when to begin says when its window was, and each of its
// histograms has a new interval then.
func (j judgement) uncut() *contract.Failure {
	w := j.marks.window
	if w == nil {
		if j.params.isTimed(j.trial, j.phase) {
			return failed(contract.ReasonOutputTruncated, "YCSB ended well, but its output lacks the line %sWindow: look at the raw output", markPrefix)
		}
		return nil
	}
	for name, log := range j.logs {
		for _, p := range log.parts {
			if parseMetric(name).operation != metricCleanup && !w.before(p) && !w.within(p) {
				return failed(contract.ReasonToolFailed,
					"the warm-up cannot be told from the measured window: an interval of %s goes on from %d ms before the window to %d ms into it: look at the raw output",
					name, w.began-p.began, p.ended-w.began)
			}
		}
	}
	if len(j.logs) == 0 {
		return failed(contract.ReasonOutputTruncated, "YCSB ended well, but it wrote no HDR log, so that the measured window cannot be cut out: look at the raw output")
	}
	return nil
}

// intoWindow cuts the window, and what was before it, out of the histograms of the whole
// process. The report of YCSB is of the whole process: it judges it, and no more.
func (r *reading) intoWindow(made *runner.Report, p Params) {
	w := *r.marks.window
	interval := int64(p.StatusIntervalSeconds) * 1000
	measured := r.whole().cutOut(w.within, w.began, w.ended)
	measured.report.gcs = collected(r.marks.collections, w.ended-w.began)
	made.Measurements = measured.measurements(measured.logs.series(w.began, w.began, w.ended, interval))
	made.Window = &runner.Span{From: time.UnixMilli(w.began), To: time.UnixMilli(w.ended)}
	first := r.logs.first(w)
	if first >= w.began {
		return // nothing was done before
	}
	warmup := r.whole().cutOut(w.before, first, w.began)
	made.Warmup = warmup.measurements(warmup.logs.series(w.began, first, w.began, interval))
	made.WarmupSeconds = new(float64(w.began-first) / 1000)
}

// first is when all threads of the process were at work: when the last one had connected. The
// histograms are older than the first connection, so that the begin of the first interval says
// when Java was ready, and not when it began to warm up. Without any operation it is the begin of
// the window.
func (l hdrLogs) first(w windowMark) int64 {
	at := w.began
	for name, log := range l {
		for _, p := range log.parts {
			if parseMetric(name).operation != metricCleanup && p.histogram.N() > 0 {
				at = min(at, max(p.began, w.connected))
			}
		}
	}
	return at
}

// cutOut is a part of the whole, as if YCSB had reported just that. The time to connect is
// no part of it.
func (p part) cutOut(of func(logPart) bool, from, to int64) part {
	cut := part{logs: hdrLogs{}}
	for _, whole := range p.report.sections {
		log, ok := p.logs[whole.name]
		if m := parseMetric(whole.name); !ok || m.failed != "" || m.operation == metricCleanup {
			continue
		}
		parts := slices.DeleteFunc(slices.Clone(log.parts), func(p logPart) bool { return !of(p) })
		sum := addUp(parts)
		cut.logs[whole.name] = hdrLog{metric: whole.name, histogram: sum.In(unitMillisecond, 1000), parts: parts}
		cut.report.sections = append(cut.report.sections, sectionOf(whole, sum))
	}
	if ms := to - from; ms > 0 {
		runTime := figureOf(ms)
		cut.report.runTime = &runTime
		if n := cut.report.endedWell(); n != nil {
			cut.report.throughput = &figure{strconv.FormatFloat(1000*float64(*n)/float64(ms), 'g', -1, 64)}
		}
	}
	return cut
}

func addUp(parts []logPart) hdrlog.Histogram {
	var sum hdrlog.Histogram
	for _, p := range parts {
		sum, _ = sum.Plus(p.histogram) // one grid: parseLog has made sure
	}
	return sum
}

// sectionOf a part of the operations of a section, from their histogram in µs. The statuses of
// operations are known of the whole process alone, so they are those of a part only where there
// was just one.
func sectionOf(whole *section, h hdrlog.Histogram) *section {
	n := figureOf(h.N())
	s := &section{name: whole.name, operations: &n}
	if len(whole.returns) == 1 && endedWell(whole.returns[0].status) {
		s.returns = []statusCount{{whole.returns[0].status, n}}
	}
	us := func(v float64) *latency { return &latency{figure{strconv.FormatFloat(v, 'f', -1, 64)}, "us"} }
	lowest, ok := h.Min()
	if !ok {
		return s
	}
	highest, _ := h.Max()
	mean, _ := h.Mean()
	s.min, s.avg, s.max = us(float64(lowest)), us(mean), us(float64(highest))
	for _, p := range whole.percentiles {
		if value := percentileOf(h.In("us", 1), p.p); value != nil {
			s.percentiles = append(s.percentiles, percentile{p.p, *us(*value)})
		}
	}
	return s
}

func figureOf(n int64) figure { return figure{strconv.FormatInt(n, 10)} }

// series is the rate of operations between two instants, by the intervals of the histograms, which
// all end at about the same instants: whole intervals before and after the begin of the
// window. Times count from the first instant. What is left at the end belongs to the last
// point, or is one of its own where it is most of an interval.
func (l hdrLogs) series(began, from, to, interval int64) []contract.Interval {
	points := map[int64]*struct{ n, ended int64 }{}
	for name, log := range l {
		m := parseMetric(name)
		weight := int64(1)
		switch {
		case m.intended || m.failed != "":
			continue
		case m.operation == metricReadModifyWrite:
			weight = -1 // counted as a read and an update as well
		case !isBasic(m.operation):
			continue
		}
		for _, p := range log.parts {
			end := min(p.ended, to)
			k := int64(math.Round(float64(end-began) / float64(interval)))
			if points[k] == nil {
				points[k] = &struct{ n, ended int64 }{}
			}
			points[k].n += weight * p.histogram.N()
			points[k].ended = max(points[k].ended, end)
		}
	}
	var list []contract.Interval
	before := from
	for _, k := range slices.Sorted(maps.Keys(points)) {
		p := points[k]
		if p.ended <= before {
			continue
		}
		list = append(list, contract.Interval{
			AtSeconds: float64(p.ended-from) / 1000, Value: new(1000 * float64(p.n) / float64(p.ended-before)),
		})
		before = p.ended
	}
	return list
}
