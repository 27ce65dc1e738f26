package tpch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/runner/gotpc"
)

// parts of the tables that go-tpc loads, each with a line of its own.
var parts = []string{"nation", "region", "customers", "suppliers", "part/partsupplier", "orders/lineitem"}

// parse gives an output its meaning. The exit code proves nothing: go-tpc ends with 0 after most failures.
func parse(t contract.Trial, phase contract.Phase, o runner.Output) runner.Report {
	p, err := decodeParams(t.Workload)
	if err != nil {
		return runner.Unreadable(err)
	}
	source := strings.ToLower(string(phase))
	r := read(source, o)
	report := runner.Report{Failure: r.failure(t, phase, p, o)}
	if phase == contract.PhaseRun || phase == contract.PhaseWarmup {
		report.Measurements, report.Errors, report.Answers = r.measurements(), r.errorCounts(), r.answers(p)
	}
	report.Problems = r.problems.List(source)
	return report
}

// errorCounts are the queries that failed or had another result, by their names.
func (r *reading) errorCounts() []contract.ErrorCount {
	counts := map[string][]gotpc.Execution{}
	for _, c := range r.complaints {
		counts[c.query] = append(counts[c.query], gotpc.Execution{})
	}
	var out []contract.ErrorCount
	for _, query := range gotpc.InOrder(counts) {
		out = append(out, contract.ErrorCount{Name: query, Count: int64(len(counts[query]))})
	}
	return out
}

// unproven says what the output of a phase does not prove; empty when the phase did its work.
func (r *reading) unproven(phase contract.Phase, p Params) string {
	switch phase {
	case contract.PhasePrepare:
		for _, part := range parts {
			if !r.loaded[part] {
				return "it did not say that it had loaded " + part
			}
		}
	case contract.PhaseCleanup:
		for _, table := range tables {
			if !r.dropped[table] {
				return "it did not drop " + table
			}
		}
	default:
		if text := r.notAsked(phase, p); text != "" {
			return text
		}
	}
	if !r.finished {
		return "it did not come to its end"
	}
	return ""
}

// notAsked says which executions are not those of the workload. A warm-up has as many as fit into its time.
func (r *reading) notAsked(phase contract.Phase, p Params) string {
	switch {
	case len(r.executions) == 0 && r.summarized:
		return "it printed no results of queries, as the image of the runner does"
	case len(r.executions) == 0:
		return "it executed no query"
	}
	queries := gotpc.ByQuery(r.executions)
	for _, query := range gotpc.InOrder(queries) {
		if !slices.Contains(p.Queries, v1alpha1.TPCHQuery(query)) {
			return "it executed " + query + ", which is not among the queries"
		}
	}
	for _, query := range p.Queries {
		got := len(queries[string(query)])
		if got < int(p.Threads) && r.stoppedAtAResult() {
			continue // a thread ends at a wrong result
		}
		if phase == contract.PhaseRun && got != int(p.Threads) {
			return fmt.Sprintf("it executed %s %d times instead of once in each of %d threads", query, got, p.Threads)
		}
	}
	if geometricMean(r.executions) <= 0 {
		return "a query took no time"
	}
	return ""
}
