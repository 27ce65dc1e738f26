package tpcc

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
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
	// refusedLine: queries went on behind the transactions, because the server would not end them.
	refusedLine = regexp.MustCompile(`^\[Result\] KILL QUERY - Refused: (.+)$`)
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

// tables is how many are loaded.
func (p Params) tables() int {
	if p.analyzes() {
		return transactional + len(analyticalRows)
	}
	return transactional
}

// in a phase: clients that begin together warm up without queries. The warm-up of each would end when its own last query was ended, and their windows would
// not begin together.
func (p Params) in(t contract.Trial, phase contract.Phase) Params {
	if phase == contract.PhaseWarmup && t.Together() {
		p.AnalyticalThreads = new(int32(0))
	}
	return p
}

// analytical reads a line about queries.
func (r *reading) analytical(line string) bool {
	if e, is := gotpc.ReadExecution(line); is {
		r.executions = append(r.executions, e)
		return true
	}
	if e, is := gotpc.ReadInterrupted(line); is {
		r.interrupted = append(r.interrupted, e)
		return true
	}
	if m := refusedLine.FindStringSubmatch(line); m != nil {
		r.refused = m[1]
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
	if queryLine.MatchString(line) {
		r.queried = true
		return true
	}
	return false
}

// diluted: the rates of transactions are over a time in which the last query went on alone, as the published go-tpc prints them.
func (r *reading) diluted() bool { return r.queried && r.end == nil }

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

// ofQueries are the rate of all queries, and count and latencies of each.
func (r *reading) ofQueries(p Params) (out []contract.Measurement) {
	all := r.inWindow()
	queries := gotpc.ByQuery(all)
	if rate := rateOf(queries, p); rate > 0 {
		m := runner.Number(contract.NameThroughput, "queries/s", contract.HigherIsBetter, rate)
		m.Labels = map[string]string{contract.LabelOperation: anyQuery}
		m.Operation, m.N = "analytical query", new(int64(len(all)))
		out = append(out, m)
	}
	for _, query := range gotpc.InOrder(queries) {
		out = append(out, gotpc.Count(query, queries[query])...)
	}
	return out
}

// rateOf queries per second: threads without a pause, each of which executes each query equally often, over the mean time of a query. Executions over the
// time would be a count of few, which a query more or less changes by much, of queries that are not equally long. 0 where one of them has no
// execution, so that its time is unknown.
func rateOf(queries map[string][]gotpc.Execution, p Params) float64 {
	sum := 0.0
	for _, query := range p.AnalyticalQueries {
		all := queries[string(query)]
		if len(all) == 0 {
			return 0
		}
		sum += gotpc.Mean(all)
	}
	if sum <= 0 {
		return 0
	}
	return float64(p.analysts()) * float64(len(p.AnalyticalQueries)) / sum
}

// cutOff are the queries of which no execution ended in time, in words.
func (r *reading) cutOff(p Params) (out []string) {
	if p.analysts() == 0 || r.end == nil {
		return nil
	}
	others, queries := gotpc.ByQuery(slices.Concat(r.executions, r.interrupted)), gotpc.ByQuery(r.inWindow())
	for _, query := range p.AnalyticalQueries {
		name, longest := string(query), 0.0
		if len(queries[name]) > 0 {
			continue
		}
		for _, e := range others[name] {
			longest = max(longest, r.end.at-e.Began)
		}
		text := "none began"
		if longest > 0 {
			text = fmt.Sprintf("the longest had gone on for %.1f s then", longest)
		}
		out = append(out, fmt.Sprintf("analytical query %s has no time: no execution of it ended while transactions were at work (%s): raise design.duration, or leave it out of "+
			"workload.tpcc.analyticalQueries", name, text))
	}
	return out
}

// wentOn says why queries went on behind the transactions; empty where none did.
func (r *reading) wentOn() string {
	if r.refused == "" {
		return ""
	}
	return "queries went on behind the transactions, since they could not be ended: " + runner.Abridge(r.refused)
}

// window of the transactions on the wall clock: the process goes on until the last query has ended or was ended. Nil without queries.
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

// queriesFailed is a failure of the first query that failed; nil for none.
func (r *reading) queriesFailed(refusals runner.Refusals) *contract.Failure {
	if len(r.queryErrors) == 0 {
		return nil
	}
	f := gotpc.Explain(r.queryErrors[0].text, refusals)
	f.Message = fmt.Sprintf("analytical query %s: %s", r.queryErrors[0].query, f.Message)
	return f
}
