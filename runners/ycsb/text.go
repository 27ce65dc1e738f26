package ycsb

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

var (
	// reportLine is [METRIC], Measure, value. Published copies have a * before measures
	// that somebody wanted to stress, and blanks at the end.
	reportLine = regexp.MustCompile(`^\s*\*?\[([A-Za-z][A-Za-z0-9_%. -]*)\],\s*\*?\s*([^,]+?)\s*,\s*(\S+?)\s*$`)
	// latencyMeasure such as AverageLatency(us).
	latencyMeasure = regexp.MustCompile(`^(Average|Min|Max)Latency\((us|ms|ns)\)$`)
	// percentileMeasure: YCSB gives whole numbers an ordinal (50th, 92nd), others not (99.9).
	percentileMeasure = regexp.MustCompile(`^(\d+(?:\.\d+)?)(?:st|nd|rd|th)?PercentileLatency\((us|ms|ns)\)$`)
	returnMeasure     = regexp.MustCompile(`^Return=(\S+)$`)
	// bucketMeasure is a line of measurement.histogram.verbose, of a time series, or of the
	// old histogram in ms: it says less than the HDR log.
	bucketMeasure = regexp.MustCompile(`^>?\d+(?:\.\d+)?$`)
	// jvmMetric are the lines of measurement.trackjvm.
	jvmMetric = regexp.MustCompile(`^(?:MAX|MIN|AVG|FINAL)_[A-Z_]+$`)
)

// Measures of the section OVERALL, and of an operation.
const (
	measureRunTime    = "RunTime(ms)"
	measureThroughput = "Throughput(ops/sec)"
	measureOperations = "Operations"
	measureCount      = "Count"
	measureGCTime     = "Time(ms)"
	measureGCPercent  = "Time(%)"
)

// figure is a number as it was printed.
type figure struct {
	text string
}

