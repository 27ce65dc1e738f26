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

func latencySum(r result.Result, _ runner.Facts) string {
	n, counted := operations(r)
	avg, okAvg := whole(r, result.NameLatencyAvg)
	sum, okSum := whole(r, result.NameLatencySum)
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
	avg, ok := whole(r, result.NameLatencyAvg)
	if !counted || !timed || !ok || f.Threads == 0 || n == 0 || seconds <= 0 {
		return ""
	}
	all := seconds * 1000 * float64(f.Threads)
	rounding := n * latencyStep / all
	share := n * avg / all
	low := littleLow - rounding - (idleAtTheBegin(r, f)+idleAtTheEnd(r, f))/all
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
	highest, ok := whole(r, result.NameLatencyMax)
	if f.Operations == 0 || !ok {
		return 0
	}
	return float64(f.Threads) * highest
}

// idleAtTheBegin is how long (ms) all threads together took to connect, where the tool
// counts that into the window.
func idleAtTheBegin(r result.Result, f runner.Facts) float64 {
	setup, ok := whole(r, result.NameSetupTime)
	if !ok {
		return 0
	}
	return float64(f.Threads) * setup * 1000
}
