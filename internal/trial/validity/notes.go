package validity

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// minBeyond is the expected number of operations beyond a percentile.
const minBeyond = 10

// tls: clients with libmariadb silently use plain text when a server has no TLS. So the check
// uses the server: a session of the agent with the same account and mode, and the server's
// number of handshakes for those of the tool.
func tls(r contract.Result, e runner.Expectations) string {
	if !e.TLSRequired || r.Server == nil {
		return ""
	}
	_, untold := engines.Of(*r.Server).Facts.Lacks[engine.Encryption]
	switch {
	case r.Server.Cipher == "" && untold:
		return "" // not known: the agent says so (server/tls)
	case r.Server.Cipher == "":
		return "TLS is required, but the server did not encrypt a session of the benchmark's account (Ssl_cipher is empty)"
	}
	accepts, ok := r.Server.StatusDelta[contract.StatusTLSAccepts]
	// In an open loop the number of connections is unknown, but at least one.
	connections := max(1, e.Threads)
	if ok && accepts < float64(connections) {
		return fmt.Sprintf("TLS is required, but the server completed %.0f TLS handshakes (%s) for %d connections",
			accepts, contract.StatusTLSAccepts, connections)
	}
	return ""
}

const (
	// fewArrivals is the number of offered operations per interval of an open loop from which
	// an empty interval is no chance: its probability is e^-10.
	fewArrivals = 10
	// slowShare is the share of the median throughput below which an interval is slow: the
	// server stopped for half of it. manyOperations is the minimum median for this: of
	// intervals with 50 operations on average, one in 10,000 has 25 or fewer.
	slowShare      = 0.5
	manyOperations = 50
	// stalledFor is the minimum latency (ms) of a stalled operation: stalls of InnoDB take 1
	// to 4 s.
	stalledFor = 1000
	// stalledTimes is its minimum ratio to the mean, because long operations are normal in
	// some workloads.
	stalledTimes = 20
)

// stall reports intervals with no or little throughput, and an operation that took much longer
// than all others, because a server that stops for 1.2 s may leave no interval of 1 s empty.
func stall(r contract.Result, e runner.Expectations) string {
	return cmp.Or(slowIntervals(r, e), longOperation(r, e))
}

func slowIntervals(r contract.Result, e runner.Expectations) string {
	m, ok := r.Find(contract.NameThroughput, nil)
	if !ok || e.Rate > 0 && e.Rate*float64(e.ReportIntervalSeconds) < fewArrivals {
		return ""
	}
	if empty, first := slower(m.Intervals, 0); empty > 0 {
		return fmt.Sprintf("%d of %d intervals had no throughput, the first one at %g s", empty, len(m.Intervals), first)
	}
	typical, known := median(m.Intervals)
	if !known || typical*float64(e.ReportIntervalSeconds) < manyOperations || len(m.Intervals) < 3 {
		return ""
	}
	// The first interval may include the start-up, and the last one is incomplete.
	if slow, first := slower(m.Intervals[1:len(m.Intervals)-1], slowShare*typical); slow > 0 {
		return fmt.Sprintf("%d of %d intervals had less than half of the median throughput, the first one at %g s", slow, len(m.Intervals), first)
	}
	return ""
}

// longOperation is the longest operation, if it took much longer than the others. It is
// skipped where operations differ by design, such as in bulk_insert, where one in thousands
// sends the rows of all.
func longOperation(r contract.Result, e runner.Expectations) string {
	for _, m := range r.Measurements {
		alike := e.QueriesPerOperation > 0 || m.Labels[contract.LabelOperation] != ""
		if m.Name != contract.NameLatencyMax || m.Value == nil || *m.Value < stalledFor || !alike {
			continue
		}
		if mean, ok := like(r, m, contract.NameLatencyAvg); ok && mean > 0 && *m.Value >= stalledTimes*mean {
			return fmt.Sprintf("an operation%s took %.3f s, %.0f times the mean: the server stalled", ofOperation(m), *m.Value/1000, *m.Value/mean)
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

// percentileSample: a percentile needs several operations beyond it; otherwise it depends on
// one of them.
func percentileSample(r contract.Result, _ runner.Expectations) string {
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

func errorsNote(name, format string) say {
	return func(r contract.Result, _ runner.Expectations) string {
		errors := r.ErrorCount(name)
		if errors == 0 {
			return ""
		}
		n, _ := operations(r)
		return fmt.Sprintf(format, errors, n/float64(errors))
	}
}

// variablesChanged: a setting changed during the measurement.
func variablesChanged(r contract.Result, _ runner.Expectations) string {
	if r.Server == nil {
		return ""
	}
	var names []string
	positions := engines.Positions(*r.Server)
	for _, name := range slices.Sorted(maps.Keys(r.Server.VariablesChanged)) {
		if !slices.Contains(positions, name) && !slices.Contains(contract.ServerNames, name) { // of another server, which serverRestarted says
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "the server's settings changed during the trial: " + strings.Join(atMost(10, names), ", ")
}

// sourceReset is the source of Problems with the check of the data after a reset, such as a
// missing checksum.
const sourceReset = "reset"

// isOfAgent: a Problem of the agent, not a line of the tool's output.
func isOfAgent(p contract.Problem) bool {
	side, _, _ := strings.Cut(p.Source, "/")
	return p.Line == 0 && p.Source != contract.SourceChecksum && (side == "server" || side == "target" || side == "client")
}

// unchecked: tables without a checksum are compared only by their number of rows.
var unchecked = problemOf(contract.SourceChecksum, "the data is compared by its number of rows alone: ")

// problemOf is the first Problem of the source, after what it means.
func problemOf(source, meaning string) say {
	return func(r contract.Result, _ runner.Expectations) string {
		for _, p := range r.Problems {
			if p.Source == source {
				return meaning + p.Text
			}
		}
		return ""
	}
}

// agentProblems are requests that the agent could not carry out.
func agentProblems(r contract.Result, _ runner.Expectations) string {
	var texts []string
	for _, p := range r.Problems {
		if isOfAgent(p) {
			texts = append(texts, p.Source+": "+p.Text)
		}
	}
	return strings.Join(texts, "; ")
}

func problems(r contract.Result, _ runner.Expectations) string {
	lines := slices.DeleteFunc(slices.Clone(r.Problems), func(p contract.Problem) bool {
		return p.Source == sourceReset || p.Source == contract.SourceChecksum || isOfAgent(p)
	})
	if len(lines) == 0 {
		return ""
	}
	var texts []string
	unread := slices.DeleteFunc(slices.Clone(lines), func(p contract.Problem) bool { return p.Line == 0 })
	for _, p := range lines {
		if p.Line == 0 { // of no line: what the runner says of the whole
			texts = append(texts, p.Source+": "+p.Text)
		}
	}
	if len(unread) > 0 {
		p := unread[0]
		texts = append(texts, fmt.Sprintf("%d lines of output were not understood, the first one in %s, line %d: %s", len(unread), p.Source, p.Line, p.Text))
	}
	return strings.Join(texts, "; ")
}
