package validity

import (
	"fmt"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	// maxPutOff is the share of the log of a window, from which the window measures a server that puts off most of its work.
	maxPutOff = 0.5
	// leastLog is the log in bytes from which that matters: an idle server writes some thousand bytes for itself.
	leastLog = 100_000
)

// debt: what a window changes and does not flush is not in its throughput. A later window pays for it, or nobody does.
func debt(r contract.Result, e runner.Expectations) string {
	if r.Server == nil {
		return ""
	}
	storage, _ := engines.StorageOf(*r.Server, e.StorageEngine)
	if storage.Debt == nil {
		return ""
	}
	log, known := engines.Counter(r.Server.StatusDelta, storage.Debt.LogEnd)
	paid, also := engines.Counter(r.Server.StatusDelta, storage.Debt.LogPaid)
	if !known || !also || log < leastLog || log-paid <= maxPutOff*log {
		return ""
	}
	pages := ""
	if n, known := engines.Counter(r.Server.StatusDelta, storage.Debt.Flushed); known {
		pages = fmt.Sprintf(", and %s were flushed", figure.Counted(int64(n), "page"))
	}
	return fmt.Sprintf("the log that waits for its pages to be flushed grew by %.3g MB, of %.3g MB that were written to it%s: the throughput is without work that comes later",
		(log-paid)/1e6, log/1e6, pages)
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
