package mysqld

import (
	"regexp"
	"strings"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// CommitCosts are the variables of the family that decide what a commit costs.
func CommitCosts() []string {
	return []string{"innodb_doublewrite", "innodb_flush_log_at_trx_commit", "log_bin", "rocksdb_flush_log_at_trx_commit", "sync_binlog"}
}

// mysqlVersion is the form of VERSION() in builds of MySQL, such as 8.0.36, 9.7.4-2, 5.7.22-log and
// 8.0.36-0ubuntu0.22.04.1. Servers that only speak the protocol have their names in the suffix.
var mysqlVersion = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(?:-(?:[0-9]|asan\b|azure\b|cluster\b|commercial\b|community\b|debug\b|enterprise\b|google\b|log\b|rds\b|ubsan\b|valgrind\b).*)?$`)

// mysqlComment is version_comment in builds of MySQL: of Oracle, of distributions, and of those who
// compile it without a comment of their own.
var mysqlComment = regexp.MustCompile(`^(?:MySQL\b.*|Source distribution|Homebrew|\(?(?:Debian|Ubuntu|Google)\)?)$`)

// isMySQL identifies MySQL. Aurora answers as MySQL does, and stores its data in another way: it is
// not MySQL, and what its counters count was not tried.
func isMySQL(e engine.Evidence) (version string, ok bool) {
	_, aurora := e.Variables["aurora_version"]
	ok = !aurora && mysqlVersion.MatchString(e.Version) && mysqlComment.MatchString(e.Comment)
	return e.Number(), ok
}

// Named identifies the servers of the family whose version or comment has the word.
func Named(word string) func(engine.Evidence) (string, bool) {
	return func(e engine.Evidence) (string, bool) { return e.Number(), e.Number() != "" && e.Says(word) }
}

// The row counters were tested with workloads of a known share of statements without effect
// (internal/trial/validity/testdata/rows).
var (
	// MySQL's handlers count temporary tables too, InnoDB's counters do not; rows of the
	// system schema are apart (Innodb_system_rows_*).
	innodbRows = engine.RowCounters{Inserted: "Innodb_rows_inserted", Updated: "Innodb_rows_updated", Deleted: "Innodb_rows_deleted"}
	// MyRocks counts an UPDATE to the same values.
	rocksdbRows = engine.RowCounters{Inserted: "Rocksdb_rows_inserted", Updated: "Rocksdb_rows_updated", Deleted: "Rocksdb_rows_deleted"}
)

// StorageOf MySQL and Percona Server. Innodb_data_written has the log in it: before 8.0.30 because the log is written as pages are
// (fil_io), since then because each write of a log file adds its bytes (Log_file_handle::s_on_before_write, set in
// storage/innobase/log/log0log.cc). Innodb_os_log_written is less: it leaves out what is written ahead to fill a block
// (srv_stats.os_log_written in log0write.cc). MariaDB writes its log by functions of its own since 10.5, which count
// Innodb_os_log_written alone. Bytes of windows and of 2,000 inserts of 1 KiB (internal/trial/costs/testdata), log_bin off:
//
//	server          data_written   os_log_written   flushed pages   of them doublewritten
//	MySQL 5.7.22       5,443,072        5,443,072               0                       0
//	MySQL 8.0.15       3,417,600        3,417,600               0                       0
//	MySQL 9.7.4        2,017,280        1,390,592               0                       0
//	MySQL 9.7.4        2,697,216        1,029,120              71                      71
//	MariaDB 10.11              0        2,386,548               0                       0
//	MariaDB 11.8               0        2,404,798               0                       0
//	MariaDB 10.11      7,389,184       21,548,708             312                     139
//
// MariaDB counts the pages of the doublewrite buffer, (312 + 139) x 16 KiB above. MySQL does so while that buffer is in the system
// tablespace, before 8.0.20: since then it writes 71 pages twice above, and counts them once.
func StorageOf(version, storageEngine string) (engine.Storage, bool) {
	switch {
	case strings.EqualFold(storageEngine, InnoDB):
		s := InnoDBStorage()
		s.Rows, s.Written = &innodbRows, []string{"Innodb_data_written"}
		if contract.AtLeast(version, 8, 0, 30) {
			s.Debt.LogEnd, s.Debt.LogPaid = "Innodb_redo_log_current_lsn", "Innodb_redo_log_checkpoint_lsn"
		}
		return s, true
	case strings.EqualFold(storageEngine, RocksDB):
		return RocksDBStorage(), true
	}
	return engine.Storage{}, false
}

// InnoDBStorage is what the InnoDB of every server of the family counts, and what that of MariaDB writes. Innodb_data_fsyncs has the
// flushes of the log too, and Innodb_data_written the pages.
func InnoDBStorage() engine.Storage {
	return engine.Storage{
		Flushes: "Innodb_data_fsyncs", LogFlushes: []string{"Innodb_os_log_fsyncs", "Innodb_data_fsyncs"},
		Written: []string{"Innodb_data_written", "Innodb_os_log_written"}, LogWritten: []string{"Innodb_os_log_written", "Innodb_log_writes"},
		ReadPages: "Innodb_buffer_pool_reads", CacheSize: "innodb_buffer_pool_size",
		// MariaDB and Percona Server show the positions by these names, MySQL shows none before 8.0.30.
		Debt: &engine.Debt{
			LogEnd: "Innodb_lsn_current", LogPaid: "Innodb_lsn_last_checkpoint", Flushed: "Innodb_buffer_pool_pages_flushed", PageSize: "innodb_page_size",
			Dirty: "Innodb_buffer_pool_bytes_dirty", History: []string{"Innodb_history_list_length", "trx_rseg_history_len"},
		},
		CommitSetting: "innodb_flush_log_at_trx_commit",
		// Files opened with O_DSYNC need no system call that is counted. 3 exists in MariaDB: two
		// flushes, as in MySQL with a binary log.
		FlushesCommits: func(v map[string]string) bool {
			switch strings.ToLower(v["innodb_flush_method"]) {
			case "o_dsync", "nosync", "littlesync":
				return false
			}
			value := v["innodb_flush_log_at_trx_commit"]
			return (value == "1" || value == "3") && v["innodb_log_file_write_through"] != "ON"
		},
	}
}

// RocksDBStorage is what MyRocks counts: the bytes of the log, of flushed memtables and of
// compactions, and the flushes of the log.
func RocksDBStorage() engine.Storage {
	return engine.Storage{
		Rows:    &rocksdbRows,
		Flushes: "Rocksdb_wal_synced", LogFlushes: []string{"Rocksdb_wal_synced"},
		Written:        []string{"Rocksdb_wal_bytes", "Rocksdb_flush_write_bytes", "Rocksdb_compact_write_bytes"},
		LogWritten:     []string{"Rocksdb_wal_bytes", "Rocksdb_wal_group_syncs"},
		CommitSetting:  "rocksdb_flush_log_at_trx_commit",
		FlushesCommits: func(v map[string]string) bool { return v["rocksdb_flush_log_at_trx_commit"] == "1" },
	}
}

// nonDefault are the variables of MySQL that were set, to any value: it does not report its
// defaults. Any account may read both tables, even with the rest of the performance schema off;
// since 8.0.
const nonDefault = "SELECT LOWER(v.VARIABLE_NAME), v.VARIABLE_VALUE FROM performance_schema.global_variables v " +
	"JOIN performance_schema.variables_info i ON i.VARIABLE_NAME = v.VARIABLE_NAME " +
	"WHERE i.VARIABLE_SOURCE <> 'COMPILED' AND v.VARIABLE_VALUE IS NOT NULL"

// gauges has the length of MySQL's history list, which no status variable shows. It needs the privilege PROCESS, which the account of a
// server that Assay provides does not have: it has no global one. The metric is on by default.
const gauges = "SELECT NAME, `COUNT` FROM information_schema.INNODB_METRICS WHERE NAME = 'trx_rseg_history_len' AND STATUS = 'enabled'"

// Log of a server of the family: lines of MariaDB 10.11 and MySQL 5.7 to 9.7.
func Log() engine.Log {
	return engine.Log{
		Harmless: regexp.MustCompile(`\[(Warning|Note|System)\]|\[ERROR\] (\[.*\] )*(Aborting|The designated data directory)|^get_mempolicy:`),
		Storage:  engine.StorageLine,
		// A plugin of a storage engine or of semi-synchronous replication.
		Missing: regexp.MustCompile(`(?i)can't open shared library '[^']*(ha_rocksdb|semisync_)`),
		Setting: regexp.MustCompile(`(?i)unknown (variable|option)|unknown suffix|ambiguous option|error while setting value|` +
			`option '[^']*'|requires an argument|wrong (option )?value|invalid (value|page size)|unsupported storage engine|incorrect argument|` +
			`can't be set|out of range|unknown .{0,40}value|cannot allocate memory for the buffer pool|value .{0,80} is (not valid|invalid)`),
		Doubts: []engine.Doubt{
			{Text: "Could not increase number of max_open_files", Meaning: "the limit of open files is lower than the server asked for"},
			{Text: "Changed limits:", Meaning: "the server lowered its own limits, because that of open files is too low"},
			{Text: "Linux Native AIO disabled", Meaning: "the server uses simulated asynchronous I/O, because native I/O is not available"},
		},
		Errors: "[ERROR]",
	}
}
