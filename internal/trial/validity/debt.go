package validity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	// maxPutOff is the share of the log of a window, from which the window measures a server that puts off most of its work.
	maxPutOff = 0.5
	// LeastLog is the log in bytes from which that matters: an idle server writes some thousand bytes for itself.
	LeastLog = 100_000
	// LeastHistory is the growth of the history list from which it matters: purge works in batches, and frees the list now and then.
	// Under 4 threads that updated single rows as fast as they could, the list of MySQL 9.7 had up to 500 entries, and that of MariaDB
	// 11.8 up to 3,200. With purge held up it had as many as there were updates, in MySQL 5.7, 8.0 and 9.7, and in MariaDB 11.8.
	LeastHistory = 5_000
)

// debt: what a window changes and does not flush or purge is not in its throughput. A later window pays for it, or nobody does.
func debt(r contract.Result, e runner.Expectations) string {
	if r.Server == nil {
		return ""
	}
	storage, _ := engines.StorageOf(*r.Server, e.StorageEngine)
	if storage.Debt == nil {
		return ""
	}
	left := slices.DeleteFunc([]string{notFlushed(*r.Server, *storage.Debt), notPurged(*r.Server)}, func(text string) bool { return text == "" })
	if len(left) == 0 {
		return ""
	}
	return strings.Join(left, "; ") + ": the throughput is without work that comes later"
}

// notFlushed is the log of a window whose pages wait to be flushed; empty where it is little.
func notFlushed(s contract.Server, of engine.Debt) string {
	log, known := engines.Counter(s.StatusDelta, of.LogEnd)
	paid, also := engines.Counter(s.StatusDelta, of.LogPaid)
	if !known || !also || log < LeastLog || log-paid <= maxPutOff*log {
		return ""
	}
	pages := ""
	if n, known := engines.Counter(s.StatusDelta, of.Flushed); known {
		pages = fmt.Sprintf(", and %s were flushed", figure.Counted(int64(n), "page"))
	}
	return fmt.Sprintf("the log that waits for its pages to be flushed grew by %.3g MB, of %.3g MB that were written to it%s",
		(log-paid)/1e6, log/1e6, pages)
}

// notPurged are the transactions of a window whose old versions of rows wait to be purged; empty where they are few. A transaction
// adds one entry to the history list at most, and is a writing statement or has a COMMIT.
func notPurged(s contract.Server) string {
	if s.Levels == nil || s.Levels.Begin == nil || s.Levels.End == nil {
		return ""
	}
	begin, end := s.Levels.Begin.HistoryLength, s.Levels.End.HistoryLength
	wrote, alone, counted := serverWrites(s)
	what := "writing statements"
	if !alone {
		wrote, counted = engines.Counter(s.StatusDelta, "Com_commit")
		what = "COMMITs"
	}
	if begin == nil || end == nil || !counted || *end-*begin < LeastHistory || float64(*end-*begin) <= maxPutOff*wrote {
		return ""
	}
	return fmt.Sprintf("the history list of transactions that wait to be purged grew by %s, beside %s %s", figure.Number(float64(*end-*begin)), figure.Number(wrote), what)
}

// cachedWhole: a window that reads no page from the device says nothing of data that is larger than the cache.
func cachedWhole(r contract.Result, e runner.Expectations) string {
	if r.Server == nil {
		return ""
	}
	storage, _ := engines.StorageOf(*r.Server, e.StorageEngine)
	n, measured := operations(r)
	if reads, known := engines.Counter(r.Server.StatusDelta, storage.ReadPages); !known || reads != 0 || !measured || n <= 0 {
		return ""
	}
	return fmt.Sprintf("no page was read from the device (%s): all data that was used is in memory (%s = %s)", storage.ReadPages, storage.CacheSize, r.Server.Variables[storage.CacheSize])
}
