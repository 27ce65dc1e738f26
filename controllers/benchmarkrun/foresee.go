package benchmarkrun

import (
	"fmt"
	"math"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/plan"
	"github.com/assay-bench/assay/internal/validity"
	"github.com/assay-bench/assay/internal/wear"

	"github.com/assay-bench/assay/internal/settings"
)

// Checks of what a plan does to its data.
const (
	checkRunsDry  = "data-runs-dry"
	checkOutgrows = "data-outgrows-memory"
)

// wears of the cells of a plan; ok is false where the tool does not say, or changes no row
// for good.
func (s *scope) wears(p *plan.Plan) (data wear.Data, ok bool, err error) {
	if s.runner.Wears == nil || s.runner.Rows == nil {
		return data, false, nil
	}
	data = wear.Data{Plan: p, Clients: int64(max(s.run.Spec.Clients.Count, 1))}
	for i, cell := range p.Cells {
		trial, err := s.sketch(cell)
		if err != nil {
			return data, false, err
		}
		trial.WarmupSeconds = int64(s.run.Spec.Design.Warmup.Seconds())
		w, err := s.runner.Wears(trial)
		if err != nil {
			return data, false, refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix: cell %d (%v): %v", i, cell, err)
		}
		data.Cells = append(data.Cells, w)
		ok = ok || w.Deletes > 0 || w.Inserts > 0
		trial.Workload = s.workload
		rows, err := s.runner.Rows(trial)
		if err != nil {
			return data, false, refuse(v1alpha1.ReasonInvalidSpec, "spec.workload: it is what is loaded, whatever spec.matrix says: %v", err)
		}
		data.Rows = total(rows)
	}
	return data, ok && data.Rows > 0, nil
}

// bears refuses a plan that no reset of the data could save: a cell whose deletes mostly find
// no row though the data was just loaded.
func (s *scope) bears(p *plan.Plan) error {
	data, ok, err := s.wears(p)
	if err != nil || !ok {
		return err
	}
	cell, missed := data.Hopeless()
	if cell < 0 {
		return nil
	}
	w := data.Cells[cell]
	return refuse(v1alpha1.ReasonInvalidSpec,
		"spec.workload.%s: cell %d (%v) deletes %d times in a window, and %d rows are loaded: at least %s of the deletes would find no row, "+
			"however often the data is put back: %s",
		s.runner.Name, cell, p.Cells[cell], w.Deletes**w.Window*data.Clients, data.Rows, percent(missed), w.Remedy)
}

// foresee puts into the status, once and before anything is started, what the plan will do to
// its data.
func (s *scope) foresee(resolved v1alpha1.Resolved) error {
	data, ok, err := s.wears(s.plan)
	if err != nil || !ok {
		return err
	}
	dry := data.Dries()
	if dry.Trials > 0 {
		s.find(v1alpha1.Finding{Check: checkRunsDry, Severity: string(validity.Warning), Message: s.runsDry(data, dry)})
	}
	if dry.Unknown >= 0 {
		s.find(s.mayRunDry(data, dry))
	}
	for i, name := range s.plan.Targets {
		memory, what := s.memoryOf(name, resolved)
		if memory == 0 {
			continue
		}
		trial, bytes := data.Outgrows(int32(i), memory)
		if trial < 0 {
			continue
		}
		s.find(v1alpha1.Finding{Target: name, Check: checkOutgrows, Severity: string(validity.Warning), Message: fmt.Sprintf(
			"with trial %d (%s) the tables take about %d MiB, more than %s (%d MiB); before, they fit: later trials measure the storage, "+
				"earlier ones the memory: %s%s",
			trial, s.describe(int32(trial)), bytes>>20, what, memory>>20, s.resetAdvice(), data.Cells[s.plan.Trials[trial].Cell].Remedy)})
	}
	return nil
}

// runsDry says what is known to happen to rows that are deleted.
func (s *scope) runsDry(data wear.Data, dry wear.Dry) string {
	text := fmt.Sprintf("trial %d (%s): at least %s of the deletes of its window find no row", dry.First, s.describe(int32(dry.First)), percent(dry.FirstMissed))
	if dry.Worst != dry.First {
		text += fmt.Sprintf(", and %s in trial %d", percent(dry.WorstMissed), dry.Worst)
	}
	return fmt.Sprintf("%s (%d of %d trials have more than %s): %d rows are loaded, and up to %d deletes follow one load: %s%s",
		text, dry.Trials, len(s.plan.Trials), percent(wear.MaxMissed), data.Rows, dry.Asked, s.resetAdvice(), data.Cells[s.plan.Trials[dry.First].Cell].Remedy)
}

// mayRunDry says what is not known: a trial that deletes for a time may end long after its
// last row has gone.
func (s *scope) mayRunDry(data wear.Data, dry wear.Dry) v1alpha1.Finding {
	w := data.Cells[s.plan.Trials[dry.Unknown].Cell]
	f := v1alpha1.Finding{Check: checkRunsDry, Severity: string(validity.Note), Message: fmt.Sprintf(
		"trial %d (%s) deletes for as long as its window lasts, so that nobody knows before whether the %d rows last", dry.Unknown, s.describe(int32(dry.Unknown)), data.Rows)}
	if w.HotRows > 0 {
		f.Severity = string(validity.Warning)
		f.Message += fmt.Sprintf("; %s of its deletes go to %s of the rows, which are soon gone", percent(w.HotKeys), percent(w.HotRows))
	}
	if dry.Repeated {
		f.Severity = string(validity.Warning)
		f.Message += "; and others follow on what it leaves"
	}
	f.Message += ": " + s.resetAdvice() + w.Remedy
	return f
}

// resetAdvice is empty where the data is put back before each trial anyway.
func (s *scope) resetAdvice() string {
	if s.run.Spec.Design.DataReset == v1alpha1.ResetPerTrial {
		return ""
	}
	return "set design.dataReset: PerTrial, "
}

// memoryOf a target that holds its data, in bytes, and what it is; 0 where that is not known.
func (s *scope) memoryOf(name string, resolved v1alpha1.Resolved) (bytes int64, what string) {
	m := s.target(name).MySQL
	for _, t := range resolved.Targets {
		if t.Name != name || t.Shape == nil || m == nil {
			continue
		}
		for _, set := range t.Settings {
			if n, ok := settings.Integer(set.Value); ok && n > 0 && sameOption(set.Name, "innodb_buffer_pool_size") && (m.StorageEngine == "" || m.StorageEngine == "InnoDB") {
				return n, "innodb_buffer_pool_size"
			}
		}
		return t.Shape.Memory.Value(), "the memory of its shape"
	}
	return 0, ""
}

// percent with two digits.
func percent(share float64) string {
	if share < 0.0995 {
		return decimal(math.Round(1000*share)/10) + " %"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}
