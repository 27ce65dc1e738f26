package tpch

import (
	"maps"
	"math"
	"slices"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Its own means are not used: they are of a histogram whose buckets are 67 ms wide and begin at 100 ms, without the time in which the rows are
// fetched.

// byQuery are the executions of each query.
func (r *reading) byQuery() map[string][]execution {
	out := map[string][]execution{}
	for _, e := range r.executions {
		out[e.query] = append(out[e.query], e)
	}
	return out
}

// seconds from the begin of the first query to the end of the last one.
func (r *reading) seconds() float64 {
	first, last := math.Inf(1), math.Inf(-1)
	for _, e := range r.executions {
		first, last = min(first, e.began), max(last, e.began+e.takes)
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
	queries := r.byQuery()
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
	out = append(out, latencies(nil, r.executions)...)
	for _, query := range inOrder(queries) {
		out = append(out, ofQuery(query, queries[query])...)
	}
	return out
}

// geometricMean of the times of all executions, in s; 0 where one took no time. A window has each query as often as every other one. So the
// mean of several clients is exactly the geometric mean of theirs (internal/trial/merge).
func geometricMean(all []execution) float64 {
	logs := 0.0
	for _, e := range all {
		logs += math.Log(e.takes)
	}
	return math.Exp(logs / float64(len(all)))
}

// meanOf the times, in s.
func meanOf(all []execution) float64 {
	sum := 0.0
	for _, e := range all {
		sum += e.takes
	}
	return sum / float64(len(all))
}

// latencies of the executions, in ms.
func latencies(labels map[string]string, all []execution) []contract.Measurement {
	n, longest := int64(len(all)), 0.0
	for _, e := range all {
		longest = max(longest, e.takes)
	}
	return []contract.Measurement{
		runner.Latency(contract.NameLatencyAvg, labels, 1000*meanOf(all), n),
		runner.Latency(contract.NameLatencyMax, labels, 1000*longest, n),
	}
}

// ofQuery are count, latencies and result of one query. A result that is not the same each time is none.
func ofQuery(query string, all []execution) []contract.Measurement {
	labels := map[string]string{contract.LabelOperation: query}
	fact := func(name string, value float64) contract.Measurement {
		m := runner.Number(name, "1", "", value)
		m.Labels = labels
		return m
	}
	out := append([]contract.Measurement{fact(contract.NameOperationCount, float64(len(all)))}, latencies(labels, all)...)
	if same(all) {
		out = append(out, fact(contract.NameResultRows, float64(all[0].rows)), fact(contract.NameResultChecksum, float64(all[0].checksum)))
	}
	return out
}

// same says whether all executions of a query returned the same rows.
func same(all []execution) bool {
	return !slices.ContainsFunc(all, func(e execution) bool { return e.rows != all[0].rows || e.checksum != all[0].checksum })
}

// inOrder are the names of the queries: q2 before q10.
func inOrder(queries map[string][]execution) []string {
	return slices.SortedFunc(maps.Keys(queries), func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		if a < b {
			return -1
		}
		return 1
	})
}
