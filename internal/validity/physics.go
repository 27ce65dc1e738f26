package validity

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

const (
	// hot is how much faster than its probe something may be under load: an idle machine
	// is slow to wake up, so that a probe of one is no sharp bound.
	hot = 0.5
	// noChange allows for statements that write and find nothing to change: of so many
	// transactions one has a change at least.
	noChange = 2
	// few is the share of statements that is taken for none: what the agents ask beside the
	// tool.
	few = 0.01
	// seen is the share of a tool's statements that its server has to have seen: the
	// counters are read when the first of several clients has ended.
	seen = 0.95
	// kindWrite is the label of statements that write.
	kindWrite = "write"
)

// unflushed: a flush serves those commits that wait for it, of which each thread has at
// most one. What the server counts are requests: what the device made of them is not seen.
// Where the tool counts what its statements do, and each operation has the same number of them,
// a transaction has no more writing statements than that.
func unflushed(r contract.Result, f runner.Facts) string {
	writes, counted := value(r, contract.NameQueryCount, map[string]string{contract.LabelKind: kindWrite})
	if own := atWork(f); counted && f.QueriesPerOperation > 0 && own > 0 {
		return fewFlushes(r, math.Floor(writes/float64(f.QueriesPerOperation)/noChange), own)
	}
	return ""
}

// unflushedByServer is unflushed for tools that do not count their statements: the server does,
// if each statement is a transaction; how others are cut is not known. It does not know either
// whether a statement wrote to a table of the engine or to a temporary one: no proof.
func unflushedByServer(r contract.Result, f runner.Facts) string {
	if _, counted := value(r, contract.NameQueryCount, map[string]string{contract.LabelKind: kindWrite}); counted || r.Server == nil {
		return ""
	}
	writes, alone, counted := serverWrites(*r.Server)
	threads, known := concurrency(*r.Server, f)
	if !counted || !alone || !known {
		return ""
	}
	return fewFlushes(r, math.Floor(writes/noChange), threads)
}

// fewFlushes: so many commits that wrote, of so many threads, need more flushes. Statements that
// changed nothing need none.
func fewFlushes(r contract.Result, commits, threads float64) string {
	if r.Server == nil {
		return ""
	}
	log, ok := promised(r.Server.Variables["default_storage_engine"], r.Server.Variables)
	synced, counter, known := flushes(log, r.Server.StatusDelta)
	if rows, told := changedRows(*r.Server, log.engine); !ok || !known || commits <= synced*threads || told && rows < commits {
		return ""
	}
	return fmt.Sprintf("%s = %s promises that the log is flushed for every commit, but for at least %.0f transactions that wrote, of %.0f threads, "+
		"the server requested %.0f flushes (%s): commits were not durable", log.setting, r.Server.Variables[log.setting], commits, threads, synced, counter)
}

// changedRows of the server: the engine's own count, or that of all engines where the server does
// not tell the former (MariaDB since 10.5).
func changedRows(s contract.Server, engine string) (rows float64, told bool) {
	for _, prefix := range []string{engine + "_rows_", "Handler_"} {
		verbs := []string{"inserted", "updated", "deleted"}
		if prefix == "Handler_" {
			verbs = []string{"write", "update", "delete"}
		}
		for _, verb := range verbs {
			n, there := s.StatusDelta[statusName(s, prefix+verb)]
			rows, told = rows+n, told || there
		}
		if told {
			return rows, true
		}
	}
	return 0, false
}

// statusName is the name of a counter as the server spells it: capitals differ.
func statusName(s contract.Server, name string) string {
	for spelt := range s.StatusDelta {
		if strings.EqualFold(spelt, name) {
			return spelt
		}
	}
	return name
}

// serverWrites are the statements that write, of all clients, as the server counted them, and
// whether each was a transaction of its own.
func serverWrites(s contract.Server) (writes float64, alone, ok bool) {
	for _, name := range []string{
		"Com_insert", "Com_insert_select", "Com_update", "Com_update_multi", "Com_delete", "Com_delete_multi", "Com_replace", "Com_replace_select",
	} {
		n, there := s.StatusDelta[name]
		writes, ok = writes+n, ok || there
	}
	cut := s.StatusDelta["Com_begin"] + s.StatusDelta["Com_commit"] + s.StatusDelta["Com_rollback"] + s.StatusDelta["Com_xa_commit"]
	return writes, cut <= few*writes, ok
}

// concurrency is how many statements of all clients may be under way at once.
func concurrency(s contract.Server, f runner.Facts) (float64, bool) {
	if own := atWork(f); own > 0 {
		return own * float64(max(f.Clients, 1)), true
	}
	most, err := strconv.ParseFloat(s.Variables["max_connections"], 64)
	return most, err == nil && most > 0
}

