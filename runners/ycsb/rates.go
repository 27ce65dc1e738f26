package ycsb

import "github.com/assay-bench/assay/internal/ground/contract"

// withRates adds to the measurements of a run the rate that was offered, of an open loop, and
// that of errors, which is there also when nothing happened: a summary over trials would
// else leave out those without errors. YCSB tells when an operation failed of the whole process
// alone: with a warm-up in it, the rate of errors is that of both.
func (r *reading) withRates(p Params, ms []contract.Measurement) []contract.Measurement {
	if p.Target > 0 {
		ms = append(ms, contract.Measurement{Name: contract.NameOffered, Unit: unitOperations, Value: new(float64(p.Target))})
	}
	milliseconds := r.report.runTime.value(0)
	if milliseconds == nil || *milliseconds <= 0 || r.report.endedWell() == nil {
		return ms // the report is not whole
	}
	var n int64
	for _, e := range r.report.errorCounts() {
		n += e.Count
	}
	return append(ms, contract.Measurement{
		Name: contract.NameErrorRate, Unit: unitErrors, Direction: contract.LowerIsBetter, N: &n, Value: new(float64(n) / (*milliseconds / 1000)),
	})
}
