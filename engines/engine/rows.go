package engine

import "strings"

// RowCounters are the global status variables that count the rows changed by statements of
// clients. A DELETE or UPDATE that finds no row is not counted. Each counter is an upper
// bound, because it includes rolled-back work.
type RowCounters struct {
	Inserted, Updated, Deleted string
	// Pages counts changed pages, for servers whose Updated counter includes an UPDATE without
	// a change of values: a changed row changes at least PagesPerRow pages, an unchanged row
	// none. Empty where the counter does not exist or is not needed.
	Pages       string
	PagesPerRow float64
}

// The counters of the servers. Each was tested with workloads of a known share of statements
// without effect (internal/validity/testdata/rows).
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
	// case, so they are compared without case.
	rocksdbRows = RowCounters{Inserted: "Rocksdb_rows_inserted", Updated: "Rocksdb_rows_updated", Deleted: "Rocksdb_rows_deleted"}
)

// CountersOfRows are the row counters of a server with this version (SELECT VERSION()), for
// tables of the storage engine. ok is false where there are none: TiDB counts no rows, and
// other storage engines were not tested.
func CountersOfRows(version, storageEngine string) (RowCounters, bool) {
	named := func(flavor string) bool { return strings.Contains(strings.ToLower(version), strings.ToLower(flavor)) }
	switch engine := strings.ToLower(storageEngine); {
	case named(TiDB):
		return RowCounters{}, false
	case engine == "rocksdb":
		return rocksdbRows, true
	case named(MariaDB) && engine == "innodb":
		// A changed row writes to its page and to an undo log page: about 4 changes were
		// observed.
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
