package ycsb

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// statusLine is what option -s prints every status.interval seconds, on stderr. What
// follows, such as [READ: Count=299, Max=...], is in the HDR logs as well, and there
// unrounded. Before the time stands status.label, if there is one.
var statusLine = regexp.MustCompile(`^(?:.*?\s)?(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d):(\d{3}) (\d+) sec: (\d+) operations;(?: (\S+) current ops/sec;)?`)

// status are the status lines of a run.
type status struct {
	points []statusPoint
}

// statusPoint is one line.
type statusPoint struct {
	// at is the wall clock of the client, without a zone.
	at time.Time
	// seconds since the begin, the fraction cut off.
	seconds int64
	// operations so far.
	operations int64
	// rate over the interval; absent where it is no number.
	rate *float64
}

// add reads a status line. It is false when the line is none, or goes back in time.
func (s *status) add(line string) bool {
	if !strings.Contains(line, " sec: ") {
		return false
	}
	m := statusLine.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	at, errAt := time.Parse("2006-01-02 15:04:05.000", m[1]+"."+m[2])
	seconds, errSeconds := strconv.ParseInt(m[3], 10, 32)
	operations, errOperations := strconv.ParseInt(m[4], 10, 64)
	if errAt != nil || errSeconds != nil || errOperations != nil {
		return false
	}
	if n := len(s.points); n > 0 && (seconds < s.points[n-1].seconds || operations < s.points[n-1].operations) {
		return false
	}
	p := statusPoint{at: at, seconds: seconds, operations: operations}
	if v, err := strconv.ParseFloat(m[5], 64); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
		p.rate = &v
	} else if operations == 0 {
		p.rate = new(0.0) // YCSB prints no rate before the first operation
	}
	s.points = append(s.points, p)
	return true
}

// How much of an interval a point has to cover. Lines are late where the CPU is a slice, and the
// next one comes in time again; the line after the end covers whatever was left.
const (
	minPart     = 0.5
	minLastPart = 0.9
)

// intervals is the rate of operations per interval. The first line is printed at the
// begin and tells nothing; the times of the others count from the interval before the
// second line, as the clock of the first one still holds the loading of classes.
func (s *status) intervals(length float64) []contract.Interval {
	var series []contract.Interval
	var begin time.Time
	before := 0.0
	for i, p := range s.points {
		part := minPart
		if i == len(s.points)-1 {
			part = minLastPart
		}
		if p.seconds == 0 && begin.IsZero() {
			continue // printed at the begin
		}
		if begin.IsZero() {
			begin = p.at.Add(-time.Duration(p.seconds) * time.Second)
		}
		at := float64(p.at.Sub(begin).Milliseconds()) / 1000
		if at < before+part*length {
			continue
		}
		series = append(series, contract.Interval{AtSeconds: at, Value: p.rate})
		before = at
	}
	return series
}
