package follow

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// afterProbe says which trial follows in a run that searches, and at which rate.
func (in Input) afterProbe() Result {
	records, state := in.Block()
	if !decision.IsDone(state) {
		return Result{State: state}
	}
	next, err := in.Search.After(in.Layout.Plan, append(records[:len(records):len(records)], in.Record))
	if err != nil {
		// The records are chained by hash: this is no accident.
		return Result{State: decision.FailWith(v1alpha1.ReasonJournalLost, "the records of this run are not those of its search: %v", err)}
	}
	return Result{State: decision.Done{}, Decision: &contract.Decision{Stop: next.Stop, Next: next.Next, Rate: next.Rate, Why: next.Why}}
}
