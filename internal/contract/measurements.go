package contract

// Names of measurements that mean the same for every tool. Checks, statistics
// and reports rely on them; a tool may add names of its own.
const (
	// NameThroughput is the rate of operations that ended well, per second.
	NameThroughput = "throughput"
	// NameOffered is the rate of operations that the client began or tried to begin,
	// per second; only of an open loop. Throughput is what was achieved of it.
	NameOffered = "rate.offered"
	// NameErrorRate is the rate of errors that operations met, per second; N is their
	// number. An operation that the tool repeats until it ends well counts here for
	// each error, and once in the throughput.
	NameErrorRate = "rate.errors"
	// NameReconnects is the rate of connections that were lost and made again, per
	// second; N is their number.
	NameReconnects = "reconnects"
	// NameQueueLength is how many operations of an open loop waited to begin;
	// intervals only, each the number at its end.
	NameQueueLength = "queue.length"
	// NameQueueConcurrency is how many operations of an open loop were under way;
	// intervals only, each the number at its end.
	NameQueueConcurrency = "queue.concurrency"
	// NameQueries is the rate of statements, per second; N is their number.
	NameQueries = "queries"
	// NameQueryCount is the number of statements of one kind; see LabelKind.
	NameQueryCount = "queries.count"
	// NameNewOrders is the rate of new orders, per minute: the main figure of TPC-C. Its unit
	// says that it is derived from TPC-C, and not audited.
	NameNewOrders = "tpmC"
	// NameWrites is the rate of statements that changed a row, per second; intervals only.
	NameWrites = "queries.writes"
	// NameEvents is the number of operations that the tool counted itself.
	NameEvents = "events"
	// NameOperationCount is the number of operations of one kind that ended well; see
	// LabelOperation.
	NameOperationCount = "operations.count"
	// NameReturnCount is how often operations of one kind were answered with a status; see
	// LabelOperation and LabelStatus.
	NameReturnCount = "returns.count"
	// NameGCCount is the number of collections of garbage in the client; see LabelCollector.
	NameGCCount = "gc.count"
	// NameGCTime is the time that they took, in ms.
	NameGCTime = "gc.time"
	// NameGCPercent is its share of the measured window, in percent.
	NameGCPercent = "gc.percent"
	// NameSetupTime is how long a thread took before its first operation, the mean of all
	// threads, in s: the tool counts it into the window, and nothing was measured in it.
	NameSetupTime = "time.setup"
	// NameTotalTime is the length of the measured window by the tool's own clock, in s.
	NameTotalTime = "time.total"
	// NameLoadTime is how long the tool loaded the data, from the start of its first client to
	// the end of its last one, in s.
	NameLoadTime = "time.load"
	// NameRowsLoaded is the number of rows that the tool's tables held afterwards.
	NameRowsLoaded = "rows.loaded"
	// NameRowRate is the rate of rows, per second.
	NameRowRate = "throughput.rows"
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
	// LabelKind tells kinds of statements apart: read, write, other.
	LabelKind = "kind"
	// LabelPercentile is the percentile as a decimal number, such as 95.
	LabelPercentile = "p"
	// LabelOperation is the kind of an operation: read, update. What has none is about
	// all operations of the workload together.
	LabelOperation = "operation"
	// LabelStatus is what an operation was answered with, such as OK.
	LabelStatus = "status"
	// LabelTiming says from when latency counts, where it is not from when the operation
	// began: TimingIntended.
	LabelTiming = "timing"
	// LabelCollector is the name of a garbage collector; what has none is about all.
	LabelCollector = "collector"
	// LabelClient is the index of the client pod, where measurements of several
	// clients could not be merged.
	LabelClient = "client"
	// LabelStat is the statistic over threads: avg or stddev.
	LabelStat = "stat"
)

// TimingIntended: latency counts from when the operation was to begin by the rate of an
// open loop, so that it holds the wait behind one that was late.
const TimingIntended = "intended"

// Names of error counts that mean the same for every tool.
const (
	// ErrorIgnored counts errors after which the tool went on.
	ErrorIgnored = "ignored"
	// ErrorReconnects counts connections that were made again.
	ErrorReconnects = "reconnects"
)

// SourceChecksum is the source of a Problem of tables that have no checksum.
const SourceChecksum = "server/checksum"

// Find returns the first measurement of the name that has all the labels; it may
// have more. Nil labels match every measurement of the name.
func Find(ms []Measurement, name string, labels map[string]string) (Measurement, bool) {
	for _, m := range ms {
		if m.Name == name && hasLabels(m.Labels, labels) {
			return m, true
		}
	}
	return Measurement{}, false
}

// Find looks among the measurements of the measured window, as the function Find does.
func (r Result) Find(name string, labels map[string]string) (Measurement, bool) {
	return Find(r.Measurements, name, labels)
}

// ErrorCount is the number of errors of the name. A tool that succeeded and does
// not list a name had none of them.
func (r Result) ErrorCount(name string) int64 {
	for _, e := range r.Errors {
		if e.Name == name {
			return e.Count
		}
	}
	return 0
}

func hasLabels(have, want map[string]string) bool {
	for k, v := range want {
		if got, ok := have[k]; !ok || got != v {
			return false
		}
	}
	return true
}

// StatusTLSAccepts is the status variable of MySQL and MariaDB that counts TLS handshakes that
// were completed.
const StatusTLSAccepts = "Ssl_finished_accepts"
