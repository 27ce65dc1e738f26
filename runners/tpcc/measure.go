package tpcc

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	newOrder = "new_order"
	// floor is what go-tpc counts shorter latencies as, in ms: a percentile at it is only
	// known to be no more.
	floor = 1.05
	// fewest transactions have to lie beyond a percentile; with fewer it is chance. go-tpc prints
	// all percentiles of all kinds, of which three are rare.
	fewest = 10
)

// percentiles that it prints, and the share that lies beyond.
var percentiles = []struct {
	name   string
	beyond float64
}{{"50", 0.5}, {"90", 0.1}, {"95", 0.05}, {"99", 0.01}, {"99.9", 0.001}}

// quote reads output that somebody published, or that a custom tool printed: the summary,
// never the lines on the way.
func quote(output []byte) runner.Report {
	r := read("", output)
	report := runner.Report{Measurements: r.measurements(0, Params{}), Errors: r.errorCounts()}
	if r.diluted() {
		report.Problems = append(report.Problems, contract.Problem{Text: "rates are left out: go-tpc ch counts them over the time until its last query ended"})
		report.Measurements = slices.DeleteFunc(report.Measurements, func(m contract.Measurement) bool {
			return m.Name == contract.NameTotalTime || len(m.Labels) == 0 && strings.Contains(m.Unit, "/")
		})
	}
	for _, line := range r.stopped {
		report.Problems = append(report.Problems, contract.Problem{Text: "a terminal stopped: " + runner.Abridge(line)})
	}
	return report
}

// kinds of transactions that ended well, sorted.
func (r *reading) kinds() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.summary)), func(kind string) bool { return strings.HasSuffix(kind, failedSuffix) })
}

// measurements of the whole, with queries as the workload has them; every is the length of the intervals in s, 0 for no series.
func (r *reading) measurements(every int, p Params) []contract.Measurement {
	var n, latencies, most, seconds float64
	var failed int64
	for _, kind := range slices.Sorted(maps.Keys(r.summary)) { // in the same order every time, for the last digit
		f := r.summary[kind]
		if f["Count"] > most {
			most, seconds = f["Count"], elapsed(f)
		}
		if strings.HasSuffix(kind, failedSuffix) {
			failed += int64(f["Count"])
			continue
		}
		n += f["Count"]
		latencies += f["Sum(ms)"]
	}
	if n == 0 || seconds == 0 {
		return nil
	}
	series := r.series(every, seconds)
	var out []contract.Measurement
	if v, ok := r.totals["tpmC"]; ok {
		m := runner.Number(contract.NameNewOrders, runner.UnitNewOrders, contract.HigherIsBetter, v)
		m.Operation, m.N = "new order", new(int64(r.summary[newOrder]["Count"]))
		m.Intervals = series(60, func(kind string) bool { return kind == newOrder })
		out = append(out, m)
	}
	m := runner.Number(contract.NameThroughput, "tx/s", contract.HigherIsBetter, n/seconds)
	m.Operation, m.N = "transaction of any kind", new(int64(n))
	m.Intervals = series(1, func(kind string) bool { return !strings.HasSuffix(kind, failedSuffix) })
	out = append(out, m, runner.Number(contract.NameTotalTime, "s", "", seconds))
	m = runner.Number(contract.NameErrorRate, "errors/s", contract.LowerIsBetter, float64(failed)/seconds)
	m.N = &failed
	out = append(out, m)
	if latencies > 0 {
		out = append(out, runner.Latency(contract.NameLatencyAvg, nil, latencies/n, int64(n)))
	}
	for _, kind := range r.kinds() {
		out = append(out, ofKind(kind, r.summary[kind])...)
	}
	return append(out, r.ofQueries(p)...)
}

// elapsed is how long a kind was measured, in s: from the end of its first transaction. Takes(s)
// has one decimal; the rate beside it has more digits, the more there were of the kind.
func elapsed(f figures) float64 {
	if f["TPM"] > 0 {
		return f["Count"] * 60 / f["TPM"]
	}
	return f["Takes(s)"]
}

// ofKind are count and latencies of one kind of transaction.
func ofKind(kind string, f figures) []contract.Measurement {
	labels := map[string]string{contract.LabelOperation: kind}
	n := int64(f["Count"])
	count := runner.Number(contract.NameOperationCount, "1", "", f["Count"])
	count.Labels = labels
	out := []contract.Measurement{count}
	switch sum, ok := f["Sum(ms)"]; {
	case ok && n > 0:
		out = append(out, runner.Latency(contract.NameLatencyAvg, labels, sum/float64(n), n))
	case n > 0:
		out = append(out, runner.Latency(contract.NameLatencyAvg, labels, f["Avg(ms)"], n))
	}
	for _, p := range percentiles {
		if v, ok := f[p.name+"th(ms)"]; ok && v > floor && f["Count"]*p.beyond >= fewest {
			out = append(out, runner.Latency(contract.NameLatencyPercentile,
				map[string]string{contract.LabelOperation: kind, contract.LabelPercentile: p.name}, v, n))
		}
	}
	if v, ok := f["Max(ms)"]; ok && v > floor {
		out = append(out, runner.Latency(contract.NameLatencyMax, labels, v, n))
	}
	return out
}

// series gives the intervals of the kinds that count, in transactions per so many seconds. go-tpc
// prints no interval in which nothing was done, and none for the last, unless its clock ticks before it has seen that the time is over; so there is a
// series only when all others are there. The last one follows from the whole.
func (r *reading) series(every int, seconds float64) func(per float64, counts func(string) bool) []contract.Interval {
	none := func(float64, func(string) bool) []contract.Interval { return nil }
	if every < 1 {
		return none
	}
	before := int(math.Round(seconds/float64(every))) - 1
	if len(r.current) != before && len(r.current) != before+1 || before < 0 {
		return none
	}
	current := r.current[:before]
	return func(per float64, counts func(string) bool) []contract.Interval {
		total := sum(r.summary, counts)
		var out []contract.Interval
		for i, interval := range current {
			n := sum(interval, counts)
			total -= n
			out = append(out, contract.Interval{AtSeconds: float64((i + 1) * every), Value: new(n * per / float64(every))})
		}
		last := seconds - float64(before*every)
		if total < 0 || last <= 0 {
			return nil // they are not of one run
		}
		return append(out, contract.Interval{AtSeconds: seconds, Value: new(total * per / last)})
	}
}

func sum(of map[string]figures, counts func(string) bool) float64 {
	n := 0.0
	for kind, f := range of {
		if counts(kind) {
			n += f["Count"]
		}
	}
	return n
}

// errorCounts are the transactions that failed, by their kinds.
func (r *reading) errorCounts() []contract.ErrorCount {
	var out []contract.ErrorCount
	for _, name := range slices.Sorted(maps.Keys(r.summary)) {
		if kind, failed := strings.CutSuffix(name, failedSuffix); failed {
			out = append(out, contract.ErrorCount{Name: kind, Count: int64(r.summary[name]["Count"])})
		}
	}
	return out
}

// missingSeries is what a report says when there is no series; empty when there is one.
func (r *reading) missingSeries(every int, measurements []contract.Measurement) string {
	m, ok := contract.Find(measurements, contract.NameThroughput, nil)
	if !ok || len(m.Intervals) > 0 {
		return ""
	}
	return fmt.Sprintf("there is no time series: go-tpc printed %d intervals of %d s, and none in which nothing was done", len(r.current), every)
}
