package benchmarkrun

import (
	"fmt"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/contract"

	"github.com/assay-bench/assay/internal/merge"
)

// maxLoad is how many figures of a load stand in the status.
const maxLoad = 40

// loadFigures are what loading a target took: its time, the rows, their rate, and the
// figures that the tool itself gave, in the order of the summary. None where the tool had
// nothing to load.
func (s *scope) loadFigures(e execution, results []contract.Result) ([]v1alpha1.Value, error) {
	took, known := loadTime(results)
	if !known {
		return nil, nil
	}
	figure := func(name, unit string, better contract.Direction, v float64) v1alpha1.Value {
		return v1alpha1.Value{Name: name, Value: decimal(v), Unit: unit, Direction: string(better)}
	}
	out := []v1alpha1.Value{figure(contract.NameLoadTime, "s", contract.LowerIsBetter, took.Seconds())}
	rows, known, err := s.rowsLoaded(e, results)
	if err != nil {
		return nil, err
	}
	if known {
		out = append(out, figure(contract.NameRowsLoaded, "1", "", float64(rows)),
			figure(contract.NameRowRate, "rows/s", contract.HigherIsBetter, float64(rows)/took.Seconds()))
	}
	merged, _, err := merge.Results(results)
	if err != nil {
		return nil, fmt.Errorf("merging the results of %s: %w", e.name, err)
	}
	out = append(out, valueStatusOf(values(s.runner.Summary, merged))...)
	return out[:min(len(out), maxLoad)], nil
}

// loadTime is from the start of the first tool to the end of the last one, by the clocks of
// the clients. A client without a share of the load started none.
func loadTime(results []contract.Result) (time.Duration, bool) {
	var from, to time.Time
	for _, res := range results {
		began, ended := res.Times.MeasureStarted, res.Times.MeasureEnded
		if began == nil || ended == nil {
			continue
		}
		if from.IsZero() || began.Before(from) {
			from = *began
		}
		if ended.After(to) {
			to = *ended
		}
	}
	return to.Sub(from), to.After(from)
}

// rowsLoaded are the rows of the tables that the tool says that it makes. Of a tool that
// does not say, all tables of a server that Assay began with are its own; those of an
// external server may be anybody's, so that nothing is known.
func (s *scope) rowsLoaded(e execution, results []contract.Result) (rows int64, known bool, err error) {
	if results[0].Data == nil {
		return 0, false, nil
	}
	var own map[string]int64
	if s.runner.Rows != nil {
		if own, err = s.runner.Rows(s.trialOf(e, s.now)); err != nil {
			return 0, false, fmt.Errorf("the rows of %s: %w", e.name, err)
		}
	}
	if len(own) == 0 && s.target(e.ref.Target).External != nil {
		return 0, false, nil
	}
	for _, table := range results[0].Data.Tables {
		if _, is := own[table.Name]; is || len(own) == 0 {
			rows += table.Rows
		}
	}
	return rows, len(results[0].Data.Tables) > 0, nil
}
