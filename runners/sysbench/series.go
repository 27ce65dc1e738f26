package sysbench

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
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

// seriesLines by their forms, of which the first part is the time: which other parts are points of which series,
// by the name of the measurement. Times of one line ascend by the series clock.
var seriesLines = []struct {
	form   *regexp.Regexp
	clock  string
	points map[string]int
	// percentile is the part that says which one the latency is; 0 for none.
	percentile int
}{
	{intervalLine, contract.NameThroughput, map[string]int{
		contract.NameThroughput: 3, contract.NameQueries: 4, contract.NameWrites: 6, contract.NameLatencyPercentile: 9,
		contract.NameErrorRate: 10, contract.NameReconnects: 11,
	}, 8},
	{eventLine, contract.NameThroughput, map[string]int{contract.NameThroughput: 3, contract.NameLatencyPercentile: 5}, 4},
	{queueLine, contract.NameQueueLength, map[string]int{contract.NameQueueLength: 2, contract.NameQueueConcurrency: 3}, 0},
}

// series are the time series of a run, by the name of the measurement.
type series struct {
	points map[string][]contract.Interval
	// percentile of latency, as the last line says.
	percentile string
}

// add reads a line about an interval. It is false when the line is none, or goes back in time.
func (s *series) add(line string) bool {
	for _, kind := range seriesLines {
		m := kind.form.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		at, err := strconv.ParseInt(m[1], 10, 32)
		before := s.points[kind.clock]
		if err != nil || len(before) > 0 && float64(at) <= before[len(before)-1].AtSeconds {
			return false
		}
		for name, i := range kind.points {
			value, _ := parseFigure(m[i])
			s.points[name] = append(s.points[name], contract.Interval{AtSeconds: float64(at), Value: value})
		}
		if kind.percentile > 0 {
			s.percentile = m[kind.percentile]
		}
		return true
	}
	return false
}

// happened is the series of what may never happen; nil where it did not.
func (s *series) happened(name string) []contract.Interval {
	if slices.ContainsFunc(s.points[name], func(i contract.Interval) bool { return runner.Value(i.Value) != 0 }) {
		return s.points[name]
	}
	return nil
}

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
