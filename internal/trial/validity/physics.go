package validity

import (
	"fmt"
	"math"
	"strconv"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	// hot is the tolerated speed-up under load relative to a probe: an idle machine is slow to
	// wake up, so a probe of it is not a sharp bound.
	hot = 0.5
	// noChange allows for writing statements without a change: at least one of so many
	// transactions has a change.
	noChange = 2
	// few is the share of statements that is ignored: those of the agents.
	few = 0.01
	// seen is the minimum share of a tool's statements in the server's counters: these are
	// read when the first of several clients has ended.
	seen = 0.95
	// kindWrite is the label of statements that write.
	kindWrite = "write"
)

// unflushed: a flush covers the commits that wait for it, at most one per thread. The server
// counts flush requests; the effect on the device is not visible. Where the tool counts kinds
// of statements, and each operation has the same number of them, that number bounds the
// writing statements of a transaction.
func unflushed(r contract.Result, e runner.Expectations) string {
	writes, counted := value(r, contract.NameQueryCount, map[string]string{contract.LabelKind: kindWrite})
	if own := atWork(e); counted && e.QueriesPerOperation > 0 && own > 0 {
		return fewFlushes(r, math.Floor(writes/float64(e.QueriesPerOperation)/noChange), own)
	}
	return ""
}

// unflushedByServer is unflushed for tools that do not count their statements. It uses the
// server's counts if each statement is a transaction; other transaction boundaries are
// unknown. It is no proof, because statements may write to temporary tables.
func unflushedByServer(r contract.Result, e runner.Expectations) string {
	if _, counted := value(r, contract.NameQueryCount, map[string]string{contract.LabelKind: kindWrite}); counted || r.Server == nil {
		return ""
	}
	writes, alone, counted := serverWrites(*r.Server)
	threads, known := concurrency(*r.Server, e)
	if !counted || !alone || !known {
		return ""
	}
	return fewFlushes(r, math.Floor(writes/noChange), threads)
}

// fewFlushes: the number of writing commits of so many threads needs more flushes. Statements
// without a change need none.
func fewFlushes(r contract.Result, commits, threads float64) string {
	if r.Server == nil {
		return ""
	}
	log, ok := promised(*r.Server, "")
	synced, counter, known := flushes(log, r.Server.StatusDelta)
	if rows, told := changedRows(*r.Server, log); !ok || !known || commits <= synced*threads || told && rows < commits {
		return ""
	}
	return fmt.Sprintf("%s = %s promises that the log is flushed for every commit, but for at least %.0f transactions that wrote, of %.0f threads, "+
		"the server requested only %.0f flushes (%s): commits were not durable", log.CommitSetting, r.Server.Variables[log.CommitSetting], commits, threads, synced, counter)
}

// changedRows of a storage engine, by the server's own count.
func changedRows(s contract.Server, log engine.Storage) (rows float64, told bool) {
	if log.Rows == nil {
		return 0, false
	}
	for _, name := range []string{log.Rows.Inserted, log.Rows.Updated, log.Rows.Deleted} {
		n, there := engines.Counter(s.StatusDelta, name)
		rows, told = rows+n, told || there
	}
	return rows, told
}

// serverWrites are the writing statements of all clients, as the server counted them, and
// whether each was a separate transaction.
func serverWrites(s contract.Server) (writes float64, alone, ok bool) {
	for _, name := range []string{
		"Com_insert", "Com_insert_select", "Com_update", "Com_update_multi", "Com_delete", "Com_delete_multi", "Com_replace", "Com_replace_select",
	} {
		n, there := s.StatusDelta[name]
		writes, ok = writes+n, ok || there
	}
	commits, counted := s.StatusDelta["Com_commit"]
	cut := commits + s.StatusDelta["Com_begin"] + s.StatusDelta["Com_rollback"] + s.StatusDelta["Com_xa_commit"]
	return writes, counted && cut <= few*writes, ok
}

