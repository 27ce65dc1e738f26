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
			N: r.count(figTransactions), Value: r.figures[figTPS], Intervals: r.series.points[contract.NameThroughput],
		},
		{
			Name: contract.NameQueries, Unit: unitQueries, Direction: contract.HigherIsBetter, Operation: operationQuery,
			N: r.count(figQueries), Value: r.figures[figQPS], Intervals: r.series.points[contract.NameQueries],
		},
	}
	for _, kind := range []string{figRead, figWrite, figOther} {
		ms = append(ms, contract.Measurement{
			Name: contract.NameQueryCount, Labels: map[string]string{contract.LabelKind: kind},
			Unit: unitOne, Operation: operationQuery, Value: r.figures[kind],
		})
	}
	// By the test where it is known, not by the numbers alone, so that all clients of a trial have it or none.
	if p.changes().writes > 0 || runner.Value(r.figures[figWrite]) > 0 || r.series.happened(contract.NameWrites) != nil {
		ms = append(ms, contract.Measurement{
			Name: contract.NameWrites, Unit: unitQueries, Operation: operationQuery, Intervals: r.series.points[contract.NameWrites],
		})
	}
	return ms
}

func (r *reading) latencies(p Params) []contract.Measurement {
	latency := func(name, fig string) contract.Measurement {
		return contract.Measurement{
			Name: name, Unit: unitMillisecond, Direction: contract.LowerIsBetter, Operation: operationTransaction,
			N: r.count(figEvents), Value: r.figures[fig],
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
	percentile.Intervals = r.series.points[contract.NameLatencyPercentile]
	return []contract.Measurement{
		latency(contract.NameLatencyMin, figMin), avg, latency(contract.NameLatencyMax, figMax), percentile,
		{Name: contract.NameLatencySum, Unit: unitMillisecond, Operation: operationTransaction, Value: r.figures[figSum]},
	}
}

// percentileLabel is the percentile that the report names, or else the intervals, or
// else the workload, which a text that somebody quoted does not have.
func (r *reading) percentileLabel(p Params) string {
	switch f := r.figures[figPercentileOf]; {
	case f != nil:
		return strconv.Itoa(int(*f))
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
		m := contract.Measurement{Name: name, Unit: unit, Value: r.figures[fig]}
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
	errors := func(name, count, rate string) contract.Measurement {
		return contract.Measurement{
			Name: name, Unit: unitErrors, Direction: contract.LowerIsBetter,
			N: r.count(count), Value: r.figures[rate], Intervals: r.series.happened(name),
		}
	}
	queue := func(name string) contract.Measurement {
		return contract.Measurement{Name: name, Unit: unitOne, Intervals: r.series.points[name]}
	}
	return []contract.Measurement{
		errors(contract.NameErrorRate, figIgnored, figIgnoredRate), errors(contract.NameReconnects, figReconnects, figReconnectRate),
		queue(contract.NameQueueLength), queue(contract.NameQueueConcurrency),
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

// count is a figure that was printed without decimals.
func (r *reading) count(name string) *int64 {
	f := r.figures[name]
	if f == nil || *f >= 1<<62 {
		return nil
	}
	return new(int64(*f))
}
