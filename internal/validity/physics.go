package validity

import (
	"fmt"
	"math"
	"strings"

	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	// hot is how much faster than its probe something may be under load: an idle machine
	// is slow to wake up, so that a probe of one is no sharp bound.
	hot = 0.5
	// noChange allows for statements that write and find nothing to change: of so many
	// transactions one has a change at least.
	noChange = 2
	// seen is the share of a tool's statements that its server has to have seen: the
	// counters are read when the first of several clients has ended.
	seen = 0.95
	// kindWrite is the label of statements that write.
	kindWrite = "write"
)

// commitLog says how a storage engine makes commits durable.
type commitLog struct {
	engine, setting string
	// counters of flushes, in lower case; each counts all of them.
	counters []string
}

// promised is the log of the storage engine, if the server's settings promise to flush it
// before each commit is answered, by a call that its counters count. Files that are
// opened to be written through (O_DSYNC) need no such call, and the storage of Aurora is
// another machine's.
func promised(engine string, variables map[string]string) (log commitLog, ok bool) {
	if _, aurora := variables["aurora_version"]; aurora {
		return log, false
	}
	switch strings.ToLower(engine) {
	case "innodb":
		log = commitLog{"InnoDB", "innodb_flush_log_at_trx_commit", []string{"innodb_data_fsyncs", "innodb_os_log_fsyncs"}}
		switch strings.ToLower(variables["innodb_flush_method"]) {
		case "o_dsync", "nosync", "littlesync":
			return log, false
		}
		// 3 is MariaDB's: two flushes, as MySQL does with a binary log.
		value := variables[log.setting]
		return log, (value == "1" || value == "3") && variables["innodb_log_file_write_through"] != "ON"
	case "rocksdb":
		log = commitLog{"RocksDB", "rocksdb_flush_log_at_trx_commit", []string{"rocksdb_wal_synced"}}
		return log, variables[log.setting] == "1"
	}
	return log, false
}

// flushes are the most that a counter of the log says; names are compared in lower case.
func flushes[N int64 | float64](log commitLog, deltas map[string]N) (most float64, counter string, known bool) {
	for name, n := range deltas {
		lower := strings.ToLower(name)
		for _, wanted := range log.counters {
			if lower == wanted && (!known || float64(n) > most || float64(n) == most && lower < counter) {
				most, counter, known = float64(n), lower, true
			}
		}
	}
	return most, counter, known
}

// unflushed: a flush serves those commits that wait for it, of which each thread has at
// most one. A transaction has no more writing statements than it has statements.
func unflushed(r result.Result, f runner.Facts) string {
	if r.Server == nil || f.QueriesPerOperation == 0 || f.Threads == 0 {
		return ""
	}
	log, ok := promised(r.Server.Variables["default_storage_engine"], r.Server.Variables)
	writes, counted := value(r, result.NameQueryCount, map[string]string{result.LabelKind: kindWrite})
	if !ok || !counted {
		return ""
	}
	synced, counter, known := flushes(log, r.Server.StatusDelta)
	commits := math.Floor(writes / float64(f.QueriesPerOperation) / noChange)
	if most := synced * float64(f.Threads); !known || commits <= most {
		return ""
	}
	return fmt.Sprintf("%s = %s promises that every commit is flushed, but for at least %.0f transactions that wrote, of %d threads, "+
		"the server flushed %.0f times (%s): commits were not durable", log.setting, r.Server.Variables[log.setting], commits, f.Threads, synced, counter)
}

// fasterThanStorage: a commit that is flushed waits for one flush at least, also where
// one serves many threads.
func fasterThanStorage(r result.Result, f runner.Facts) string {
	if r.Server == nil || r.Target == nil || r.Target.Storage == nil || r.Target.Storage.Fsync == nil || f.QueriesPerOperation == 0 {
		return ""
	}
	log, ok := promised(r.Server.Variables["default_storage_engine"], r.Server.Variables)
	n, counted := operations(r)
	avg, timed := whole(r, result.NameLatencyAvg)
	writes, known := value(r, result.NameQueryCount, map[string]string{result.LabelKind: kindWrite})
	if !ok || !counted || !timed || !known || n == 0 || writes < n {
		return ""
	}
	if least := r.Target.Storage.Fsync.MinSeconds * 1000; avg < hot*least {
		return fmt.Sprintf("every operation writes, and takes %g ms on average: less than half of the %.3f ms that the fastest of %d flushes took "+
			"on the storage of the target (%s), although %s = %s", avg, least, r.Target.Storage.Fsync.N, r.Target.Storage.Filesystem,
			log.setting, r.Server.Variables[log.setting])
	}
	return ""
}

// fasterThanNetwork: statements that are not sent in batches need a round trip each.
func fasterThanNetwork(r result.Result, f runner.Facts) string {
	if r.Server == nil || r.Server.RoundTrip == nil || f.QueriesPerOperation == 0 {
		return ""
	}
	avg, ok := whole(r, result.NameLatencyAvg)
	trip := r.Server.RoundTrip.MinSeconds * 1000
	if least := float64(f.QueriesPerOperation) * trip; ok && avg < hot*least {
		return fmt.Sprintf("an operation of %d statements takes %g ms on average: less than half of the %.3f ms that so many round trips take "+
			"(the fastest of %d was %.3f ms)", f.QueriesPerOperation, avg, least, r.Server.RoundTrip.N, trip)
	}
	return ""
}

// serverStatements: what a tool counted, its server answered, unless statements were
// sent in batches, or to another server of a cluster.
func serverStatements(r result.Result, _ runner.Facts) string {
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
	if !known || !ok || answered >= seen*asked {
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
func snapshotIsolation(r result.Result, _ runner.Facts) string {
	n, ok := operations(r)
	ignored := float64(r.ErrorCount(result.ErrorIgnored))
	if r.Server == nil || r.Server.Variables[isolation] != "ON" || !ok || n == 0 || ignored <= frequent*n {
		return ""
	}
	return fmt.Sprintf("%.0f errors were ignored in %.0f operations (%.1f %%), and %s is ON: transactions that write a row that another one changed "+
		"meanwhile fail with error 1020. Servers without it do not fail there: set it alike on all targets that are compared", ignored, n, 100*ignored/n, isolation)
}
