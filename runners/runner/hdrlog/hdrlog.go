// Package hdrlog reads logs of HdrHistogram, format 1.2 and 1.3, and says what all
// intervals of a log hold together. Only the compressed histograms count: the maximum
// beside them is scaled and rounded.
//
// Percentiles are read as HdrHistogram for Java does since 2.2, which is the reference of
// these logs: result.Histogram.Percentile with RoundUp. The library that decodes the
// histograms takes the nearest rank instead, as Java did before, so it is not asked.
package hdrlog

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/assay-bench/assay/runners/runner"
)

// interval is a line: tag, begin and length in seconds, maximum, histogram. A begin may
// be negative, because a clock was set.
var interval = regexp.MustCompile(`^(?:Tag=([^,]*),)?(-?\d+(?:\.\d+)?),(\d+(?:\.\d+)?),[\d.]+,(HIST\S+)$`)

// started is the comment that says when the log began, in seconds since 1970.
var started = regexp.MustCompile(`^#\[StartTime: (\d+(?:\.\d+)?) \(seconds since epoch\)`)

// maxSeconds is beyond any time of a log; differences of them in ms still fit.
const maxSeconds = 1 << 40

// Log is what a log holds.
type Log struct {
	// Histograms are sums of all intervals of one tag, in the order in which the tags
	// came. Intervals without a tag have the empty one.
	Histograms []Histogram
	// Grid of all of them; zero without an interval.
	Grid Grid
	// BeganMs is the begin of the first interval and EndedMs the end of the last one, in ms
	// from the same instant. Both are 0 without an interval.
	BeganMs, EndedMs int64
	// EpochMs is the instant from which they count, in ms since 1970, where the log says so
	// (#[StartTime: ...]); else 0.
	EpochMs int64
	// Strange are lines that are no part of a log.
	Strange []Line
}

// Line of a log, counted from 1.
type Line struct {
	Number int
	Text   string
}

// Interval is one line of a log.
type Interval struct {
	// BeganMs and EndedMs are its begin and end in ms since Log.EpochMs.
	BeganMs, EndedMs int64
	// Histogram of the interval alone.
	Histogram Histogram
}

// Parse reads a log. It fails where an interval cannot be read, and where the intervals
// cannot be added up exactly.
func Parse(data []byte) (Log, error) { return ParseEach(data, func(Interval) {}) }

// ParseEach reads a log as Parse does, and hands over its intervals, in their order.
func ParseEach(data []byte, each func(Interval)) (Log, error) {
	var log Log
	if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
		return log, errors.New("its last line is cut")
	}
	for i, line := range runner.Lines(data) {
		if m := started.FindStringSubmatch(line); m != nil {
			var err error
			if log.EpochMs, err = milliseconds(m[1]); err != nil {
				return log, fmt.Errorf("line %d: %w", i+1, err)
			}
		}
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, `"StartTimestamp"`) || strings.TrimSpace(line) == "" {
			continue
		}
		parts := interval.FindStringSubmatch(line)
		if parts == nil {
			log.Strange = append(log.Strange, Line{Number: i + 1, Text: line})
			continue
		}
		one, err := log.add(parts[1:])
		if err != nil {
			return log, fmt.Errorf("line %d: %w", i+1, err)
		}
		each(one)
	}
	return log, nil
}

// add takes in the parts of an interval, and gives it back.
func (l *Log) add(parts []string) (Interval, error) {
	tag, payload := parts[0], parts[3]
	began, err := milliseconds(parts[1])
	if err != nil {
		return Interval{}, err
	}
	took, err := milliseconds(parts[2])
	if err != nil {
		return Interval{}, err
	}
	h, err := hdrhistogram.DecodePacked([]byte(payload))
	if err != nil {
		return Interval{}, err
	}
	grid := Grid{Digits: h.SignificantFigures(), Lowest: h.LowestTrackableValue()}
	switch {
	case len(l.Histograms) == 0:
		l.Grid, l.BeganMs, l.EndedMs = grid, began, began+took
	case grid != l.Grid:
		return Interval{}, fmt.Errorf("the histogram has %s, and those before it %s: they cannot be added up exactly", grid, l.Grid)
	}
	l.BeganMs, l.EndedMs = min(l.BeganMs, began), max(l.EndedMs, began+took)
	one := Interval{BeganMs: began, EndedMs: began + took, Histogram: Histogram{Tag: tag, grid: grid, counts: map[int64]int64{}}}
	if err := l.tagged(tag).add(h); err != nil {
		return Interval{}, err
	}
	return one, one.Histogram.add(h)
}

// tagged is the sum of a tag. The pointer holds until the next call.
func (l *Log) tagged(tag string) *Histogram {
	i := slices.IndexFunc(l.Histograms, func(h Histogram) bool { return h.Tag == tag })
	if i < 0 {
		i = len(l.Histograms)
		l.Histograms = append(l.Histograms, Histogram{Tag: tag, grid: l.Grid, counts: map[int64]int64{}})
	}
	return &l.Histograms[i]
}

// milliseconds reads seconds, which have three decimals. They are rounded: as a binary
// fraction 0.029 is a little less than 29 ms.
func milliseconds(seconds string) (int64, error) {
	s, err := strconv.ParseFloat(seconds, 64)
	if err != nil || math.Abs(s) > maxSeconds {
		return 0, fmt.Errorf("%.40s is no time in seconds", seconds)
	}
	return int64(math.Round(s * 1000)), nil
}