// fasterThanStorage: a commit that is flushed waits for one flush at least, also where
// one serves many threads; and for two, one after the other, with a synced binary log.
func fasterThanStorage(r contract.Result, f runner.Facts) string {
	if r.Server == nil || r.Target == nil || r.Target.Storage == nil || r.Target.Storage.Fsync == nil {
		return ""
	}
	log, ok := promised(r.Server.Variables["default_storage_engine"], r.Server.Variables)
	avg, timed := meanTime(r, f)
	if !ok || !timed || !everyOperationCommits(r, f) {
		return ""
	}
	storage := r.Target.Storage
	waits := log.waits(r.Server.Variables)
	if least := float64(waits) * storage.Fsync.MinSeconds * 1000; avg < hot*least {
		return fmt.Sprintf("every operation writes, and takes %.4g ms on average: less than half of the %.3f ms that %s on the storage of the target "+
			"(the fastest of %d; %s%s), although %s = %s", avg, least, flushesTake(waits), storage.Fsync.N, storage.Filesystem,
			cacheOf(*storage), log.setting, r.Server.Variables[log.setting])
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

// everyOperationCommits: each operation writes and ends with a commit, by the tool's count of
// statements or by the server's.
func everyOperationCommits(r contract.Result, f runner.Facts) bool {
	n, counted := allOperations(r)
	if !counted || n == 0 {
		return false
	}
	if writes, known := value(r, contract.NameQueryCount, map[string]string{contract.LabelKind: kindWrite}); known && f.QueriesPerOperation > 0 {
		return writes >= n
	}
	writes, alone, known := serverWrites(*r.Server)
	least := n * float64(max(f.Clients, 1))
	if late := uncounted(r); late > 0 {
		least *= 1 - late - few // the tool's operations are all counted, and the server's statements only then
	}
	return known && alone && least > 0 && writes >= least
}

// fasterThanNetwork: statements that are not sent in batches need a round trip each.
func fasterThanNetwork(r contract.Result, f runner.Facts) string {
	if r.Server == nil || r.Server.RoundTrip == nil {
		return ""
	}
	n, by := statements(r, f)
	avg, ok := meanTime(r, f)
	trip := r.Server.RoundTrip.MinSeconds * 1000
	if least := n * trip; ok && avg < hot*least {
		return fmt.Sprintf("an operation of %.0f statements%s takes %.4g ms on average: less than half of the %.3f ms that so many round trips take "+
			"(the fastest of %d was %.3f ms)", n, by, avg, least, r.Server.RoundTrip.N, trip)
	}
	return ""
}

// statements of an operation: what the workload says, or else what the server answered for
// each, rounded down; 0 where neither is known. Clients that run the same workload have the
// same share of what the server answered, give or take a tenth.
func statements(r contract.Result, f runner.Facts) (n float64, by string) {
	if f.QueriesPerOperation > 0 {
		return float64(f.QueriesPerOperation), ""
	}
	answered, known := r.Server.StatusDelta["Questions"]
	done, counted := allOperations(r)
	if !known || !counted || done == 0 {
		return 0, ""
	}
	share := 1.0
	if f.Clients > 1 {
		share = 0.9
	}
	late := uncounted(r)
	if late >= 1 {
		return 0, ""
	}
	share /= 1 - late
	return math.Floor(share*answered/(done*float64(max(f.Clients, 1))) + few), " (as the server counted them)"
}

// meanTime of an operation in ms: the latency of all operations where the tool gives it, else
// what its threads, or its connections, allow: with so many at work, so many operations per
// second take no longer than this on average.
func meanTime(r contract.Result, f runner.Facts) (float64, bool) {
	if avg, ok := whole(r, contract.NameLatencyAvg); ok {
		return avg, true
	}
	rate, ok := whole(r, contract.NameThroughput)
	own := atWork(f)
	if !ok || rate <= 0 || own <= 0 {
		return 0, false
	}
	return 1000 * own / rate, true
}

// atWork is how many operations of one client may be under way at once; 0 if not known.
func atWork(f runner.Facts) float64 {
	if f.Threads > 0 {
		return float64(f.Threads)
	}
	return float64(f.Connections)
}

// allOperations that ended well; not known where a tool only counts them by kind, as harnesses of
// drivers do, whose cells run one after the other.
func allOperations(r contract.Result) (float64, bool) {
	m, ok := unlabelled(r, contract.NameThroughput)
	if !ok || m.N == nil {
		return 0, false
	}
	return float64(*m.N), true
}

// uncounted is the share of the measured window that had passed when the server's counters
// from before it had been read: a tool that begins its window by itself waits for nobody.
func uncounted(r contract.Result) float64 {
	from, to, ok := contract.MeasuredWindow(r)
	if r.Server == nil || r.Server.CountedFrom == nil || !ok || !to.After(from) {
		return 0
	}
	return min(1, max(0, r.Server.CountedFrom.Sub(from).Seconds()/to.Sub(from).Seconds()))
}

// serverStatements: what a tool counted, its server answered, unless statements were
// sent in batches, or to another server of a cluster.
func serverStatements(r contract.Result, _ runner.Facts) string {
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
	// frequent is the share of operations whose errors are worth a reason.
	frequent = 0.01
	// isolation is the variable of MariaDB (ON since 11.6.2) with which a transaction that
	// writes a row changed since its snapshot fails with error 1020.
	isolation = "innodb_snapshot_isolation"
)

// snapshotIsolation names the usual reason of many errors that a tool ignores.
func snapshotIsolation(r contract.Result, _ runner.Facts) string {
	n, ok := operations(r)
	ignored := float64(r.ErrorCount(contract.ErrorIgnored))
	if r.Server == nil || r.Server.Variables[isolation] != "ON" || !ok || n == 0 || ignored <= frequent*n {
		return ""
	}
	return fmt.Sprintf("%.0f errors were ignored in %.0f operations (%.1f %%), and %s is ON: transactions that write a row that another one changed "+
		"meanwhile fail with error 1020. Servers without it do not fail there: set it alike on all targets that are compared", ignored, n, 100*ignored/n, isolation)
}