// concurrency is the maximum number of concurrent statements of all clients.
func concurrency(s contract.Server, e runner.Expectations) (float64, bool) {
	if own := atWork(e); own > 0 && !e.Shared {
		return own * float64(max(e.Clients, 1)), true
	}
	most, err := strconv.ParseFloat(s.Variables["max_connections"], 64)
	return most, err == nil && most > 0
}

// fasterThanStorage: a durable commit waits for at least one flush, even if the flush covers
// many threads, and for two sequential flushes with a synced binary log.
func fasterThanStorage(r contract.Result, e runner.Expectations) string {
	if manyAtOnce(r) {
		return ""
	}
	if r.Server == nil || r.Target == nil || r.Target.Storage == nil || r.Target.Storage.Fsync == nil {
		return ""
	}
	log, ok := promised(*r.Server, "")
	avg, timed := meanTime(r, e)
	if !ok || !timed || !everyOperationCommits(r, e) {
		return ""
	}
	storage := r.Target.Storage
	waits := waits(r.Server.Variables)
	if least := float64(waits) * storage.Fsync.MinSeconds * 1000; avg < hot*least {
		return fmt.Sprintf("every operation writes, and takes %.4g ms on average: less than half of the %.3f ms that %s on the storage of the target "+
			"(the fastest of %d; %s%s), although %s = %s", avg, least, flushesTake(waits), storage.Fsync.N, storage.Filesystem,
			cacheOf(*storage), log.CommitSetting, r.Server.Variables[log.CommitSetting])
	}
	return ""
}

func flushesTake(n int) string {
	if n == 1 {
		return "one flush takes"
	}
	return fmt.Sprintf("%d flushes take (the log's and the binary log's)", n)
}

// cacheOf is what is known of the write cache of the device, for people.
func cacheOf(s contract.Storage) string {
	switch s.WriteCache {
	case contract.WriteBack:
		return ", a device with a write cache"
	case contract.WriteThrough:
		return ", a device that says it has no write cache to flush"
	}
	return ""
}

// everyOperationCommits: each operation writes and commits, by the tool's or the server's
// count of statements.
func everyOperationCommits(r contract.Result, e runner.Expectations) bool {
	n, counted := allOperations(r)
	if !counted || n == 0 {
		return false
	}
	if writes, known := value(r, contract.NameQueryCount, map[string]string{contract.LabelKind: kindWrite}); known && e.QueriesPerOperation > 0 {
		return writes >= n
	}
	if e.Shared {
		return false // the statements of the others write, too
	}
	writes, alone, known := serverWrites(*r.Server)
	least := n * float64(max(e.Clients, 1))
	if late := uncounted(r); late > 0 {
		least *= 1 - late - few // the tool's operations are all counted, and the server's statements only then
	}
	return known && alone && least > 0 && writes >= least
}

// fasterThanNetwork: without batches, each statement needs a round trip.
func fasterThanNetwork(r contract.Result, e runner.Expectations) string {
	if manyAtOnce(r) {
		return ""
	}
	if r.Server == nil || r.Server.RoundTrip == nil {
		return ""
	}
	n, by := statements(r, e)
	avg, ok := meanTime(r, e)
	trip := r.Server.RoundTrip.MinSeconds * 1000
	added := ""
	if ms := e.Delay.Seconds() * 1000; ms > 0 {
		added = fmt.Sprintf(", and delay adds %.4g ms to each: is it the relay that the tool connects to?", ms)
		trip += ms
	}
	if least := n * trip; ok && avg < hot*least {
		return fmt.Sprintf("an operation of %.0f statements%s takes %.4g ms on average: less than half of the %.3f ms that so many round trips take "+
			"(the fastest of %d was %.3f ms%s)", n, by, avg, least, r.Server.RoundTrip.N, r.Server.RoundTrip.MinSeconds*1000, added)
	}
	return ""
}

