package sysbench

import (
	"strconv"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Units.
const (
	unitTransactions = "tx/s"
	unitQueries      = "queries/s"
	unitErrors       = "errors/s"
	unitMillisecond  = "ms"
	unitSecond       = "s"
	unitOne          = "1"
)

// What one operation is.
const (
	operationTransaction = "transaction"
	operationQuery       = "query"
)

// Names of measurements that only sysbench has.
const (
	nameThreadEvents = "threads.events"
	nameThreadTime   = "threads.time"
)

// measurements turns what was read into measurements, in a fixed order. What was
// not reported is left out.
func (r *reading) measurements(p Params) []contract.Measurement {
	ms := r.rates(p)
	ms = append(ms, r.latencies(p)...)
	ms = append(ms, r.facts()...)
	return runner.Reported(append(ms, r.disturbances()...))
}

func (r *reading) rates(p Params) []contract.Measurement {
	ms := []contract.Measurement{
		{
			Name: contract.NameThroughput, Unit: unitTransactions, Direction: contract.HigherIsBetter, Operation: operationTransaction,
			N: r.count(figTransactions), Value: r.value(figTPS), Intervals: r.series.tps,
		},
		{
			Name: contract.NameQueries, Unit: unitQueries, Direction: contract.HigherIsBetter, Operation: operationQuery,
			N: r.count(figQueries), Value: r.value(figQPS), Intervals: r.series.qps,
		},
	}
	for _, kind := range []string{figRead, figWrite, figOther} {
		ms = append(ms, contract.Measurement{
			Name: contract.NameQueryCount, Labels: map[string]string{contract.LabelKind: kind},
			Unit: unitOne, Operation: operationQuery, Value: r.value(kind),
		})
	}
	// By the test where it is known, not by the numbers alone, so that all clients of a trial have it or none.
	if p.changes().writes > 0 || r.figures[figWrite].value > 0 || r.series.anyWrite {
		ms = append(ms, contract.Measurement{Name: contract.NameWrites, Unit: unitQueries, Operation: operationQuery, Intervals: r.series.writes})
	}
	return ms
}

func (r *reading) latencies(p Params) []contract.Measurement {
	latency := func(name, fig string) contract.Measurement {
		return contract.Measurement{
			Name: name, Unit: unitMillisecond, Direction: contract.LowerIsBetter, Operation: operationTransaction,
			N: r.count(figEvents), Value: r.value(fig),
		}
	}
	avg := latency(contract.NameLatencyAvg, figAvg)
	if len(r.histogram) > 0 {
		avg.Histogram = &contract.Histogram{Unit: unitMillisecond, Buckets: r.histogram}
	}
	percentile := latency(contract.NameLatencyPercentile, figPercentile)
	if label := r.percentileLabel(p); label != "" {
		percentile.Labels = map[string]string{contract.LabelPercentile: label}
	}
	percentile.Intervals = r.series.latency
	return []contract.Measurement{
		latency(contract.NameLatencyMin, figMin), avg, latency(contract.NameLatencyMax, figMax), percentile,
		{Name: contract.NameLatencySum, Unit: unitMillisecond, Operation: operationTransaction, Value: r.value(figSum)},
	}
}

// percentileLabel is the percentile that the report names, or else the intervals, or
// else the workload, which a text that somebody quoted does not have.
func (r *reading) percentileLabel(p Params) string {
	switch f := r.figures[figPercentileOf]; {
	case f.hasValue:
		return strconv.Itoa(int(f.value))
	case r.series.percentile != "":
		return r.series.percentile
	case p.Percentile > 0:
		return strconv.Itoa(int(p.Percentile))
	}
	return ""
}

// facts have no direction: they are what the rates and latencies rest on.
func (r *reading) facts() []contract.Measurement {
	fact := func(name, fig, unit, stat string) contract.Measurement {
		m := contract.Measurement{Name: name, Unit: unit, Value: r.value(fig)}
		if stat != "" {
			m.Labels = map[string]string{contract.LabelStat: stat}
		}
		return m
	}
	return []contract.Measurement{
		fact(contract.NameOffered, figOffered, unitTransactions, ""),
		fact(contract.NameTotalTime, figTotalTime, unitSecond, ""),
		fact(contract.NameEvents, figEvents, unitOne, ""),
		fact(nameThreadEvents, figEventsAvg, unitOne, "avg"),
		fact(nameThreadEvents, figEventsStddev, unitOne, "stddev"),
		fact(nameThreadTime, figTimeAvg, unitSecond, "avg"),
		fact(nameThreadTime, figTimeStddev, unitSecond, "stddev"),
	}
}

// disturbances are there also when nothing happened: a summary over trials would
// else leave out those without errors. Their time series then says nothing more.
func (r *reading) disturbances() []contract.Measurement {
	errors := contract.Measurement{
		Name: contract.NameErrorRate, Unit: unitErrors, Direction: contract.LowerIsBetter,
		N: r.count(figIgnored), Value: r.value(figIgnoredRate),
	}
	if r.series.anyError {
		errors.Intervals = r.series.errors
	}
	reconnects := contract.Measurement{
		Name: contract.NameReconnects, Unit: unitErrors, Direction: contract.LowerIsBetter,
		N: r.count(figReconnects), Value: r.value(figReconnectRate),
	}
	if r.series.anyReconnect {
		reconnects.Intervals = r.series.reconnects
	}
	return []contract.Measurement{
		errors, reconnects,
		{Name: contract.NameQueueLength, Unit: unitOne, Intervals: r.series.queue},
		{Name: contract.NameQueueConcurrency, Unit: unitOne, Intervals: r.series.concurrency},
	}
}

func (r *reading) errorCounts() []contract.ErrorCount {
	var counts []contract.ErrorCount
	kinds := []struct{ name, fig string }{{contract.ErrorIgnored, figIgnored}, {contract.ErrorReconnects, figReconnects}}
	for _, kind := range kinds {
		if n := r.count(kind.fig); n != nil && *n > 0 {
			counts = append(counts, contract.ErrorCount{Name: kind.name, Count: *n})
		}
	}
	return counts
}

func (r *reading) value(name string) *float64 {
	if f := r.figures[name]; f.hasValue {
		return &f.value
	}
	return nil
}

// count is a figure that was printed without decimals.
func (r *reading) count(name string) *int64 {
	f := r.figures[name]
	if !f.hasValue || f.value >= 1<<62 {
		return nil
	}
	return new(int64(f.value))
}
