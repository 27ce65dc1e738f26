package ycsb

import (
	"github.com/assay-bench/assay/internal/ground/contract"
)

// batches proves that INSERTs were batched if, and only if, that was asked for. The
// property alone proves nothing: a blank behind "true" makes it false. A batched INSERT
// answers BATCHED_OK; only the one that fills a batch answers OK, as it sends it.
//
// With batches, the latency of an INSERT is that of putting a row into memory: the work
// is in the ones that send, and in CLEANUP.
func (j judgement) batches() *contract.Failure {
	insert := j.report.of("INSERT", false)
	if insert == nil {
		return nil
	}
	var sent, batched int64
	for _, ret := range insert.returns {
		switch n := ret.n.count(); {
		case n == nil:
		case ret.status == statusOK:
			sent += *n
		case ret.status == statusBatchedOK:
			batched += *n
		}
	}
	if !j.params.BatchUpdateAPI {
		if batched > 0 {
			return failed(contract.ReasonToolFailed,
				"%d INSERTs were batched (Return=%s), although workload.ycsb.batchUpdateAPI is false: look for jdbc.batchupdateapi in workload.ycsb.properties",
				batched, statusBatchedOK)
		}
		return nil
	}
	if j.phase != contract.PhasePrepare {
		return nil
	}
	full := (sent + batched) / int64(j.params.BatchSize) // 0 was refused
	if sent > full {
		return failed(contract.ReasonToolFailed,
			"INSERTs were not batched, although workload.ycsb.batchUpdateAPI is true: %d answered OK, and %d %s; of batches of %d at most %d answer OK: "+
				"look for blanks around the value of jdbc.batchupdateapi, and for a binding that ignores it",
			sent, batched, statusBatchedOK, j.params.BatchSize, full)
	}
	rows, confirmed := j.marks.batched, j.marks.confirmed
	if rows != nil && confirmed != nil && (*rows != sent+batched || *confirmed != *rows) {
		return failed(contract.ReasonToolFailed, "%d rows were inserted, %d of them in batches, of which the driver has confirmed %d: look at the server's log",
			sent+batched, *rows, *confirmed)
	}
	return nil
}