// statements of an operation: of the workload's definition, or else the server's number per
// operation, rounded down; 0 where neither is known. Clients of the same workload have equal
// shares of the server's statements, within a tenth.
func statements(r contract.Result, e runner.Expectations) (n float64, by string) {
	if e.QueriesPerOperation > 0 {
		return float64(e.QueriesPerOperation), ""
	}
	answered, known := r.Server.StatusDelta["Questions"]
	done, counted := allOperations(r)
	if !known || !counted || done == 0 || e.Shared {
		return 0, ""
	}
	share := 1.0
	if e.Clients > 1 {
		share = 0.9
	}
	late := uncounted(r)
	if late >= 1 {
		return 0, ""
	}
	share /= 1 - late
	return math.Floor(share*answered/(done*float64(max(e.Clients, 1))) + few), " (as the server counted them)"
}

// meanTime of an operation in ms: the mean latency where the tool reports it, else the upper
// bound that follows from the throughput and the number of threads or connections.
func meanTime(r contract.Result, e runner.Expectations) (float64, bool) {
	if avg, ok := whole(r, contract.NameLatencyAvg); ok {
		return avg, true
	}
	rate, ok := whole(r, contract.NameThroughput)
	own := atWork(e)
	if !ok || rate <= 0 || own <= 0 {
		return 0, false
	}
	return 1000 * own / rate, true
}

// atWork is the maximum number of concurrent operations of one client; 0 if unknown.
func atWork(e runner.Expectations) float64 {
	if e.Threads > 0 {
		return float64(e.Threads)
	}
	return float64(e.Connections)
}

// allOperations that succeeded; unknown where a tool counts only by kind, as harnesses of
// drivers do, whose measurements run in sequence.
func allOperations(r contract.Result) (float64, bool) {
	return count(unlabelled(r, contract.NameThroughput))
}

// uncounted is the share of the measured window before the first reading of the server's
// counters: a tool that begins its window by itself does not wait for it.
func uncounted(r contract.Result) float64 {
	from, to, ok := contract.MeasuredWindow(r)
	if r.Server == nil || r.Server.CountedFrom == nil || !ok || !to.After(from) {
		return 0
	}
	return min(1, max(0, r.Server.CountedFrom.Sub(from).Seconds()/to.Sub(from).Seconds()))
}

// serverStatements: the server answered as many statements as the tool counted, unless they
// were sent in batches or to another server of a cluster.
func serverStatements(r contract.Result, _ runner.Expectations) string {
	if manyAtOnce(r) {
		return ""
	}
	if r.Server == nil {
		return ""
	}
	answered, known := r.Server.StatusDelta["Questions"]
	asked, what := 0.0, "statements"
	ok := false
	if asked, ok = queries(r); !ok {
		asked, ok = operations(r)
		what = "operations"
	}
	if !known || !ok || answered >= (seen-uncounted(r))*asked {
		return ""
	}
	return fmt.Sprintf("the tool counted %.0f %s, but the server answered %.0f statements meanwhile (Questions): they were sent in batches, "+
		"or not all of them reached this server", asked, what, answered)
}

const (
	// frequent is the share of errors from which a reason is reported.
	frequent = 0.01
	// isolation is the variable of MariaDB (ON since 11.6.2) that lets a transaction fail with
	// error 1020 if it writes a row that changed after its snapshot.
	isolation = "innodb_snapshot_isolation"
)

// snapshotIsolation reports the usual reason for many ignored errors.
func snapshotIsolation(r contract.Result, _ runner.Expectations) string {
	n, ok := operations(r)
	ignored := float64(r.ErrorCount(contract.ErrorIgnored))
	if r.Server == nil || r.Server.Variables[isolation] != "ON" || !ok || n == 0 || ignored <= frequent*n {
		return ""
	}
	return fmt.Sprintf("%.0f errors were ignored in %.0f operations (%.1f %%), and %s is ON: transactions that write a row that another one changed "+
		"meanwhile fail with error 1020. Servers without this variable do not fail: use the same value on all compared targets", ignored, n, 100*ignored/n, isolation)
}

// manyAtOnce: a trial that is a load sends and commits rows as its tool likes, many at once, and counts each of them.
func manyAtOnce(r contract.Result) bool { return r.Load() != nil }
