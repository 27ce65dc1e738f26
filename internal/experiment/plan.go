package experiment

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/runner"
)

// Varies is what the plan is made of: the spec with the axis that the tool adds to its matrix, and the fields of the workload
// that decide its data.
func (w Work) Varies() (spec v1alpha1.BenchmarkRunSpec, fixed []string, err error) {
	spec = w.spec
	added, err := w.Tool.Axis(w.Params)
	if err != nil {
		return spec, nil, err
	}
	if len(added.Values) > 0 && !slices.ContainsFunc(spec.Matrix, func(a v1alpha1.Axis) bool { return a.Name == added.Field }) {
		axis := v1alpha1.Axis{Name: added.Field}
		for _, v := range added.Values {
			axis.Values = append(axis.Values, intstr.FromString(v))
		}
		spec.Matrix = append(slices.Clone(spec.Matrix), axis)
	}
	if fixed, err = w.Tool.DataFields(w.Params); err != nil {
		return spec, nil, Refuse(v1alpha1.ReasonInvalidSpec, "spec.%v", err)
	}
	return spec, fixed, nil
}

// PlanOf what a run varies (Work.Varies), within limits.
func PlanOf(spec v1alpha1.BenchmarkRunSpec, fixed []string, limits plan.Limits) (*plan.Plan, error) {
	p, err := plan.New(spec, fixed, limits)
	var many *plan.TooManyError
	if errors.As(err, &many) {
		err = Refuse(v1alpha1.ReasonTooManyTrials, "%v", err)
	}
	return p, err
}

// LimitsOf a plan that is not written down yet, by the configuration of the operator.
func LimitsOf(l config.Limits) plan.Limits {
	return plan.Limits{Cells: int64(l.Cells), Trials: int64(l.Trials)}
}

// maxIntervals of a time series in one result.
const maxIntervals = 10000

// checkCell refuses a cell that cannot be carried out.
func checkCell(w Work, p *Planned, i int, trial contract.Trial, length runner.Length) error {
	cell := p.Plan.Cells[i]
	expected, err := w.Tool.Expectations(trial)
	if err != nil {
		return Refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix: cell %d (%v): %v", i, cell, err)
	}
	if err := checkDelay(w, trial); err != nil {
		return Refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix: cell %d (%v): %v", i, cell, err)
	}
	if err := checkObjectives(w, i, cell, trial.Workload); err != nil {
		return err
	}
	if err := checkExisting(w, i, cell, trial); err != nil {
		return err
	}
	if err := checkLoad(w, p, i, trial); err != nil {
		return err
	}
	if !p.checks.asked {
		if p.checks.loaded, err = rowsLoaded(w, trial); err != nil {
			return err
		}
		p.checks.asked = true
	}
	if err := checkData(w, i, cell, trial, p.checks.loaded); err != nil {
		return err
	}
	least := time.Duration(0)
	if expected.DurationSeconds > 0 || w.Tool.MeasuresOften() {
		least = length.Least
	}
	p.checks.least = append(p.checks.least, least)
	if err := checkIntervals(w, expected); err != nil {
		return Refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix: cell %d (%v): %v", i, cell, err)
	}
	return addWear(w, &p.checks, i, cell, trial)
}

// checkPlan refuses a plan that cannot be carried out, after all of its cells.
func checkPlan(w Work, p Planned) error {
	if err := checkWear(w, p.checks); err != nil {
		return err
	}
	all, d := p.Plan.Duration(p.checks.least, w.spec.Design.Cooldown.Duration), w.spec.Design
	switch {
	case d.Within != nil:
		return checkWithin(w, p, all)
	case all > w.spec.Deadline.Duration && d.Precision != "":
		return Refuse(v1alpha1.ReasonInvalidSpec, "spec.deadline: %s is shorter than the %d blocks that the run may need, which take at least %s, and a run past its "+
			"deadline has failed: end it in time with design.within, lower design.blocks, or raise deadline", w.spec.Deadline.Duration, d.Blocks, all.Round(time.Second))
	case all > w.spec.Deadline.Duration:
		return Refuse(v1alpha1.ReasonInvalidSpec,
			"spec.deadline: %s is shorter than the plan: %d trials of at least %s each take %s: raise deadline, or measure less",
			w.spec.Deadline.Duration, len(p.Plan.Trials), slices.Min(p.checks.least), all.Round(time.Second))
	}
	return nil
}

// checkWithin refuses a time that the deadline ends before, or that has no room for the least number of blocks with a verdict.
// All is the time of the whole plan.
func checkWithin(w Work, p Planned, all time.Duration) error {
	within := w.spec.Design.Within.Duration
	if within > w.spec.Deadline.Duration {
		return Refuse(v1alpha1.ReasonInvalidSpec, "spec.design.within: %s is longer than spec.deadline, %s, after which the run has failed: raise deadline, or lower within",
			within, w.spec.Deadline.Duration)
	}
	least := time.Duration(float64(all) * float64(stats.MinBlocks) / float64(max(p.Plan.Blocks(), stats.MinBlocks)))
	if least > within {
		return Refuse(v1alpha1.ReasonInvalidSpec, "spec.design.within: %s has no room for the %d blocks without which nothing has a verdict: they take at least %s: "+
			"raise within, shorten design.duration or warmup, or measure fewer cells", within, stats.MinBlocks, least.Round(time.Second))
	}
	return nil
}

// checkData refuses a cell that needs other tables than Prepare makes, such as
// bulk_insert beside tests of sysbench that share theirs: a run loads one data set,
// that of spec.workload. Where the tool knows nothing of its tables, nothing is checked.
func checkData(w Work, index int, cell plan.Cell, trial contract.Trial, loaded map[string]int64) error {
	if len(cell) == 0 {
		return nil
	}
	other, err := otherTables(w, trial, loaded)
	if err != nil {
		return Refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix: cell %d (%v): %v", index, cell, err)
	}
	if other != "" {
		return Refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix: cell %d (%v) %s, and a run loads one data set: make one run for each", index, cell, other)
	}
	return nil
}

// otherTables says that a trial needs other tables than those that Prepare makes; empty where it does not, or nothing is known of them.
func otherTables(w Work, trial contract.Trial, loaded map[string]int64) (string, error) {
	needed, err := w.Tool.Rows(trial)
	if err != nil || len(needed) == 0 || len(loaded) == 0 || maps.Equal(needed, loaded) {
		return "", err
	}
	return fmt.Sprintf("needs other tables than spec.workload loads (%d tables with %d rows against %d with %d)", len(needed), total(needed), len(loaded), total(loaded)), nil
}

// checkIntervals refuses a time series that is longer than a result holds.
func checkIntervals(w Work, expected runner.Expectations) error {
	if every := int64(expected.ReportIntervalSeconds); every > 0 && int64(w.spec.Design.Duration.Seconds()) > maxIntervals*every {
		return fmt.Errorf("at most %d intervals fit into a result: make them longer, or shorten design.duration", maxIntervals)
	}
	return nil
}

// rowsLoaded are the rows of each table that Prepare makes.
func rowsLoaded(w Work, trial contract.Trial) (map[string]int64, error) {
	trial.Workload = w.Params
	rows, err := w.Tool.Rows(trial)
	if err != nil {
		return nil, Refuse(v1alpha1.ReasonInvalidSpec, "spec.workload: it is what is loaded, whatever spec.matrix says: %v", err)
	}
	return rows, nil
}

func total(rows map[string]int64) int64 {
	var sum int64
	for _, n := range rows {
		sum += n
	}
	return sum
}
