package validity

import (
	"fmt"
	"math"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// latencyStep is the rounding of a latency with two decimals, in ms.
const latencyStep = 0.005

// In a closed loop every thread is busy, so the latencies add up to the time of all threads. A
// larger sum means a wrong clock or count; a smaller sum means that the client was the
// bottleneck. Published runs of sysbench are between 0.951 and 0.991.
const (
	littleLow  = 0.90
	littleHigh = 1.005
)

func latencySum(r contract.Result, _ runner.Expectations) string {
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

// little checks Little's law: concurrency = throughput × latency. No thread can have more
// latency than time, except for one operation that began before the window and counts in full.
func little(r contract.Result, e runner.Expectations) string {
	l, ok := filled(r, e)
	if !ok || l.share <= littleHigh+l.rounding+l.begunBefore {
		return ""
	}
	return fmt.Sprintf("%.0f operations of %g ms fill %.3f of the time of %d threads in %.4f s: more than there was", l.n, l.avg, l.share, e.Threads, l.seconds)
}

// clientBottleneck: threads that do not wait for the server wait for their client. The numbers
// are valid, but depend on the client.
func clientBottleneck(r contract.Result, e runner.Expectations) string {
	l, ok := filled(r, e)
	if !ok || l.share >= littleLow-l.rounding-(idleAtTheBegin(r, e)+idleAtTheEnd(r, e))/l.all {
		return ""
	}
	return fmt.Sprintf("%.0f operations of %g ms fill only %.3f of the time of %d threads in %.4f s (at least %.2f expected): "+
		"the client was the bottleneck", l.n, l.avg, l.share, e.Threads, l.seconds, littleLow)
}

// filling relates the sum of latencies to the time of all threads.
type filling struct {
	n, avg, seconds float64
	// all is the time of all threads, in ms; share is the share of the latencies in it.
	all, share float64
	// rounding of the mean, and operations that began before the window, as shares of all.
	rounding, begunBefore float64
}

func filled(r contract.Result, e runner.Expectations) (filling, bool) {
	n, counted := operations(r)
	seconds, timed := value(r, contract.NameTotalTime, nil)
	avg, ok := whole(r, contract.NameLatencyAvg)
	if !counted || !timed || !ok || e.Threads == 0 || n == 0 || seconds <= 0 {
		return filling{}, false
	}
	all := seconds * 1000 * float64(e.Threads)
	l := filling{n: n, avg: avg, seconds: seconds, all: all, share: n * avg / all, rounding: n * latencyStep / all}
	if longest, ok := whole(r, contract.NameLatencyMax); ok {
		l.begunBefore = longest * float64(e.Threads) / all
	}
	return l, true
}

// idleAtTheEnd is the total time (ms) that threads may have waited for the last operations of
// other threads: one operation each where the number of operations is fixed, and the time
// after the requested duration where that is fixed.
func idleAtTheEnd(r contract.Result, e runner.Expectations) float64 {
	if e.Operations == 0 {
		seconds, ok := value(r, contract.NameTotalTime, nil)
		if !ok || e.DurationSeconds == 0 {
			return 0
		}
		return float64(e.Threads) * 1000 * max(0, seconds-float64(e.DurationSeconds))
	}
	highest, ok := whole(r, contract.NameLatencyMax)
	if !ok {
		return 0
	}
	return float64(e.Threads) * highest
}

// idleAtTheBegin is the total time (ms) of all threads to connect, where the tool includes it
// in the window.
func idleAtTheBegin(r contract.Result, e runner.Expectations) float64 {
	setup, ok := whole(r, contract.NameSetupTime)
	if !ok {
		return 0
	}
	return float64(e.Threads) * setup * 1000
}
