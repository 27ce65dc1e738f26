package validity

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

const tlsAccepts = contract.StatusTLSAccepts

// maxNames is how many variables a message names.
const maxNames = 10

// minBeyond is how many operations should lie beyond a percentile.
const minBeyond = 10

// tls: clients with libmariadb go on in plain text when a server has no TLS, and
// say nothing, so only the server can tell: of a session of the agent, made with the
// same account and mode, and by its count of handshakes, of those of the tool.
func tls(r contract.Result, f runner.Facts) string {
	if !f.TLSRequired || r.Server == nil {
		return ""
	}
	if r.Server.Cipher == "" {
		return "TLS is required, but the server did not encrypt a session of the benchmark's account (Ssl_cipher is empty)"
	}
	accepts, ok := r.Server.StatusDelta[tlsAccepts]
	// Of an open loop the number of connections is not known: there is one at least.
	connections := max(1, f.Threads)
	if ok && accepts < float64(connections) {
		return fmt.Sprintf("TLS is required, but the server completed %.0f TLS handshakes (%s) for %d connections", accepts, tlsAccepts, connections)
	}
	return ""
}

const (
	// fewArrivals is how many operations an open loop has to offer in an interval, for
	// one without any to be no chance: e^-10 of them would be empty.
	fewArrivals = 10
	// slowShare of the median throughput is that of an interval in which a server stopped for
	// half of it; manyOperations is how many the median has to have, for that to be no
	// chance: of 50, one in 10,000 is 25 or less.
	slowShare      = 0.5
	manyOperations = 50
	// stalledFor is how long (ms) an operation takes at least while something stands still:
	// stalls of InnoDB take 1 to 4 s.
	stalledFor = 1000
	// stalledTimes is how many times longer than the mean it is at least: where operations take
	// long anyway, a long one is no stall.
	stalledTimes = 20
)

// stall names intervals without throughput, those with little of it, and an operation that took
// long beyond all others: a server that stops for 1.2 s may leave no second empty. It is the
// server's own, and stays in the summary.
func stall(r contract.Result, f runner.Facts) string {
	return cmp.Or(slowIntervals(r, f), longOperation(r, f))
}

func slowIntervals(r contract.Result, f runner.Facts) string {
	m, ok := r.Find(contract.NameThroughput, nil)
	if !ok || f.Rate > 0 && f.Rate*float64(f.ReportIntervalSeconds) < fewArrivals {
		return ""
	}
	if empty, first := slower(m.Intervals, 0); empty > 0 {
		return fmt.Sprintf("%d of %d intervals had no throughput, the first one at %g s", empty, len(m.Intervals), first)
	}
	typical, known := median(m.Intervals)
	if !known || typical*float64(f.ReportIntervalSeconds) < manyOperations || len(m.Intervals) < 3 {
		return ""
	}
	// The first interval may be that of a start, and the last one is cut.
	if slow, first := slower(m.Intervals[1:len(m.Intervals)-1], slowShare*typical); slow > 0 {
		return fmt.Sprintf("%d of %d intervals had less than half of the median throughput, the first one at %g s", slow, len(m.Intervals), first)
	}
	return ""
}

// longOperation is the one that took longest, if it is long beyond all others. Where it is not
// known what an operation does, as of bulk_insert, of which one in thousands sends the rows
// of all, a long one is no stall.
func longOperation(r contract.Result, f runner.Facts) string {
	for _, m := range r.Measurements {
		alike := f.QueriesPerOperation > 0 || m.Labels[contract.LabelOperation] != ""
		if m.Name != contract.NameLatencyMax || m.Value == nil || *m.Value < stalledFor || !alike {
			continue
		}
		if mean, ok := like(r, m, contract.NameLatencyAvg); ok && mean > 0 && *m.Value >= stalledTimes*mean {
			return fmt.Sprintf("an operation%s took %.3f s, %.0f times the mean: something stood still meanwhile", ofOperation(m), *m.Value/1000, *m.Value/mean)
		}
	}
	return ""
}

// slower counts the intervals with a throughput of 0, or of less than the bound.
func slower(intervals []contract.Interval, bound float64) (n int, first float64) {
	for _, point := range intervals {
		if point.Value == nil || *point.Value != 0 && *point.Value >= bound {
			continue
		}
		if n == 0 {
			first = point.AtSeconds
		}
		n++
	}
	return n, first
}

