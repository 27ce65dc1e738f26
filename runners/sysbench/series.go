package sysbench

import (
	"regexp"
	"strconv"

	"github.com/assay-bench/assay/internal/ground/contract"
)

var (
	intervalLine = regexp.MustCompile(`^\[\s*(\d+)s\s*\] thds: (\d+) tps: ` + real2 + ` qps: ` + real2 +
		` \(r/w/o: ` + real2 + `/` + real2 + `/` + real2 + `\) lat \(ms,(\d+)%\): ` + real2 +
		` err/s: ` + real2 + ` reconn/s: ` + real2 + `$`)
	// Of a script that has sent no statement so far.
	eventLine = regexp.MustCompile(`^\[\s*(\d+)s\s*\] thds: (\d+) eps: ` + real2 + ` lat \(ms,(\d+)%\): ` + real2 + `$`)
	// Only with --rate: SQL tests print a comma, the others do not.
	queueLine     = regexp.MustCompile(`^\[\s*(\d+)s\s*\] queue length: (\d+),? concurrency: (\d+)$`)
	histogramLine = regexp.MustCompile(`^\s*(\d+\.\d{3}) \|\**\s+(\d+)$`)
)

// series are the time series of a run.
type series struct {
	tps, qps, writes, latency, errors, reconnects, queue, concurrency []contract.Interval
	anyWrite, anyError, anyReconnect                                  bool
	// percentile of latency, as the last line says.
	percentile string
}

// addInterval reads an interval line. It is false when the line is none.
func (s *series) addInterval(line string) bool {
	m, at, ok := next(intervalLine, line, s.tps)
	if !ok {
		return false
	}
	s.tps = append(s.tps, point(at, m[3]))
	s.qps = append(s.qps, point(at, m[4]))
	s.writes = append(s.writes, point(at, m[6]))
	s.latency, s.percentile = append(s.latency, point(at, m[9])), m[8]
	s.errors = append(s.errors, point(at, m[10]))
	s.reconnects = append(s.reconnects, point(at, m[11]))
	s.anyWrite = s.anyWrite || nonZero(s.writes[len(s.writes)-1])
	s.anyError = s.anyError || nonZero(s.errors[len(s.errors)-1])
	s.anyReconnect = s.anyReconnect || nonZero(s.reconnects[len(s.reconnects)-1])
	return true
}

// addEvents reads an interval line without statements.
func (s *series) addEvents(line string) bool {
	m, at, ok := next(eventLine, line, s.tps)
	if !ok {
		return false
	}
	s.tps = append(s.tps, point(at, m[3]))
	s.latency, s.percentile = append(s.latency, point(at, m[5])), m[4]
	return true
}

// addQueue reads a line about the queue of a run at a fixed rate.
func (s *series) addQueue(line string) bool {
	m, at, ok := next(queueLine, line, s.queue)
	if !ok {
		return false
	}
	s.queue = append(s.queue, point(at, m[2]))
	s.concurrency = append(s.concurrency, point(at, m[3]))
	return true
}

// next are the parts of a line of that form, and the time (s) of a new point, its first part:
// later than that of the last one.
func next(form *regexp.Regexp, line string, before []contract.Interval) (parts []string, at float64, ok bool) {
	parts = form.FindStringSubmatch(line)
	if parts == nil {
		return nil, 0, false
	}
	n, err := strconv.ParseInt(parts[1], 10, 32)
	if err != nil || len(before) > 0 && float64(n) <= before[len(before)-1].AtSeconds {
		return nil, 0, false
	}
	return parts, float64(n), true
}

func point(at float64, text string) contract.Interval {
	p := contract.Interval{AtSeconds: at}
	if f, ok := parseFigure(text); ok && f.hasValue {
		p.Value = &f.value
	}
	return p
}

func nonZero(i contract.Interval) bool { return i.Value != nil && *i.Value != 0 }

// addBucket adds a row of the histogram to the buckets before it. Below 0.06 ms
// neighbours are closer than the three decimals they are printed with: rows of
// equal value become one bucket. It is false when the line is no such row.
func addBucket(buckets []contract.Bucket, line string) ([]contract.Bucket, bool) {
	m := histogramLine.FindStringSubmatch(line)
	if m == nil {
		return buckets, false
	}
	value, errValue := strconv.ParseFloat(m[1], 64)
	n, errCount := strconv.ParseInt(m[2], 10, 64)
	if errValue != nil || errCount != nil {
		return buckets, false
	}
	if last := len(buckets) - 1; last >= 0 && value <= buckets[last].Value {
		if value < buckets[last].Value {
			return buckets, false
		}
		buckets[last].Count += n
		return buckets, true
	}
	return append(buckets, contract.Bucket{Value: value, Count: n}), true
}
