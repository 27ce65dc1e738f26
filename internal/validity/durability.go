package validity

import (
	"fmt"
	"strings"
)

// commitLog is how a storage engine makes commits durable.
type commitLog struct {
	engine, setting string
	// counters of flushes, in lower case; each counts all flushes.
	counters []string
}

// promised is the log of the storage engine, if the server's settings promise to flush it
// before each commit returns, by a system call that its counters count. Files opened with
// O_DSYNC need no such call, and the storage of Aurora is on other machines.
//
// The binary log changes when the log is flushed, not whether: a transaction is prepared in
// the storage engine, which flushes its log, then written to the binary log, and committed in
// the storage engine without another flush (MySQL 8.4 manual, "Replication and Binary Logging
// Options", sync_binlog; MariaDB, "Group Commit for the Binary Log"). For its own flushes see
// waits and unsynced.
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
		// 3 exists in MariaDB: two flushes, as in MySQL with a binary log.
		value := variables[log.setting]
		return log, (value == "1" || value == "3") && variables["innodb_log_file_write_through"] != "ON"
	case "rocksdb":
		log = commitLog{"RocksDB", "rocksdb_flush_log_at_trx_commit", []string{"rocksdb_wal_synced"}}
		return log, variables[log.setting] == "1"
	}
	return log, false
}

// waits is the number of sequential flushes that a commit waits for: of the prepared
// transaction, and of the binary log where it is synced for every commit.
func (commitLog) waits(variables map[string]string) int {
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
func unsynced(engine string, variables map[string]string) string {
	log, ok := promised(engine, variables)
	value, known := variables["sync_binlog"]
	if !ok || !binaryLog(variables) || !known || value == "1" {
		return ""
	}
	return fmt.Sprintf("log_bin is ON and sync_binlog = %s: a power failure can lose a completed commit, although %s = %s, because recovery rolls back "+
		"prepared transactions that are not in the binary log. Set sync_binlog to 1, or switch the binary log off, to measure durable commits",
		value, log.setting, variables[log.setting])
}

// flushes is the largest of the log's counters; names are compared in lower case.
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
