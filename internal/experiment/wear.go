package experiment

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/experiment/wear"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/trial/validity"
	"github.com/assay-bench/assay/runners/runner"
)

// Checks of what a plan does to its data.
const (
	checkRunsDry  = "data-runs-dry"
	checkOutgrows = "data-outgrows-memory"
)

// addWear adds what a cell does to the data; nothing where the tool does not say.
func addWear(w Work, c *checks, i int, cell plan.Cell, trial contract.Trial) error {
	if c.unknown {
		return nil
	}
	trial.WarmupSeconds = int64(w.spec.Design.Warmup.Seconds())
	one, known, err := w.Tool.Wear(trial)
	if !known {
		c.unknown = true
		return nil
	}
	if err != nil {
		return Refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix: cell %d (%v): %v", i, cell, err)
	}
	c.wear.Cells = append(c.wear.Cells, one.Of(int64(working(w, cell)*w.spec.TenantCount())))
	c.wear.Rows = total(c.loaded) * int64(w.spec.TenantCount())
	return nil
}

// wears says whether the tool tells what the cells do to the data, and one changes rows for good.
func (c checks) wears() bool {
	changes := slices.ContainsFunc(c.wear.Cells, func(w runner.Wear) bool { return w.Deletes > 0 || w.Inserts > 0 })
	return !c.unknown && changes && c.wear.Rows > 0
}

// checkWear refuses a plan that no reset of the data could save: a cell whose deletes mostly find
// no row though the data was just loaded.
func checkWear(w Work, c checks) error {
	if !c.wears() {
		return nil
	}
	data, p := c.wear, c.wear.Plan
	cell, missed := data.Hopeless()
	if cell < 0 {
		return nil
	}
	worst := data.Cells[cell]
	return Refuse(v1alpha1.ReasonInvalidSpec,
		"spec.workload.%s: cell %d (%v) deletes %d times in a window, and %d rows are loaded: at least %s of the deletes would find no row, "+
			"however often the data is put back: %s",
		w.Tool.Name, cell, p.Cells[cell], worst.Deletes**worst.Window, data.Rows, figure.Share(missed), worst.Remedy)
}

// forecast is what a plan will do to its data.
type forecast struct {
	work Work
	plan *plan.Plan
	data wear.Data
}

// WearFindings say what a complete plan will do to its data, before anything is started; none for a plan that was written
// down before.
func (w Work) WearFindings(of Planned, resolved v1alpha1.Resolved) []v1alpha1.Finding {
	c := of.checks
	if !c.wears() {
		return nil
	}
	data, p := c.wear, c.wear.Plan
	f := forecast{w, p, data}
	var out []v1alpha1.Finding
	dry := data.Dries()
	if dry.Trials > 0 {
		out = append(out, v1alpha1.Finding{Check: checkRunsDry, Severity: string(validity.Warning), Message: f.runsDry(dry)})
	}
	if dry.Unknown >= 0 {
		out = append(out, f.mayRunDry(dry))
	}
	for i, name := range p.Targets {
		memory, what := f.memoryOf(name, resolved)
		if memory == 0 {
			continue
		}
		trial, bytes := data.Outgrows(int32(i), memory)
		if trial < 0 {
			continue
		}
		out = append(out, v1alpha1.Finding{Target: name, Check: checkOutgrows, Severity: string(validity.Warning), Message: fmt.Sprintf(
			"with trial %d (%s) the tables take about %d MiB, more than %s (%d MiB); before, they fit: later trials measure the storage, "+
				"earlier ones the memory: %s%s",
			trial, f.describe(trial), bytes>>20, what, memory>>20, f.resetAdvice(), f.wearOf(trial).Remedy)})
	}
	return out
}

func (f forecast) describe(trial int) string { return f.plan.Describe(f.plan.Trials[trial]) }

func (f forecast) wearOf(trial int) runner.Wear { return f.data.Cells[f.plan.Trials[trial].Cell] }

// runsDry says what is known to happen to rows that are deleted.
func (f forecast) runsDry(dry wear.Dry) string {
	text := fmt.Sprintf("trial %d (%s): at least %s of the deletes of its window find no row", dry.First, f.describe(dry.First), figure.Share(dry.FirstMissed))
	if dry.Worst != dry.First {
		text += fmt.Sprintf(", and %s in trial %d", figure.Share(dry.WorstMissed), dry.Worst)
	}
	return fmt.Sprintf("%s (%d of %d trials have more than %s): %d rows are loaded, and up to %d deletes follow one load: %s%s",
		text, dry.Trials, len(f.plan.Trials), figure.Share(wear.MaxMissed), f.data.Rows, dry.Asked, f.resetAdvice(), f.wearOf(dry.First).Remedy)
}

// mayRunDry says what is not known: a trial that deletes for a time may end long after its
// last row has gone.
func (f forecast) mayRunDry(dry wear.Dry) v1alpha1.Finding {
	w := f.wearOf(dry.Unknown)
	out := v1alpha1.Finding{Check: checkRunsDry, Severity: string(validity.Note), Message: fmt.Sprintf(
		"trial %d (%s) deletes for as long as its window lasts, so that it is not known before the trial whether the %d rows last", dry.Unknown, f.describe(dry.Unknown), f.data.Rows)}
	if w.HotRows > 0 {
		out.Severity = string(validity.Warning)
		out.Message += fmt.Sprintf("; %s of its deletes go to %s of the rows, which are soon gone", figure.Share(w.HotKeys), figure.Share(w.HotRows))
	}
	if dry.Repeated {
		out.Severity = string(validity.Warning)
		out.Message += "; and others follow on what it leaves"
	}
	out.Message += ": " + f.resetAdvice() + w.Remedy
	return out
}

// resetAdvice is empty where the data is put back before each trial anyway, and where it may not be.
func (f forecast) resetAdvice() string {
	if f.work.spec.Design.DataReset == v1alpha1.ResetPerTrial || slices.ContainsFunc(f.work.spec.Targets, v1alpha1.Target.HasData) {
		return ""
	}
	return "set design.dataReset: PerTrial, "
}

// memoryOf a target that holds its data, in bytes, and what it is; 0 where that is not known.
func (f forecast) memoryOf(name string, resolved v1alpha1.Resolved) (bytes int64, what string) {
	i := slices.IndexFunc(f.work.spec.Targets, func(t v1alpha1.Target) bool { return t.Name == name && t.MySQL != nil })
	j := slices.IndexFunc(resolved.Targets, func(t v1alpha1.ResolvedTarget) bool { return t.Name == name && t.Shape != nil })
	if i < 0 || j < 0 {
		return 0, ""
	}
	cache := cacheSetting(*f.work.spec.Targets[i].MySQL)
	for _, set := range resolved.Targets[j].Settings {
		if n, ok := settings.Integer(set.Value); ok && n > 0 && cache != "" && sameOption(set.Name, cache) {
			return n, cache
		}
	}
	return resolved.Targets[j].Shape.Memory.Value(), "the memory of its shape"
}

// cacheSetting is the setting with the size of the cache that holds the pages of a server; empty where none is known.
func cacheSetting(m v1alpha1.MySQLTarget) string {
	e, known := engines.Find(m.Flavor)
	if !known {
		return ""
	}
	storage, _ := engines.Identity{Version: m.Version, Facts: e.Facts}.Storage(cmp.Or(m.StorageEngine, e.StorageEngines[0]))
	return storage.CacheSize
}
