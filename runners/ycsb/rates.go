package ycsb

import "github.com/assay-bench/assay/internal/result"

// withRates adds to the measurements of a run the rate that was offered, of an open loop, and
// that of errors, which is there also when nothing happened: a summary over trials would
// else leave out those without errors. YCSB tells when an operation failed of the whole process
// alone: with a warm-up in it, the rate of errors is that of both.
func (r *reading) withRates(p Params, ms []result.Measurement) []result.Measurement {
	if p.Target > 0 {
		ms = append(ms, result.Measurement{Name: result.NameOffered, Unit: unitOperations, Value: new(float64(p.Target))})
	}
	milliseconds := r.report.runTime.valueOrNil()
	if milliseconds == nil || *milliseconds <= 0 || r.report.endedWell() == nil {
		return ms // the report is not whole
	}
	var n int64
	for _, e := range r.report.errorCounts() {
		n += e.Count
	}
	return append(ms, result.Measurement{
		Name: result.NameErrorRate, Unit: unitErrors, Direction: result.LowerIsBetter, N: &n, Value: new(float64(n) / (*milliseconds / 1000)),
	})
}
