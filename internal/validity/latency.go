package validity

import (
	"fmt"
	"math"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
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

func latencySum(r contract.Result, _ runner.Facts) string {
	n, counted := operations(r)
	avg, okAvg := whole(r, contract.NameLatencyAvg)
	sum, okSum := whole(r, contract.NameLatencySum)
	if !counted || !okAvg || !okSum || n == 0 {
		return ""
	}
	if math.Abs(sum-n*avg) > (n+1)*latencyStep*(1+rateShare) {
		return fmt.Sprintf("%.0f operations of %g ms are %.2f ms, but the sum of latencies is %g ms", n, avg, n*avg, sum)
	}
	return ""
}

// little is Little's law, operations under way = throughput × latency, where it is broken:
// no thread can have more latency than time, but for one operation that began before the
// window and counts as a whole.
func little(r contract.Result, f runner.Facts) string {
	l, ok := filled(r, f)
	if !ok || l.share <= littleHigh+l.rounding+l.begunBefore {
		return ""
	}
	return fmt.Sprintf("%.0f operations of %g ms fill %.3f of the time of %d threads in %.4f s: more than there was", l.n, l.avg, l.share, f.Threads, l.seconds)
}

// clientBottleneck: threads that wait for nothing of the server's wait for their client. It
// says something of the machine that measures, and nothing against the numbers.
func clientBottleneck(r contract.Result, f runner.Facts) string {
	l, ok := filled(r, f)
	if !ok || l.share >= littleLow-l.rounding-(idleAtTheBegin(r, f)+idleAtTheEnd(r, f))/l.all {
		return ""
	}
	return fmt.Sprintf("%.0f operations of %g ms fill only %.3f of the time of %d threads in %.4f s (at least %.2f expected): "+
		"the client was the bottleneck", l.n, l.avg, l.share, f.Threads, l.seconds, littleLow)
}

// filling is how far the latencies fill the time of all threads.
type filling struct {
	n, avg, seconds float64
	// all is the time of all threads, in ms; share is what the latencies fill of it.
	all, share float64
	// rounding of the mean, and operations that began before the window, as shares of all.
	rounding, begunBefore float64
}

func filled(r contract.Result, f runner.Facts) (filling, bool) {
	n, counted := operations(r)
	seconds, timed := value(r, contract.NameTotalTime, nil)
	avg, ok := whole(r, contract.NameLatencyAvg)
	if !counted || !timed || !ok || f.Threads == 0 || n == 0 || seconds <= 0 {
		return filling{}, false
	}
	all := seconds * 1000 * float64(f.Threads)
	l := filling{n: n, avg: avg, seconds: seconds, all: all, share: n * avg / all, rounding: n * latencyStep / all}
	if longest, ok := whole(r, contract.NameLatencyMax); ok {
		l.begunBefore = longest * float64(f.Threads) / all
	}
	return l, true
}

// idleAtTheEnd is how long (ms) all threads together may have waited for the last
// operations of others: each for one, where the number of operations is bounded, and from the
// end of the time that was asked for, where that is.
func idleAtTheEnd(r contract.Result, f runner.Facts) float64 {
	if f.Operations == 0 {
		seconds, ok := value(r, contract.NameTotalTime, nil)
		if !ok || f.DurationSeconds == 0 {
			return 0
		}
		return float64(f.Threads) * 1000 * max(0, seconds-float64(f.DurationSeconds))
	}
	highest, ok := whole(r, contract.NameLatencyMax)
	if !ok {
		return 0
	}
	return float64(f.Threads) * highest
}

// idleAtTheBegin is how long (ms) all threads together took to connect, where the tool
// counts that into the window.
func idleAtTheBegin(r contract.Result, f runner.Facts) float64 {
	setup, ok := whole(r, contract.NameSetupTime)
	if !ok {
		return 0
	}
	return float64(f.Threads) * setup * 1000
}
