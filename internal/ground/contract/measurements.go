package contract

// Names of measurements with the same meaning for every tool. Checks, statistics and reports
// use them. A tool may add its own names.
const (
	// NameThroughput is the rate of successful operations, per second.
	NameThroughput = "throughput"
	// NameOffered is the offered rate of an open loop: operations that the client started or
	// tried to start, per second. The throughput is the achieved rate.
	NameOffered = "rate.offered"
	// NameHighestRate is the highest offered rate at which the objectives of a search held, of all
	// clients together. A search derives it from its trials.
	NameHighestRate = "rate.highest"
	// NameErrorRate is the rate of errors, per second; N is their number. An operation that the tool repeats until it
	// succeeds counts here once per error, and once in the throughput.
	NameErrorRate = "rate.errors"
	// NameReconnects is the rate of reconnects after a lost connection, per second; N is their number.
	NameReconnects = "reconnects"
	// NameQueueLength is the number of waiting operations of an open loop; intervals only,
	// each with the number at its end.
	NameQueueLength = "queue.length"
	// NameQueueConcurrency is the number of running operations of an open loop; intervals
	// only, each with the number at its end.
	NameQueueConcurrency = "queue.concurrency"
	// NameQueries is the rate of statements, per second; N is their number.
	NameQueries = "queries"
	// NameQueryCount is the number of statements of one kind; see LabelKind.
	NameQueryCount = "queries.count"
	// NameNewOrders is the rate of new orders, per minute: the main figure of TPC-C. Its unit
	// says that it is derived from TPC-C, and not audited.
	NameNewOrders = "tpmC"
	// NameQueryMean is the geometric mean of the times of all executions of queries, each query executed equally often, in s: the power metric
	// of TPC-H is made of such a mean. Its unit says that it is derived from TPC-H, and not audited.
	NameQueryMean = "time.geomean"
	// NameResultRows is the number of rows that a query returned; see LabelOperation.
	NameResultRows = "result.rows"
	// NameResultChecksum is the CRC-32 of the rows that a query returned, sorted: equal for equal results, whatever their order; see
	// LabelOperation.
	NameResultChecksum = "result.checksum"
	// NameWrites is the rate of statements that changed a row, per second; intervals only.
	NameWrites = "queries.writes"
	// NameEvents is the number of operations that the tool counted itself.
	NameEvents = "events"
	// NameOperationCount is the number of successful operations of one kind; see LabelOperation.
	NameOperationCount = "operations.count"
	// NameReturnCount is the number of operations of one kind with one return status; see
	// LabelOperation and LabelStatus.
	NameReturnCount = "returns.count"
	// NameGCCount is the number of collections of garbage in the client; see LabelCollector.
	NameGCCount = "gc.count"
	// NameGCTime is the time of garbage collections, in ms.
	NameGCTime = "gc.time"
	// NameGCPercent is the share of garbage collection in the measured window, in percent.
	NameGCPercent = "gc.percent"
	// NameSetupTime is the mean time of a thread before its first operation, in s. The tool
	// includes it in the window, although no operation runs.
	NameSetupTime = "time.setup"
	// NameTotalTime is the length of the measured window by the tool's own clock, in s.
	NameTotalTime = "time.total"
	// NameCPUTime is the CPU time that the process of the tool used during the operations, in s; N is the number of these
	// operations. It is the evidence from which the manager derives what one of them costs.
	NameCPUTime = "time.cpu"
	// NameLoadTime is the time to load the data, from the start of the first client to the end
	// of the last client, in s.
	NameLoadTime = "time.load"
	// NameGeneratingTime and NameWritingTime are how long a thread of the tool that loads was busy outside of statements, which is
	// where it makes rows, and in them: the mean of the threads, in s.
	NameGeneratingTime = "time.generating"
	NameWritingTime    = "time.writing"
	// NameFlushTime is how long the server took after a load to stop cleanly, which writes what it had put off, in s.
	NameFlushTime = "time.flush"
	// NameStatisticsTime is how long ANALYZE TABLE of the tool's tables took after a load, on the server that was started again where Assay starts it, in s.
	NameStatisticsTime = "time.statistics"
	// NameRowsLoaded is the number of rows in the tool's tables after loading.
	NameRowsLoaded = "rows.loaded"
	// NameRowRate is the rate of rows, per second: of a load, and with drivers that of operations times the rows of one.
	NameRowRate = "throughput.rows"
	// NameSpeedUp is the throughput of a driver over that of the baseline of its workload in the same trial, where 1 is as fast.
	NameSpeedUp = "speedup"
	// NameLatencyMin is the shortest latency of an operation, in ms.
	NameLatencyMin = "latency.min"
	// NameLatencyAvg is the mean latency, in ms; it carries the histogram.
	NameLatencyAvg = "latency.avg"
	// NameLatencyMax is the longest latency, in ms.
	NameLatencyMax = "latency.max"
	// NameLatencyPercentile is a percentile of the latency, in ms; see LabelPercentile.
	NameLatencyPercentile = "latency.percentile"
	// NameLatencySum is the sum of all latencies, in ms.
	NameLatencySum = "latency.sum"
)

