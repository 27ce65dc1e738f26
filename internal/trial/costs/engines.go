package costs

import (
	"strconv"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// storageOf the server of a result.
func storageOf(r contract.Result) engine.Storage {
	if r.Server == nil {
		return engine.Storage{}
	}
	s, _ := engines.StorageOf(*r.Server, "")
	return s
}

// written bytes of the storage engine over the counted window; unknown without one of its counters.
func written(r contract.Result) (bytes float64, known bool) {
	names := storageOf(r).Written
	for _, name := range names {
		n, has := counter(r, name)
		if !has {
			return 0, false
		}
		bytes += n
	}
	return bytes, len(names) > 0
}

// flushes of the storage engine over the counted window.
func flushes(r contract.Result) (n float64, known bool) { return counter(r, storageOf(r).Flushes) }

// counter of the server over the window; unknown when it fell, because the server restarted.
func counter(r contract.Result, name string) (n float64, known bool) {
	if r.Server == nil {
		return 0, false
	}
	n, known = engines.Counter(r.Server.StatusDelta, name)
	return n, known && n >= 0
}

// debt is the growth of the log whose pages are still to be flushed, over the counted window.
func debt(r contract.Result) (bytes float64, known bool) {
	d := storageOf(r).Debt
	if d == nil {
		return 0, false
	}
	end, known := counter(r, d.LogEnd)
	paid, also := counter(r, d.LogPaid)
	return end - paid, known && also
}

// flushed are the bytes of the pages that were flushed over the counted window.
func flushed(r contract.Result) (bytes float64, known bool) {
	d := storageOf(r).Debt
	if d == nil {
		return 0, false
	}
	pages, known := counter(r, d.Flushed)
	size, err := strconv.ParseFloat(r.Server.Variables[d.PageSize], 64)
	return pages * size, known && err == nil && size > 0
}
