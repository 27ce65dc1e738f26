package tpcc

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/runner/gotpc"
)

// The queries are those of CH-benCHmark (go-tpc ch): R. Cole et al., The mixed workload CH-benCHmark, DBTest 2011.

// analyticalRows of the tables that only the queries use. TPC-H's suppliers are those of scale factor 1 with any number of warehouses.
var analyticalRows = map[string]int64{"nation": 25, "region": 5, "supplier": 10_000}

// anyQuery is the operation of the rate of all queries together.
const anyQuery = "query"

var (
	// endLine says when the transactions ended: on the clock of the executions, and on the wall clock.
	endLine = regexp.MustCompile(`^\[Result\] OLTP - Ended\(s\): ([0-9]{1,9}\.[0-9]{6}), Unix\(us\): ([0-9]{1,17})$`)
	// queryError is a query that failed, in an errorLine.
	queryError = regexp.MustCompile(`^execute query (q[0-9]+) failed (.+)$`)
	// queryLine is of go-tpc's own report of queries, which is not used: its times end before the rows are read, and QphH has no refresh function.
	queryLine = regexp.MustCompile(`^(\[(Current|Summary)\] +Q[0-9]+(_ERR)? +- Count: .+|QphH: [0-9.]+)$`)
)

// end of the transactions.
type end struct {
	// at counts from the start of the process, in s, as the begins of executions do.
	at   float64
	wall time.Time
}

// analyzes says whether the tables of the queries are loaded.
func (p Params) analyzes() bool { return len(p.AnalyticalQueries) > 0 }

// analysts are the threads that execute queries.
func (p Params) analysts() int32 {
	switch {
	case !p.analyzes():
		return 0
	case p.AnalyticalThreads == nil:
		return 1
	}
	return *p.AnalyticalThreads
}

// tables that are loaded.
func (p Params) tables() []string {
	all := append(slices.Collect(maps.Keys(rowsPerWarehouse)), "item", "order_line")
	if p.analyzes() {
		all = slices.AppendSeq(all, maps.Keys(analyticalRows))
	}
	return all
}

// queries as go-tpc takes them.
func (p Params) queries() string {
	var names []string
	for _, q := range p.AnalyticalQueries {
		names = append(names, string(q))
	}
	return strings.Join(names, ",")
}

// analytical reads a line about queries.
func (r *reading) analytical(line string) bool {
	if e, is := gotpc.ReadExecution(line); is {
		r.executions = append(r.executions, e)
		return true
	}
	if m := endLine.FindStringSubmatch(line); m != nil {
		at, errAt := strconv.ParseFloat(m[1], 64)
		micros, errMicros := strconv.ParseInt(m[2], 10, 64)
		if errAt != nil || errMicros != nil || r.end != nil {
			return false
		}
		r.end = &end{at: at, wall: time.UnixMicro(micros).UTC()}
		return true
	}
	return queryLine.MatchString(line)
}

// inWindow are the executions that ended before the transactions did: a later end has a time in which nothing else was at work.
func (r *reading) inWindow() (all []gotpc.Execution) {
	if r.end == nil {
		return nil
	}
	for _, e := range r.executions {
		if e.Began+e.Takes <= r.end.at {
			all = append(all, e)
		}
	}
	return all
}

// ofQueries are the rate of all queries, and count and latencies of each, beside transactions of so many seconds.
func (r *reading) ofQueries(seconds float64) []contract.Measurement {
	all := r.inWindow()
	if len(all) == 0 || seconds <= 0 {
		return nil
	}
	m := runner.Number(contract.NameThroughput, "queries/s", contract.HigherIsBetter, float64(len(all))/seconds)
	m.Labels = map[string]string{contract.LabelOperation: anyQuery}
	m.Operation, m.N = "analytical query", new(int64(len(all)))
	out := []contract.Measurement{m}
	queries := gotpc.ByQuery(all)
	for _, query := range gotpc.InOrder(queries) {
		out = append(out, gotpc.Count(query, queries[query])...)
	}
	return out
}

// window of the transactions on the wall clock: the process goes on until the last query has ended. Nil without queries.
func (r *reading) window(measurements []contract.Measurement) *runner.Span {
	m, ok := contract.Find(measurements, contract.NameTotalTime, nil)
	if r.end == nil || !ok {
		return nil
	}
	return &runner.Span{From: r.end.wall.Add(-time.Duration(*m.Value * float64(time.Second))), To: r.end.wall}
}

// queriesUnproven says what the output of a run does not prove of its queries; empty when they were executed.
func (r *reading) queriesUnproven(p Params) string {
	if p.analysts() == 0 {
		return ""
	}
	if r.end == nil {
		return "it did not say when the transactions ended, as the image of the runner does"
	}
	for _, e := range r.executions {
		if !slices.Contains(p.AnalyticalQueries, v1alpha1.TPCHQuery(e.Query)) {
			return "it executed " + e.Query + ", which is not among the queries"
		}
	}
	return ""
}

// queriesFailed is a failure that is the queries' own; nil for none.
func (r *reading) queriesFailed(phase contract.Phase, p Params, t contract.Trial, refusals runner.Refusals) *contract.Failure {
	if len(r.queryErrors) > 0 {
		f := gotpc.Explain(r.queryErrors[0].text, refusals)
		f.Message = fmt.Sprintf("analytical query %s: %s", r.queryErrors[0].query, f.Message)
		return f
	}
	if phase == contract.PhaseRun && p.analysts() > 0 && r.end != nil && len(r.inWindow()) == 0 {
		return failed(contract.ReasonOperationsUnfinished,
			"no analytical query ended within the %d s of the transactions: raise design.duration, or name others in workload.tpcc.analyticalQueries", t.DurationSeconds)
	}
	return nil
}
