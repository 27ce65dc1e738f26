package validity

import (
	"fmt"
	"strings"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// promised is what is known of the storage engine, if the server's settings promise to flush its
// log before each commit returns, by a system call that its counters count. Of a server that is
// not known, nothing is.
//
// The binary log changes when the log is flushed, not whether: a transaction is prepared in
// the storage engine, which flushes its log, then written to the binary log, and committed in
// the storage engine without another flush (MySQL 8.4 manual, "Replication and Binary Logging
// Options", sync_binlog; MariaDB, "Group Commit for the Binary Log"). For its own flushes see
// waits and unsynced.
func promised(s contract.Server, storageEngine string) (log engine.Storage, ok bool) {
	log, known := engines.StorageOf(s, storageEngine)
	return log, known && log.FlushesCommits != nil && log.FlushesCommits(s.Variables)
}

// CommitCosts are the variables of the server that decide what a commit costs; none of a server
// that is not known.
func CommitCosts(s contract.Server) []string { return engines.Of(s).Facts.CommitCosts }

// FlushesPerCommit is how often the server flushed its log for each of the commits before loading;
// known is false where it does not count that, or is not known.
func FlushesPerCommit(s contract.Server) (n float64, known bool) {
	if s.Durability == nil || s.Durability.Commits <= 0 {
		return 0, false
	}
	storage, _ := engines.StorageOf(s, s.Durability.StorageEngine)
	for _, name := range storage.LogFlushes {
		if flushes, told := s.Durability.Counters[strings.ToLower(name)]; told {
			return float64(flushes) / float64(s.Durability.Commits), true
		}
	}
	return 0, false
}

// waits is the number of sequential flushes that a commit waits for: of the prepared
// transaction, and of the binary log where it is synced for every commit.
func waits(variables map[string]string) int {
	if binaryLog(variables) && variables["sync_binlog"] == "1" {
		return 2
	}
	return 1
}

// binaryLog reports whether transactions are also written to files of a binary log. MariaDB
// 12.3 can keep it in InnoDB, whose log then makes both durable.
func binaryLog(variables map[string]string) bool {
	return on(variables["log_bin"]) && !strings.EqualFold(variables["binlog_storage_engine"], "innodb")
}

func on(value string) bool { return value == "1" || strings.EqualFold(value, "ON") }

// unsynced: recovery commits a prepared transaction only if it is in the binary log. A
// transaction that the binary log lost with the page cache is rolled back, even if the storage
// engine's log was flushed: "it is possible that the server has committed transactions that
// have not been synchronized to the binary log" (MySQL 8.4 manual, sync_binlog).
func unsynced(s contract.Server) string {
	log, ok := promised(s, storageEngineOf(s))
	variables := s.Variables
	value, known := variables["sync_binlog"]
	if !ok || !binaryLog(variables) || !known || value == "1" {
		return ""
	}
	return fmt.Sprintf("log_bin is ON and sync_binlog = %s: a power failure can lose a completed commit, although %s = %s, because recovery rolls back "+
		"prepared transactions that are not in the binary log. Set sync_binlog to 1, or switch the binary log off, to measure durable commits",
		value, log.CommitSetting, variables[log.CommitSetting])
}

// flushes is the largest of the log's counters; names are compared in lower case.
func flushes[N int64 | float64](log engine.Storage, deltas map[string]N) (most float64, counter string, known bool) {
	for name, n := range deltas {
		lower := strings.ToLower(name)
		for _, wanted := range log.LogFlushes {
			if strings.EqualFold(lower, wanted) && (!known || float64(n) > most || float64(n) == most && lower < counter) {
				most, counter, known = float64(n), lower, true
			}
		}
	}
	return most, counter, known
}
