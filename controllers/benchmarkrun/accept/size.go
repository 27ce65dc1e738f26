package accept

import (
	"encoding/json"
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/plan"
)

// maxCellBytes of a plan's cells: they stand in one ConfigMap, compressed.
const maxCellBytes = 4 << 20

// Planning is the state of a run whose plan is made, over several passes.
func Planning(cells int) decision.Waiting {
	return decision.WaitFor(v1alpha1.ReasonProgressing, "planning: checking the workload of %d cells", cells)
}

// checkSize refuses a run that leaves too little room for its status: an object of the API has
// 1.5 MiB for all of it.
func (in Input) checkSize() error {
	size, err := sizeOf(in.Run)
	if err != nil {
		return err
	}
	most := in.Catalogue.Config.Limits.SpecBytes.Value()
	if size.sum() <= most {
		return nil
	}
	return refuse(v1alpha1.ReasonSpecTooLarge, "spec: %d bytes of spec + %d of labels and annotations are %d, and a run has at most %d (limits.specBytes of the operator): "+
		"use files from a ConfigMap, fewer parameters and settings, or several runs", size.spec, size.metadata, size.sum(), most)
}

// maxResolved is the JSON of what the references of a spec mean, in bytes: it stands in the status
// beside the spec.
const maxResolved = 512 << 10

// checkResolved refuses a run whose references mean more than its status can pin.
func checkResolved(r v1alpha1.Resolved) error {
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("the size of status.resolved: %w", err)
	}
	if len(data) > maxResolved {
		return refuse(v1alpha1.ReasonSpecTooLarge, "spec.targets: the shapes and settings of all targets are %d bytes, and a run has at most %d: "+
			"use fewer settings, fewer targets, or shapes with fewer annotations", len(data), maxResolved)
	}
	return nil
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

// checkWork refuses a plan whose cells are more text than the manager checks, or than one ConfigMap
// holds. One that was written down is left alone.
func (in Input) checkWork(w Work, p *plan.Plan) error {
	if in.Run.Status.Plan != nil {
		return nil
	}
	cells, each := int64(len(p.Cells)), int64(len(w.Params))
	if most := in.Catalogue.Config.Limits.WorkBytes.Value(); cells*each > most {
		return refuse(v1alpha1.ReasonSpecTooLarge, "spec.matrix: %d cells x %d bytes of spec.workload.%s are %d, and a run has at most %d (limits.workBytes of the operator): "+
			"use fewer cells, or a smaller workload", cells, each, w.Tool.Name, cells*each, most)
	}
	if n := p.CellBytes(); n > maxCellBytes {
		return refuse(v1alpha1.ReasonSpecTooLarge, "spec.matrix: the values of %d cells are %d bytes, and a plan has at most %d: use shorter values, or fewer cells",
			cells, n, maxCellBytes)
	}
	return nil
}