// Keys of labels.
const (
	// LabelKind is the kind of statements: read, write, other.
	LabelKind = "kind"
	// LabelPercentile is the percentile as a decimal number, such as 95.
	LabelPercentile = "p"
	// LabelOperation is the kind of an operation: read, update. A measurement without it
	// includes all operations of the workload.
	LabelOperation = "operation"
	// LabelStatus is the return status of an operation, such as OK.
	LabelStatus = "status"
	// LabelTiming is the start of the latency, where it is not the start of the operation: TimingIntended.
	LabelTiming = "timing"
	// LabelCollector is the name of a garbage collector. A measurement without it includes all collectors.
	LabelCollector = "collector"
	// LabelClient is the index of the client pod, where measurements of several clients could not be merged.
	LabelClient = "client"
	// LabelTenant is the number of a tenant, from 1. A measurement without it is of all tenants together.
	LabelTenant = "tenant"
	// LabelLoad is LoadBackground for a measurement of the second load. One without it is of the workload.
	LabelLoad = "load"
	// LabelStat is the statistic over threads: avg or stddev.
	LabelStat = "stat"
	// LabelDriver is the name of a driver.
	LabelDriver = "driver"
	// LabelLanguage is that of a driver, where drivers of several languages are compared.
	LabelLanguage = "language"
	// LabelScheme, LabelTransaction and LabelSession are how a driver did an operation.
	LabelScheme, LabelTransaction, LabelSession = "scheme", "transaction", "session"
	// LabelRows is the number of rows of one operation of a driver; a measurement without it is of one row, or of no rows.
	LabelRows = "rows"
	// LabelConcurrency is how many operations of a driver are under way at once; a measurement without it has one.
	LabelConcurrency = "concurrency"
)

// LoadBackground is the second load of a trial (spec.background).
const LoadBackground = "background"

// DriverNull is the driver that does nothing, so that there is nothing to verify: what it measures is the harness.
const DriverNull = "null"

// TimingIntended: latency is measured from the scheduled start of the operation in an open
// loop. It includes the wait behind late operations.
const TimingIntended = "intended"

// Names of error counts with the same meaning for every tool.
const (
	// ErrorIgnored counts errors after which the tool continued.
	ErrorIgnored = "ignored"
	// ErrorReconnects counts reconnects.
	ErrorReconnects = "reconnects"
)

// SourceChecksum is the source of a Problem of tables that have no checksum.
const SourceChecksum = "server/checksum"

// Find returns the first measurement with the name and all the labels; it may have more
// labels. Nil labels match every measurement of the name.
func Find(ms []Measurement, name string, labels map[string]string) (Measurement, bool) {
	for _, m := range ms {
		if m.Name == name && HasLabels(m.Labels, labels) {
			return m, true
		}
	}
	return Measurement{}, false
}

// Find looks among the measurements of the measured window, as the function Find does.
func (r Result) Find(name string, labels map[string]string) (Measurement, bool) {
	return Find(r.Measurements, name, labels)
}

// ErrorCount is the number of errors of the name; 0 when a tool that succeeded does not list it.
func (r Result) ErrorCount(name string) int64 {
	for _, e := range r.Errors {
		if e.Name == name {
			return e.Count
		}
	}
	return 0
}

// StatusTLSAccepts is the status variable of MySQL and MariaDB that counts completed TLS handshakes.
const StatusTLSAccepts = "Ssl_finished_accepts"

// StatusTLSReused is the status variable of MySQL and MariaDB that counts TLS handshakes which took up an earlier session.
const StatusTLSReused = "Ssl_session_cache_hits"
