package validity

import (
	"fmt"
	"strconv"

	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

// tlsAccepts is the status variable of MySQL and MariaDB that counts TLS
// handshakes that were completed.
const tlsAccepts = "Ssl_finished_accepts"

// minBeyond is how many operations should lie beyond a percentile.
const minBeyond = 10

// tls: clients with libmariadb go on in plain text when a server has no TLS, and
// say nothing, so only the server can tell.
func tls(r result.Result, f runner.Facts) string {
	if !f.TLSRequired || r.Server == nil {
		return ""
	}
	accepts, ok := r.Server.StatusDelta[tlsAccepts]
	if ok && accepts < max(1, float64(f.Threads)) {
		return fmt.Sprintf("TLS is required, but the server completed %.0f TLS handshakes (%s) for %d connections", accepts, tlsAccepts, f.Threads)
	}
	return ""
}

func stall(r result.Result, _ runner.Facts) string {
	m, ok := r.Find(result.NameThroughput, nil)
	if !ok {
		return ""
	}
	stalled, first := 0, 0.0
	for _, point := range m.Intervals {
		if point.Value == nil || *point.Value != 0 {
			continue
		}
		if stalled == 0 {
			first = point.AtSeconds
		}
		stalled++
	}
	if stalled > 0 {
		return fmt.Sprintf("%d of %d intervals had no throughput, the first one at %g s", stalled, len(m.Intervals), first)
	}
	return ""
}

// percentileSample: a percentile needs some operations beyond it to be more than
// the story of one of them.
func percentileSample(r result.Result, _ runner.Facts) string {
	n, ok := operations(r)
	if !ok || n == 0 {
		return ""
	}
	for _, m := range r.Measurements {
		p, err := strconv.ParseFloat(m.Labels[result.LabelPercentile], 64)
		if m.Name != result.NameLatencyPercentile || err != nil || p >= 100 {
			continue
		}
		if beyond := n * (1 - p/100); beyond < minBeyond {
			return fmt.Sprintf("only %.1f of %.0f operations lie beyond the %g%% latency (at least %d expected)", beyond, n, p, minBeyond)
		}
	}
	return ""
}

func ignoredErrors(r result.Result, _ runner.Facts) string {
	return errorsNote(r, result.ErrorIgnored, "%d errors were ignored, one per %.0f operations: their transactions were begun again")
}

func reconnects(r result.Result, _ runner.Facts) string {
	return errorsNote(r, result.ErrorReconnects, "%d connections were lost and made again, one per %.0f operations")
}

func errorsNote(r result.Result, name, format string) string {
	count := r.ErrorCount(name)
	if count == 0 {
		return ""
	}
	n, _ := operations(r)
	return fmt.Sprintf(format, count, n/float64(count))
}

func clientThrottled(r result.Result, _ runner.Facts) string {
	if r.Client.Throttled == nil || *r.Client.Throttled == 0 {
		return ""
	}
	message := fmt.Sprintf("the client was throttled %d times", *r.Client.Throttled)
	if s := r.Client.ThrottledSeconds; s != nil {
		message += fmt.Sprintf(" for %.3f s in all", *s)
	}
	return message + ": give it more CPU"
}

func problems(r result.Result, _ runner.Facts) string {
	if len(r.Problems) == 0 {
		return ""
	}
	p := r.Problems[0]
	return fmt.Sprintf("%d lines of output were not understood, the first one in %s, line %d: %s", len(r.Problems), p.Source, p.Line, p.Text)
}
