package experiment

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// maxCellBytes of a plan's cells: they stand in one ConfigMap, compressed.
const maxCellBytes = 4 << 20

// CheckSize refuses a run that leaves too little room for its status: an object of the API has
// 1.5 MiB for all of it.
func CheckSize(run *v1alpha1.BenchmarkRun, limits config.Limits) error {
	size, err := sizeOf(run)
	if err != nil {
		return err
	}
	most := limits.SpecBytes.Value()
	if size.sum() <= most {
		return nil
	}
	return Refuse(v1alpha1.ReasonSpecTooLarge, "spec: %d bytes of spec + %d of labels and annotations are %d, and a run has at most %d (limits.specBytes of the operator): "+
		"use files from a ConfigMap, fewer parameters and settings, or several runs", size.spec, size.metadata, size.sum(), most)
}

// size of a run as JSON, in bytes, without its status.
type size struct{ spec, metadata int64 }

func (s size) sum() int64 { return s.spec + s.metadata }

func sizeOf(run *v1alpha1.BenchmarkRun) (size, error) {
	spec, err := json.Marshal(run.Spec)
	if err != nil {
		return size{}, fmt.Errorf("the size of the spec: %w", err)
	}
	out := size{spec: int64(len(spec))}
	for _, texts := range []map[string]string{run.Labels, run.Annotations} {
		for key, value := range texts {
			out.metadata += int64(len(key) + len(value))
		}
	}
	for _, f := range run.Finalizers {
		out.metadata += int64(len(f))
	}
	const owner = 300
	out.metadata += owner * int64(len(run.OwnerReferences))
	return out, nil
}

// checkText refuses a plan whose cells are more text than the manager checks, or than one ConfigMap
// holds.
func checkText(w Work, p *plan.Plan, limits config.Limits) error {
	cells, each := int64(len(p.Cells)), int64(len(w.Params))
	if most := limits.WorkBytes.Value(); cells*each > most {
		return Refuse(v1alpha1.ReasonSpecTooLarge, "spec.matrix: %d cells x %d bytes of spec.workload.%s are %d, and a run has at most %d (limits.workBytes of the operator): "+
			"use fewer cells, or a smaller workload", cells, each, w.Tool.Name, cells*each, most)
	}
	if n := p.CellBytes(); n > maxCellBytes {
		return tooLong(p, fmt.Sprintf("the values of %d cells are %d bytes, and a plan has at most %d", cells, n, maxCellBytes), func(column []byte) int { return len(column) })
	}
	return nil
}

// PlanParts are the parts of a plan, as they are stored when the run is accepted. It refuses a plan that the ConfigMap of its cells does not
// hold: long values that are unlike each other hardly compress, and JSON writes some characters longer.
func PlanParts(p *plan.Plan) ([][]byte, error) {
	refuse := func(bytes int, form string, most int64, size func([]byte) int) error {
		return tooLong(p, fmt.Sprintf("the plan of %d cells takes %d bytes as %s, and a part of a plan has at most %d", len(p.Cells), bytes, form, most), size)
	}
	parts, err := journal.SplitPlan(p)
	var large *journal.TooLargeError
	switch {
	case errors.As(err, &large):
		return nil, refuse(large.Bytes, "JSON (<, > and & take six each)", int64(large.Most), func(column []byte) int { return len(column) })
	case err != nil:
		return nil, fmt.Errorf("the plan: %w", err)
	}
	for _, data := range parts {
		if int64(len(data)) > budget.MostData {
			return nil, refuse(len(data), "compressed JSON", budget.MostData, func(column []byte) int { return len(contract.Compress(column, gzip.DefaultCompression)) })
		}
	}
	return parts, nil
}

// tooLong is the refusal of a plan because of its values. It names the axis whose values, as JSON, have the largest size.
func tooLong(p *plan.Plan, what string, size func([]byte) int) error {
	longest, most := "", 0
	for _, axis := range p.Axes {
		var column []intstr.IntOrString
		for _, cell := range p.Cells {
			column = append(column, cell[axis])
		}
		data, err := json.Marshal(column)
		if err != nil {
			return fmt.Errorf("the values of axis %s: %w", axis, err)
		}
		if n := size(data); n > most {
			longest, most = axis, n
		}
	}
	return Refuse(v1alpha1.ReasonSpecTooLarge, "spec.matrix: %s. The values of %s are about %d of them: use shorter ones there, or fewer cells", what, longest, most)
}

// planBytes are those that a plan takes in etcd, where it is written when the run is accepted.
func planBytes(p *plan.Plan) (int64, error) {
	parts, err := PlanParts(p)
	var bytes int64
	for _, data := range parts {
		bytes += budget.OfResult(int64(len(data)))
	}
	return bytes, err
}

// Budget of etcd that the results of a plan take, of which fixed bytes are written at once. Shows is what Foresee said of the
// plan.
func (w Work) Budget(p *plan.Plan, shows *v1alpha1.PlannedAnalysis, fixed int64, cfg config.Config) (budget.Budget, error) {
	limits, demand := cfg.Results.Budget, w.demandOfBytes(p, cfg.Limits)
	demand.Fixed = fixed
	if shows != nil && shows.ComparisonCount <= cfg.Limits.Comparisons { // of more, nothing is compared
		demand.Entries += int64(shows.ComparisonCount)
	}
	b, err := budget.Of(demand, budget.Limits{Run: limits.Run.Value(), LeastResult: limits.LeastResult.Value()})
	var small *budget.TooSmallError
	if errors.As(err, &small) {
		return b, Refuse(v1alpha1.ReasonResultBudgetExceeded,
			"spec.design, spec.matrix: %v: measure less, or let the administrator raise results.budget.run", err)
	}
	return b, err
}

// demandOfBytes is how many objects the run makes.
func (w Work) demandOfBytes(p *plan.Plan, limits config.Limits) budget.Demand {
	d := budget.Demand{
		Trials: int64(len(p.Trials)), Attempts: 1, Clients: int64(w.spec.MeasuringClients() + w.spec.BackgroundClients()),
		Entries: int64(len(p.Cells)) * int64(len(p.Targets)),
		Values:  int64(journal.MostValues(limits.ResultMemory.Value(), len(p.Trials))),
	}
	// Each value of each combination is compared with that of another one.
	d.Comparisons = min((d.Entries-1)*d.Values, int64(limits.Comparisons))
	if w.Search != nil {
		d.Entries += d.Entries * int64(w.spec.Design.Blocks)
	}
	for _, axis := range p.Axes { // a sweep is as large as a comparison
		if slices.Contains(w.Tool.Design.Loads, axis) {
			d.Comparisons += d.Entries / analysis.MinLoads
		}
	}
	for _, cell := range p.Cells {
		bytes := int64(0)
		for name, value := range cell {
			bytes += int64(len(name) + len(value.StrVal) + 16)
		}
		d.Cell = max(d.Cell, bytes)
	}
	if w.spec.Design.OnTrialFailure == v1alpha1.OnFailureRetry {
		d.Attempts += int64(w.spec.Design.MaxRetries)
	}
	for _, t := range w.spec.Targets {
		switch {
		case t.Published != nil:
			continue
		case t.External != nil:
			d.Loads += int64(w.spec.TenantCount()) // the clean-up
		}
		d.Loads++
		d.Loads += int64(LoadersOf(w)) - 1
	}
	return d
}
