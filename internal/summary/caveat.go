package summary

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/result"
)

// What is known against a value, by the name of its measurement; empty for nothing.
var (
	quotaCaveat      = aboutQuota
	saturationCaveat = aboutSaturation
)

// caveat of an entry, from the limits of the trials behind it.
func caveat(e v1alpha1.SummaryEntry) string {
	var words []string
	for _, l := range e.LimitedBy {
		share, known := number(l.ThrottledShare)
		if !known || l.By == v1alpha1.LimitMemory {
			continue
		}
		if text := quotaCaveat(e.Name, e.Labels, share); text != "" {
			words = append(words, inSome(l.N, e.N)+text)
		}
	}
	if e.Saturated > 0 {
		if text := saturationCaveat(e.Name); text != "" {
			words = append(words, inSome(e.Saturated, e.N)+text)
		}
	}
	return strings.Join(words, "; ")
}

// inSome says of how many trials something holds; nothing where it holds of all.
func inSome(n, of int32) string {
	if n >= of {
		return ""
	}
	return fmt.Sprintf("in %d of %d trials: ", n, of)
}

// aboutQuota: where containers waited for CPU in more periods (of 100 ms) than operations lie
// beyond a percentile, that percentile may tell of the wait.
func aboutQuota(name string, labels map[string]string, throttledShare float64) string {
	beyond := 0.0
	switch name {
	case result.NameLatencyMax:
	case result.NameLatencyPercentile:
		p, err := strconv.ParseFloat(labels[result.LabelPercentile], 64)
		if err != nil {
			return ""
		}
		beyond = (100 - p) / 100
	default:
		return ""
	}
	if throttledShare <= 0 || throttledShare < beyond {
		return ""
	}
	return fmt.Sprintf("the CPU quota decides it: there was a wait for CPU in %.0f %% of the periods of 100 ms", 100*throttledShare)
}

// aboutSaturation: latencies of an open loop that is not kept up with.
func aboutSaturation(name string) string {
	if !strings.HasPrefix(name, "latency.") {
		return ""
	}
	return "the target did not keep up with the offered rate: latencies grow with the length of the window"
}
