package experiment

import (
	"maps"
	"slices"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment/wear"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	// cellsPerPass and bytesPerPass bound the work of one pass: about 50 ms. What is left follows in
	// the next ones, each of which finds a run that was deleted.
	cellsPerPass = 256
	bytesPerPass = 1 << 20
)

// Planned is what follows from the spec alone, and is kept from pass to pass: it is
// costly to make. Each pass adds some cells of the plan, until it is Complete.
type Planned struct {
	// Plan of the trials; nil while there is none.
	Plan *plan.Plan
	// Demand of its trials.
	Demand Demand
	// Lengths of the measurements of a trial, by the cell.
	Lengths []runner.Length
	// Chain is the digest of the last part of the plan as it is stored; empty until it is known.
	Chain string
	// Images that the cells need, by their names in the catalogue, each once.
	Images []string
	// OwnImage is the user's own image in their place; empty for none.
	OwnImage string

	// Bytes that the plan takes in etcd; 0 of one that is written down.
	Bytes int64

	// checks of a plan that is not written down yet.
	checks checks
	// complete: every cell was expanded, and the plan can be carried out.
	complete bool
}

// checks are what the cells say about whether a plan can be carried out.
type checks struct {
	// wanted: the plan has to be one that can be carried out.
	wanted bool
	// least time of a trial of each cell; 0 for a tool that counts operations.
	least []time.Duration
	// wear of the data by each cell; unknown where the tool does not say.
	wear    wear.Data
	unknown bool
	// loaded are the rows of the tables that Prepare makes, once they were asked for.
	loaded map[string]int64
	asked  bool
	// loads are the cells by the digest of how they load, where loads are measured.
	loads map[string]int
}

// Begin the expansion of a plan that is not written down yet, and has to be one that can be carried out.
func (w Work) Begin(p *plan.Plan, limits config.Limits) (Planned, error) {
	if err := checkSettings(w); err != nil {
		return Planned{}, err
	}
	return Planned{Plan: p, checks: checks{wanted: true}}, checkText(w, p, limits)
}

// Complete says that all cells were expanded.
func (p Planned) Complete() bool { return p.complete }

// Memory is about how many bytes it takes.
func (p Planned) Memory() int {
	const base, length, least, worn, load = 1 << 10, 64, 8, 128, 128
	if p.Plan == nil {
		return base
	}
	return base + p.Plan.Memory() + length*cap(p.Lengths) + least*cap(p.checks.least) + worn*cap(p.checks.wear.Cells) + load*len(p.checks.loads)
}

// PerPass is the number of cells that are expanded in a pass.
func (w Work) PerPass() int { return min(cellsPerPass, max(bytesPerPass/max(len(w.Params), 1), 1)) }

// Expand asks the tool about the next cells of a plan. A plan that is not written down
// yet has to be one that can be carried out, and stored. The argument is left alone.
func (w Work) Expand(p Planned) (Planned, error) {
	cells := len(p.Plan.Cells)
	most := w.PerPass()
	if len(p.Lengths) == 0 {
		p.Lengths = make([]runner.Length, 0, cells)
		p.Demand.clients, p.Demand.tenants = int64(w.spec.MeasuringClients()), int64(w.spec.TenantCount())
		p.checks.wear = wear.Data{Plan: p.Plan}
	}
	p.Images = slices.Clip(p.Images)
	loads := make(map[string]int, len(p.checks.loads)) // of this copy of the plan
	maps.Copy(loads, p.checks.loads)
	p.checks.loads = loads
	for i := len(p.Lengths); i < cells && most > 0; i, most = i+1, most-1 {
		if err := expandCell(w, &p, i); err != nil {
			return p, err
		}
	}
	if len(p.Lengths) < cells {
		return p, nil
	}
	if p.checks.wanted {
		if err := checkPlan(w, p); err != nil {
			return p, err
		}
		var err error
		if p.Bytes, err = planBytes(p.Plan); err != nil {
			return p, err
		}
	}
	p.complete = true // not before the checks: the plan is kept where the refusal could not be written
	return p, nil
}

// expandCell adds what the tool says about a cell.
func expandCell(w Work, p *Planned, i int) error {
	cell := p.Plan.Cells[i]
	refused := func(err error) error {
		return Refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix: cell %d (%v): %v", i, cell, err)
	}
	trial, err := w.sketch(cell)
	if err != nil {
		return err
	}
	length, err := w.length(trial)
	if err != nil {
		return refused(err)
	}
	if p.checks.wanted {
		if err := checkCell(w, p, i, trial, length); err != nil {
			return err
		}
	}
	demand, _, err := w.Tool.Demand(trial)
	if err != nil {
		return refused(err)
	}
	second, clients, err := secondDemand(w, p, i, trial)
	if err != nil {
		return refused(err)
	}
	pods, err := w.Tool.PodsOf(trial.Workload)
	if err != nil {
		return Refuse(v1alpha1.ReasonInvalidSpec, "spec.%v", err)
	}
	switch name := w.Tool.ImageName(pods); {
	case pods.Image != "":
		p.OwnImage = pods.Image
	case !slices.Contains(p.Images, name):
		p.Images = append(p.Images, name)
	}
	p.Demand.add(demand, int64(working(w, cell)*w.spec.TenantCount()), second, clients)
	p.Lengths = append(p.Lengths, length)
	return nil
}
