package engine

import "strings"

// RowCounters are the global status variables in which a server counts the rows that
// statements of its clients changed. A DELETE and an UPDATE that find no row count nothing.
// Each is an upper bound: it counts work that was rolled back too.
type RowCounters struct {
	Inserted, Updated, Deleted string
	// Pages counts changes of pages, where Updated counts an UPDATE to the values that the
	// row has: a row that is changed makes at least PagesPerRow of them, one that is not
	// makes none. Empty where there is no such counter, or no need.
	Pages       string
	PagesPerRow float64
}

// The counters of the servers, each tried with loads whose share of statements that change
// nothing is known (internal/validity/testdata/rows).
var (
	// MariaDB has no Innodb_rows_* since 10.5; the handlers of all storage engines count
	// alike, with temporary tables apart (Handler_tmp_*). They count an INSERT before it
	// meets a duplicate, and an UPDATE before the storage engine finds that nothing changes:
	// the server compares only when it has read the column.
	handlerRows = RowCounters{Inserted: "Handler_write", Updated: "Handler_update", Deleted: "Handler_delete"}
	// MySQL's handlers count temporary tables too, InnoDB's counters do not; rows of the
	// system schema are apart (Innodb_system_rows_*).
	innodbRows = RowCounters{Inserted: "Innodb_rows_inserted", Updated: "Innodb_rows_updated", Deleted: "Innodb_rows_deleted"}
	// MyRocks counts an UPDATE to the same values. In Percona Server the names are in lower
	// case: compare them without case.
	rocksdbRows = RowCounters{Inserted: "Rocksdb_rows_inserted", Updated: "Rocksdb_rows_updated", Deleted: "Rocksdb_rows_deleted"}
)

// CountersOfRows are those of a server that gives this version (SELECT VERSION()), for
// tables of the storage engine. It is false where there are none: TiDB counts no rows, and
// no other storage engine was tried.
func CountersOfRows(version, storageEngine string) (RowCounters, bool) {
	named := func(flavor string) bool { return strings.Contains(strings.ToLower(version), strings.ToLower(flavor)) }
	switch engine := strings.ToLower(storageEngine); {
	case named(TiDB):
		return RowCounters{}, false
	case engine == "rocksdb":
		return rocksdbRows, true
	case named(MariaDB) && engine == "innodb":
		// A row that changes writes to its page and to one of the undo log: about 4 were seen.
		counters := handlerRows
		counters.Pages, counters.PagesPerRow = "Innodb_buffer_pool_write_requests", 2
		return counters, true
	case named(MariaDB):
		return handlerRows, true
	case engine == "innodb":
		return innodbRows, true
	}
	return RowCounters{}, false
}
