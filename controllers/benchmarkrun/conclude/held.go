package conclude

import (
	"github.com/assay-bench/assay/internal/budget"
	"github.com/assay-bench/assay/internal/contract"
)

// Held is how many bytes the results of the trials, their records and a summary hold.
func Held(records []contract.Record, entries int32) int64 {
	held := budget.OfRecords(int64(len(records)), int64(entries))
	for _, rec := range records {
		held += rec.ResultBytes
	}
	return held
}
