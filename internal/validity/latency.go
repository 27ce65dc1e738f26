package validity

import (
	"fmt"
	"math"

	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

// latencyStep is the rounding of a latency with two decimals, in ms.
const latencyStep = 0.005

// A closed loop keeps every thread busy, so the latencies add up to the time of
// all threads. Above it, clock or counting is wrong; below it, the client was
// the bottleneck. Published runs of sysbench are between 0.951 and 0.991.
const (
	littleLow  = 0.90
	littleHigh = 1.005
)

func latencyOrder(r result.Result, f runner.Facts) string {
	lowest, okMin := value(r, result.NameLatencyMin, nil)
	highest, okMax := value(r, result.NameLatencyMax, nil)
	if !okMin || !okMax {
		return ""
	}
	if lowest > highest {
		return fmt.Sprintf("the shortest latency is %g ms, the longest %g ms", lowest, highest)
	}
	if avg, ok := value(r, result.NameLatencyAvg, nil); ok && (avg < lowest || avg > highest) {
		return fmt.Sprintf("the mean latency %g ms is not between the shortest %g ms and the longest %g ms", avg, lowest, highest)
	}
	for _, m := range r.Measurements {
		if m.Name != result.NameLatencyPercentile || m.Value == nil {
			continue
		}
		// The percentile is the value of a bucket, which may be beside the extremes.
		low, high := lowest*(1-f.QuantileError)-2*latencyStep, highest*(1+f.QuantileError)+2*latencyStep
		if p := *m.Value; p < low || p > high {
			return fmt.Sprintf("the %s%% latency %g ms is not between the shortest %g ms and the longest %g ms (buckets of %.1f %%)",
				m.Labels[result.LabelPercentile], p, lowest, highest, 100*f.QuantileError)
		}
	}
	return ""
}

func latencySum(r result.Result, _ runner.Facts) string {
	n, counted := operations(r)
	avg, okAvg := value(r, result.NameLatencyAvg, nil)
	sum, okSum := value(r, result.NameLatencySum, nil)
	if !counted || !okAvg || !okSum || n == 0 {
		return ""
	}
	if math.Abs(sum-n*avg) > (n+1)*latencyStep*(1+rateShare) {
		return fmt.Sprintf("%.0f operations of %g ms are %.2f ms, but the sum of latencies is %g ms", n, avg, n*avg, sum)
	}
	return ""
}

// little is Little's law: operations under way = throughput × latency.
func little(r result.Result, f runner.Facts) string {
	n, counted := operations(r)
	seconds, timed := value(r, result.NameTotalTime, nil)
	avg, ok := value(r, result.NameLatencyAvg, nil)
	if !counted || !timed || !ok || f.Threads == 0 || n == 0 || seconds <= 0 {
		return ""
	}
	all := seconds * 1000 * float64(f.Threads)
	rounding := n * latencyStep / all
	share := n * avg / all
	low := littleLow - rounding - idleAtTheEnd(r, f)/all
	switch {
	case share > littleHigh+rounding:
		return fmt.Sprintf("%.0f operations of %g ms fill %.3f of the time of %d threads in %.4f s: more than there was", n, avg, share, f.Threads, seconds)
	case share < low:
		return fmt.Sprintf("%.0f operations of %g ms fill only %.3f of the time of %d threads in %.4f s (at least %.2f expected): "+
			"the client was the bottleneck", n, avg, share, f.Threads, seconds, littleLow)
	}
	return ""
}

// idleAtTheEnd is how long (ms) all threads together may have waited for the last
// operations of others, where the number of operations is bounded: each for one.
func idleAtTheEnd(r result.Result, f runner.Facts) float64 {
	highest, ok := value(r, result.NameLatencyMax, nil)
	if f.Operations == 0 || !ok {
		return 0
	}
	return float64(f.Threads) * highest
}
