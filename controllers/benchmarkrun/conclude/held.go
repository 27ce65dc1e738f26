package conclude

import "github.com/assay-bench/assay/internal/ground/contract"

// Held is how many bytes the results of the trials hold.
func Held(records []contract.Record) (held int64) {
	for _, rec := range records {
		held += rec.ResultBytes
	}
	return held
}
