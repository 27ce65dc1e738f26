package benchmarkrun

import (
	"maps"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/plan"

	"github.com/assay-bench/assay/internal/contract"
)

// checkData refuses a cell that needs other tables than Prepare makes, such as
// bulk_insert beside tests of sysbench that share theirs: a run loads one data set,
// that of spec.workload. Where the tool knows nothing of its tables, nothing is checked.
func (s *scope) checkData(index int, cell plan.Cell, trial contract.Trial) error {
	if s.runner.Rows == nil || len(cell) == 0 {
		return nil
	}
	needed, err := s.runner.Rows(trial)
	if err != nil {
		return refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix: cell %d (%v): %v", index, cell, err)
	}
	trial.Workload = s.workload
	loaded, err := s.runner.Rows(trial)
	if err != nil {
		return refuse(v1alpha1.ReasonInvalidSpec, "spec.workload: it is what is loaded, whatever spec.matrix says: %v", err)
	}
	if len(needed) > 0 && len(loaded) > 0 && !maps.Equal(needed, loaded) {
		return refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix: cell %d (%v) needs other tables than spec.workload loads "+
			"(%d tables with %d rows against %d with %d), and a run loads one data set: make one run for each",
			index, cell, len(needed), total(needed), len(loaded), total(loaded))
	}
	return nil
}

func total(rows map[string]int64) int64 {
	var sum int64
	for _, n := range rows {
		sum += n
	}
	return sum
}
