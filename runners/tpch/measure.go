package tpch

import (
	"math"
	"slices"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/runner/gotpc"
)

// Its own means are not used: they are of a histogram whose buckets are 67 ms wide and begin at 100 ms, without the time in which the rows are
// fetched.

// seconds from the begin of the first query to the end of the last one.
func (r *reading) seconds() float64 {
	first, last := math.Inf(1), math.Inf(-1)
	for _, e := range r.executions {
		first, last = min(first, e.Began), max(last, e.Began+e.Takes)
	}
	return last - first
}

// measurements of a window; none without a query, or without time.
func (r *reading) measurements() []contract.Measurement {
	n := int64(len(r.executions))
	if n == 0 || r.seconds() <= 0 {
		return nil
	}
	var out []contract.Measurement
	queries := gotpc.ByQuery(r.executions)
	if mean := geometricMean(r.executions); mean > 0 {
		m := runner.Number(contract.NameQueryMean, runner.UnitQueryMean, contract.LowerIsBetter, mean)
		m.N = &n
		out = append(out, m)
	}
	m := runner.Number(contract.NameThroughput, "queries/s", contract.HigherIsBetter, float64(n)/r.seconds())
	m.Operation, m.N = "query", &n
	failed := int64(len(r.complaints))
	errors := runner.Number(contract.NameErrorRate, "errors/s", contract.LowerIsBetter, float64(failed)/r.seconds())
	errors.N = &failed
	out = append(out, m, runner.Number(contract.NameTotalTime, "s", "", r.seconds()), errors)
	out = append(out, gotpc.Latencies(nil, r.executions)...)
	for _, query := range gotpc.InOrder(queries) {
		out = append(out, ofQuery(query, queries[query])...)
	}
	return out
}

// geometricMean of the times of all executions, in s; 0 where one took no time. A window has each query as often as every other one. So the
// mean of several clients is exactly the geometric mean of theirs (internal/trial/merge).
func geometricMean(all []gotpc.Execution) float64 {
	logs := 0.0
	for _, e := range all {
		logs += math.Log(e.Takes)
	}
	return math.Exp(logs / float64(len(all)))
}

// ofQuery are count, latencies and result of one query. A result that is not the same each time is none.
func ofQuery(query string, all []gotpc.Execution) []contract.Measurement {
	labels := map[string]string{contract.LabelOperation: query}
	fact := func(name string, value float64) contract.Measurement {
		m := runner.Number(name, "1", "", value)
		m.Labels = labels
		return m
	}
	out := gotpc.Count(query, all)
	if same(all) {
		out = append(out, fact(contract.NameResultRows, float64(all[0].Rows)), fact(contract.NameResultChecksum, float64(all[0].Checksum)))
	}
	return out
}

// same says whether all executions of a query returned the same rows.
func same(all []gotpc.Execution) bool {
	return !slices.ContainsFunc(all, func(e gotpc.Execution) bool { return e.Rows != all[0].Rows || e.Checksum != all[0].Checksum })
}