// value of the number times ten to the power of shift. It is the double that is nearest
// to the shifted decimal number: a division would round a second time. It is absent for
// NaN and Infinity, and for a figure that is not there.
func (f *figure) value(shift int) *float64 {
	if f == nil {
		return nil
	}
	mantissa, exponent := strings.ToLower(f.text), 0
	if before, after, ok := strings.Cut(mantissa, "e"); ok {
		e, err := strconv.Atoi(after)
		if err != nil {
			return nil
		}
		mantissa, exponent = before, e
	}
	v, err := strconv.ParseFloat(mantissa+"e"+strconv.Itoa(exponent+shift), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// count is a number of things; absent where it is none.
func (f *figure) count() *int64 {
	v := f.value(0)
	if v == nil || *v < 0 || *v >= 1<<53 || *v != math.Trunc(*v) {
		return nil
	}
	return new(int64(*v))
}

// isNumber says whether the text is a number as Java prints it.
func isNumber(text string) bool {
	switch text {
	case "NaN", "Infinity", "-Infinity":
		return true
	}
	return javaNumber.MatchString(text)
}

var javaNumber = regexp.MustCompile(`^-?\d+(?:\.\d+)?(?:E-?\d{1,3})?$`)

// entry is one number of a report: a line of text, or an object of JSON.
type entry struct{ metric, measure, value string }

// parseLine reads a line of a text report. It is false when the line is none.
func parseLine(line string) (entry, bool) {
	if !strings.Contains(line, "],") {
		return entry{}, false // there may be millions of other lines
	}
	m := reportLine.FindStringSubmatch(line)
	if m == nil || !isNumber(m[3]) {
		return entry{}, false
	}
	return entry{m[1], m[2], m[3]}, true
}

// measured is the latency of one unit of YCSB in a power of ten of ms.
var inMS = map[string]int{"ns": -6, "us": -3, "ms": 0}

// latency is a figure with its unit.
type latency struct {
	figure
	unit string
}

// ms is the latency in ms; absent where it is not there.
func (l *latency) ms() *float64 {
	if l == nil {
		return nil
	}
	return l.value(inMS[l.unit])
}

// percentile is one of a section, in the order of the report.
type percentile struct {
	// p is the percentile as it was printed, such as 99.9.
	p string
	latency
}

// statusCount is how often an operation was answered with a status.
type statusCount struct {
	status string
	n      figure
}

// section is what a report says of one metric, such as READ or Intended-READ.
type section struct {
	name          string
	operations    *figure
	avg, min, max *latency
	percentiles   []percentile
	returns       []statusCount
}

// gc is a line about garbage collection.
type gc struct {
	// name of the measurement, and unit.
	name, unit string
	// collector is empty for all of them.
	collector string
	figure
}

// report is what a report of YCSB says.
type report struct {
	runTime, throughput *figure
	gcs                 []gc
	sections            []*section
	// doubled are figures that were there twice: nobody can tell which would be right.
	doubled []string
}

// add takes in a number. It is false when it means nothing here.
func (r *report) add(e entry) bool {
	f := figure{e.value}
	switch {
	case e.metric == "OVERALL" && e.measure == measureRunTime:
		return r.set(&r.runTime, f, e)
	case e.metric == "OVERALL" && e.measure == measureThroughput:
		return r.set(&r.throughput, f, e)
	case e.metric == "OVERALL":
		return false
	case strings.HasPrefix(e.metric, "TOTAL_GC"):
		return r.addGC(e)
	case jvmMetric.MatchString(e.metric):
		return true
	}
	return r.addToSection(r.section(e.metric), e)
}

func (r *report) section(name string) *section {
	for _, s := range r.sections {
		if s.name == name {
			return s
		}
	}
	s := &section{name: name}
	r.sections = append(r.sections, s)
	return s
}

func (r *report) addToSection(s *section, e entry) bool {
	if e.measure == measureOperations {
		return r.set(&s.operations, figure{e.value}, e)
	}
	if m := latencyMeasure.FindStringSubmatch(e.measure); m != nil {
		to := map[string]**latency{"Average": &s.avg, "Min": &s.min, "Max": &s.max}[m[1]]
		if *to != nil {
			return r.twice(e)
		}
		*to = &latency{figure{e.value}, m[2]}
		return true
	}
	if m := percentileMeasure.FindStringSubmatch(e.measure); m != nil {
		for _, p := range s.percentiles {
			if p.p == m[1] {
				return r.twice(e)
			}
		}
		s.percentiles = append(s.percentiles, percentile{m[1], latency{figure{e.value}, m[2]}})
		return true
	}
	if m := returnMeasure.FindStringSubmatch(e.measure); m != nil {
		for _, known := range s.returns {
			if known.status == m[1] {
				return r.twice(e)
			}
		}
		s.returns = append(s.returns, statusCount{m[1], figure{e.value}})
		return true
	}
	return bucketMeasure.MatchString(e.measure)
}

// addGC reads the lines that are named after the collectors, which the options of the
// JVM choose: PS_Scavenge, G1_Young_Generation.
func (r *report) addGC(e entry) bool {
	kinds := map[string]struct{ name, unit, prefix string }{
		measureCount:     {contract.NameGCCount, unitOne, "TOTAL_GCS"},
		measureGCTime:    {contract.NameGCTime, unitMillisecond, "TOTAL_GC_TIME"},
		measureGCPercent: {contract.NameGCPercent, unitPercent, "TOTAL_GC_TIME_%"},
	}
	kind, ok := kinds[e.measure]
	if !ok || !strings.HasPrefix(strings.ToUpper(e.metric), kind.prefix) {
		return false
	}
	collector := strings.TrimPrefix(e.metric[len(kind.prefix):], "_")
	for _, g := range r.gcs {
		if g.name == kind.name && g.collector == collector {
			return r.twice(e)
		}
	}
	r.gcs = append(r.gcs, gc{kind.name, kind.unit, collector, figure{e.value}})
	return true
}

func (r *report) set(to **figure, f figure, e entry) bool {
	if *to != nil {
		return r.twice(e)
	}
	*to = &f
	return true
}

func (r *report) twice(e entry) bool {
	r.doubled = append(r.doubled, "["+e.metric+"], "+e.measure)
	return true
}
