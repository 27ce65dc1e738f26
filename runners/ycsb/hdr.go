package ycsb

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/runner/hdrlog"
)

// loggingFor is the comment in which YCSB names the metric of a log.
var loggingFor = regexp.MustCompile(`(?m)^#\[Logging for: (\S+)\]\r?$`)

// grid of the histograms of YCSB: logs of several operations and clients add up exactly.
var grid = hdrlog.Grid{Digits: 3, Lowest: 1}

// hdrLog is what the log of a metric holds: all intervals together.
type hdrLog struct {
	// metric such as READ or Intended-READ.
	metric string
	// histogram in ms.
	histogram contract.Histogram
	// parts are the intervals, with their times in ms since 1970.
	parts []logPart
}

// hdrLogs are the logs by their metric.
type hdrLogs map[string]hdrLog

// logPart is one interval of a log.
type logPart struct {
	began, ended int64
	histogram    hdrlog.Histogram
}

// parseLog reads a log of HdrHistogram whose values are µs.
func parseLog(name string, data []byte) (hdrLog, error) {
	log := hdrLog{metric: strings.TrimSuffix(strings.TrimPrefix(name, hdrPrefix), ".hdr")}
	if m := loggingFor.FindSubmatch(data); m != nil {
		log.metric = string(m[1])
	}
	// YCSB makes the log of an operation in the thread that needs it first. Where two do at once, the second empties the file, and the
	// first goes on at its place in it: between them the file system has zeros. Whether a histogram was lost, the count of operations says.
	data = bytes.ReplaceAll(data, []byte{0}, nil)
	read, err := hdrlog.ParseEach(data, func(i hdrlog.Interval) {
		log.parts = append(log.parts, logPart{i.BeganMs, i.EndedMs, i.Histogram})
	})
	for i := range log.parts {
		log.parts[i].began += read.EpochMs
		log.parts[i].ended += read.EpochMs
	}
	switch {
	case err != nil:
		return log, err
	case len(read.Strange) > 0:
		return log, fmt.Errorf("line %d is no interval: %s", read.Strange[0].Number, runner.Abridge(read.Strange[0].Text))
	case len(read.Histograms) == 0:
		return log, nil
	case read.Grid != grid:
		return log, fmt.Errorf("the histograms have %s, and those of YCSB %s: they cannot be added up exactly", read.Grid, grid)
	}
	var all []contract.Histogram
	for _, h := range read.Histograms { // YCSB has no tags; they are passed over
		all = append(all, h.In(unitMillisecond, 1000))
	}
	log.histogram, _ = contract.MergeHistograms(all...) // one unit and one way to read percentiles
	return log, nil
}
