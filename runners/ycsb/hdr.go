package ycsb

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

var (
	// loggingFor is the comment in which YCSB names the metric of a log.
	loggingFor = regexp.MustCompile(`^#\[Logging for: (\S+)\]$`)
	// logLine is an interval. Interval_Max, the third column, is the maximum divided by 1e6
	// and rounded: with latencies in µs that is seconds. Only the payload is used.
	logLine = regexp.MustCompile(`^(?:Tag=[^,]*,)?-?[\d.]+,[\d.]+,[\d.]+,(HISTF\S+)$`)
)

// significantDigits of the histograms of YCSB. Two histograms of as many digits have the
// same buckets, whatever their range.
const significantDigits = 3

// maxCount is beyond the operations of any run; sums of some thousand of them still fit.
const maxCount = 1 << 48

// hdrLog is what the log of a metric holds: all intervals together.
type hdrLog struct {
	// metric such as READ or Intended-READ.
	metric string
	// counts of operations by the highest latency in µs that is in the same bucket.
	counts map[int64]int64
}

// parseLog reads a log of HdrHistogram, format 1.2 or 1.3, whose values are µs.
func parseLog(name string, data []byte) (hdrLog, error) {
	log := hdrLog{metric: strings.TrimSuffix(strings.TrimPrefix(name, hdrPrefix), ".hdr"), counts: map[int64]int64{}}
	if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
		return log, errors.New("its last line is cut")
	}
	for i, line := range runner.Lines(data) {
		if m := loggingFor.FindStringSubmatch(line); m != nil {
			log.metric = m[1]
			continue
		}
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, `"StartTimestamp"`) || strings.TrimSpace(line) == "" {
			continue
		}
		m := logLine.FindStringSubmatch(line)
		if m == nil {
			return log, fmt.Errorf("line %d is no interval: %s", i+1, abridge(line))
		}
		if err := log.add(m[1]); err != nil {
			return log, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return log, nil
}

func (l hdrLog) add(payload string) error {
	h, err := hdrhistogram.Decode([]byte(payload))
	if err != nil {
		return err
	}
	if h.SignificantFigures() != significantDigits {
		return fmt.Errorf("the histogram has %d significant digits, and those of YCSB have %d: they cannot be added up exactly",
			h.SignificantFigures(), significantDigits)
	}
	for _, bar := range h.Distribution() {
		if bar.Count <= 0 {
			continue
		}
		if l.counts[bar.To] += bar.Count; l.counts[bar.To] > maxCount || bar.Count > maxCount {
			return errors.New("the counts are larger than any run")
		}
	}
	return nil
}

// histogram in ms. The value of a bucket is the highest latency in it, which is what
// HdrHistogram answers for a percentile.
func (l hdrLog) histogram() result.Histogram {
	h := result.Histogram{Unit: unitMillisecond, RoundUp: true, Buckets: make([]result.Bucket, 0, len(l.counts))}
	for _, us := range slices.Sorted(maps.Keys(l.counts)) {
		h.Buckets = append(h.Buckets, result.Bucket{Value: float64(us) / 1000, Count: l.counts[us]})
	}
	return h
}