// percentileSample: a percentile needs some operations beyond it to be more than
// the story of one of them.
func percentileSample(r contract.Result, _ runner.Facts) string {
	all, ok := operations(r)
	for _, m := range r.Measurements {
		p, err := strconv.ParseFloat(m.Labels[contract.LabelPercentile], 64)
		if m.Name != contract.NameLatencyPercentile || err != nil || p >= 100 {
			continue
		}
		n := all
		if m.N != nil {
			n = float64(*m.N)
		} else if !ok {
			continue
		}
		if beyond := n * (1 - p/100); n > 0 && beyond < minBeyond {
			return fmt.Sprintf("only %.1f of %.0f operations%s lie beyond the %g%% latency (at least %d expected)", beyond, n, ofOperation(m), p, minBeyond)
		}
	}
	return ""
}

func ignoredErrors(r contract.Result, _ runner.Facts) string {
	return errorsNote(r, contract.ErrorIgnored, "%d errors were ignored, one per %.0f operations: their transactions were begun again")
}

func reconnects(r contract.Result, _ runner.Facts) string {
	return errorsNote(r, contract.ErrorReconnects, "%d connections were lost and made again, one per %.0f operations")
}

func errorsNote(r contract.Result, name, format string) string {
	count := r.ErrorCount(name)
	if count == 0 {
		return ""
	}
	n, _ := operations(r)
	return fmt.Sprintf(format, count, n/float64(count))
}

// positions are global variables that tell how far a server has come, not how it
// is set: every write moves them.
var positions = []string{
	"gtid_binlog_pos", "gtid_binlog_state", "gtid_current_pos", "gtid_slave_pos", // MariaDB
	"gtid_executed", "gtid_purged", // MySQL
}

// variablesChanged: a setting that somebody or something changed while measuring.
func variablesChanged(r contract.Result, _ runner.Facts) string {
	if r.Server == nil {
		return ""
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.Server.VariablesChanged)) {
		if !slices.Contains(positions, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	more := ""
	if n := len(names) - maxNames; n > 0 {
		names, more = names[:maxNames], fmt.Sprintf(" and %d more", n)
	}
	return "the server's settings changed during the trial: " + strings.Join(names, ", ") + more
}

// resetSource is the source of what the agent could not say for certain of the
// data after a reset, such as a checksum that the server did not give.
const resetSource = "reset"

func isOfReset(p contract.Problem) bool { return p.Source == resetSource }

// isOfAgent: not a line of the tool's output, but what the agent met on its way.
func isOfAgent(p contract.Problem) bool {
	side, _, _ := strings.Cut(p.Source, "/")
	return p.Line == 0 && p.Source != contract.SourceChecksum && (side == "server" || side == "target" || side == "client")
}

func isOfChecksum(p contract.Problem) bool { return p.Source == contract.SourceChecksum }

// unchecked: tables without a checksum are the same as far as their number of rows tells.
func unchecked(r contract.Result, _ runner.Facts) string {
	i := slices.IndexFunc(r.Problems, isOfChecksum)
	if i < 0 {
		return ""
	}
	return "the data is compared by its number of rows alone: " + r.Problems[i].Text
}

// agentProblems are what the agent could not find out, or not do as it was asked.
func agentProblems(r contract.Result, _ runner.Facts) string {
	var texts []string
	for _, p := range r.Problems {
		if isOfAgent(p) {
			texts = append(texts, p.Source+": "+p.Text)
		}
	}
	return strings.Join(texts, "; ")
}

func resetProblems(r contract.Result, _ runner.Facts) string {
	i := slices.IndexFunc(r.Problems, isOfReset)
	if i < 0 {
		return ""
	}
	return "after the reset: " + r.Problems[i].Text
}

func problems(r contract.Result, _ runner.Facts) string {
	lines := slices.DeleteFunc(slices.Clone(r.Problems), func(p contract.Problem) bool { return isOfReset(p) || isOfAgent(p) || isOfChecksum(p) })
	if len(lines) == 0 {
		return ""
	}
	p := lines[0]
	return fmt.Sprintf("%d lines of output were not understood, the first one in %s, line %d: %s", len(lines), p.Source, p.Line, p.Text)
}
