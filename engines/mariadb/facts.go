package mariadb

import (
	"strings"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/engines/engine/mysqld"
)

func facts() engine.Facts {
	log := mysqld.Log()
	log.Doubts = append(log.Doubts, engine.Doubt{Text: "(memory-mapped)", Meaning: "MariaDB has mapped its redo log into memory and no longer syncs it: " +
		"commits are faster than on this storage. /dev/shm must be a file system of its own"})
	return engine.Facts{
		Identify: mysqld.Named("MariaDB"), Family: "MariaDB", Storage: storage, CommitCosts: mysqld.CommitCosts(),
		NonDefault: nonDefault, NonDefaultDiffers: true, Position: "gtid_binlog_pos", Log: log,
		Positions: []string{"gtid_binlog_pos", "gtid_binlog_state", "gtid_current_pos", "gtid_slave_pos"},
		// It takes a data directory there for persistent memory.
		NotFlushing: "Look for memory-mapped in the server's log: MariaDB does that when /dev/shm and the data directory are on one device",
	}
}

// handlerRows: MariaDB has no Innodb_rows_* since 10.5; the handlers of all storage engines count
// alike, with temporary tables apart (Handler_tmp_*). They count an INSERT before it meets a
// duplicate, and an UPDATE before the storage engine finds that nothing changes: the server
// compares only when it has read the column.
var handlerRows = engine.RowCounters{Inserted: "Handler_write", Updated: "Handler_update", Deleted: "Handler_delete"}

// storage: a changed row of InnoDB writes to its page and to an undo log page. About 4 changes of
// pages were observed.
func storage(_, storageEngine string) (engine.Storage, bool) {
	rows := handlerRows
	switch {
	case strings.EqualFold(storageEngine, mysqld.RocksDB):
		return mysqld.RocksDBStorage(), true
	case strings.EqualFold(storageEngine, mysqld.InnoDB):
		s := mysqld.InnoDBStorage()
		rows.Pages, rows.PagesPerRow = "Innodb_buffer_pool_write_requests", 2
		s.Rows = &rows
		return s, true
	}
	return engine.Storage{Rows: &rows}, true
}

// nonDefault are the variables that were set to another value than the built-in default. Values
// that the server derived (AUTO) or found on its host have another origin. Any account may read
// them; since 10.1.
const nonDefault = "SELECT LOWER(VARIABLE_NAME), GLOBAL_VALUE FROM information_schema.SYSTEM_VARIABLES " +
	"WHERE GLOBAL_VALUE IS NOT NULL AND GLOBAL_VALUE_ORIGIN IN ('CONFIG', 'COMMAND-LINE', 'SQL') " +
	"AND NOT (GLOBAL_VALUE <=> DEFAULT_VALUE)"
