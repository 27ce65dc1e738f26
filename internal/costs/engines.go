package costs

import (
	"strings"

	"github.com/assay-bench/assay/internal/contract"
)

// Counters of InnoDB. Innodb_data_fsyncs has the flushes of the log too, and Innodb_data_written
// the pages, and those of the doublewrite buffer. Whether it also has the log depends on the
// version. With 2,000 inserts of 1 KiB and a flush of all pages (bytes, log_bin off; testdata):
//
//	server         data_written, of the inserts   os_log_written   pages that were written
//	MySQL 5.7.22   5,443,072                      5,443,072        0
//	MySQL 8.0.15   3,417,600                      3,417,600        0
//	MySQL 9.7     10,766,848                      3,357,184        326 of 16 KiB, each twice
//	MariaDB 10.11          0                      2,386,548        0
//	MariaDB 11.8           0                      2,404,798        0
//
// MySQL writes its log by other functions since 8.0.30, and counts the doublewrite buffer in part
// only since then: in MySQL 9.7 the 363 pages of a later flush were counted once, and written twice.
const (
	innodbWritten = "Innodb_data_written"
	innodbLog     = "Innodb_os_log_written"
	innodbFlushes = "Innodb_data_fsyncs"
)

// rocksWritten are the bytes of the log, of flushed memtables and of compactions; rocksFlushes are
// the flushes of the log.
var (
	rocksWritten = []string{"Rocksdb_wal_bytes", "Rocksdb_flush_write_bytes", "Rocksdb_compact_write_bytes"}
	rocksFlushes = "Rocksdb_wal_synced"
)

// engineOf the tables, in lower case.
func engineOf(r contract.Result) string {
	if r.Server == nil {
		return ""
	}
	return strings.ToLower(r.Server.Variables["default_storage_engine"])
}

// written bytes of the storage engine over the counted window.
func written(r contract.Result) (bytes float64, known bool) {
	switch engineOf(r) {
	case "innodb":
		bytes, known = counter(r, innodbWritten)
		if !known || logIsInData(*r.Server) {
			return bytes, known
		}
		log, has := counter(r, innodbLog)
		return bytes + log, has
	case "rocksdb":
		for _, name := range rocksWritten {
			n, has := counter(r, name)
			if !has {
				return 0, false
			}
			bytes += n
		}
		return bytes, true
	}
	return 0, false
}

// logIsInData says whether Innodb_data_written has the log. TiDB has no such counters.
func logIsInData(s contract.Server) bool {
	if strings.Contains(strings.ToLower(s.Version+s.VersionComment), "mariadb") {
		return false
	}
	version, _, _ := strings.Cut(s.Version, "-")
	return !contract.AtLeast(version, 8, 0, 30)
}

// flushes of the storage engine over the counted window.
func flushes(r contract.Result) (n float64, known bool) {
	switch engineOf(r) {
	case "innodb":
		return counter(r, innodbFlushes)
	case "rocksdb":
		return counter(r, rocksFlushes)
	}
	return 0, false
}

// counter of the server over the window, whatever the case of its name; unknown when it fell,
// because the server restarted.
func counter(r contract.Result, name string) (n float64, known bool) {
	n, known = r.Server.StatusDelta[name]
	for other, v := range r.Server.StatusDelta {
		if !known && strings.EqualFold(other, name) {
			n, known = v, true
		}
	}
	return n, known && n >= 0
}
