package experiment

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/experiment/search"
	"github.com/assay-bench/assay/internal/ground/apischema"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/costs"
	"github.com/assay-bench/assay/internal/trial/levels"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/runner"
)

// Catalogue is what this operator can do.
type Catalogue struct {
	// Tool finds an adapter by its name in the API.
	Tool func(name string) (runner.Runner, bool)
	// Engine finds the facts of a flavor.
	Engine func(flavor string) (engine.Engine, bool)
	// Config of the operator, with the images.
	Config config.Config
}

// Work is what a run asks of its tool, the same in every pass.
type Work struct {
	// Tool of the workload.
	Tool runner.Runner
	// Params are the tool's part of the spec as JSON, with every default.
	Params json.RawMessage
	// Search for the highest rate; nil for a run that searches nothing.
	Search *search.Search
	// schema of Params.
	schema *apischema.Tool
	// spec of the run.
	spec v1alpha1.BenchmarkRunSpec
	// engine finds the facts of a flavor.
	engine func(flavor string) (engine.Engine, bool)
	// config of the operator.
	config config.Config
}

// Names of the measurements that records have, the main one first: those of the tool, what an
// operation costs, and what the windows began with; with tenants, how unequal they are.
func (w Work) Names() []string {
	return slices.Concat(w.Tool.Summary, tenantNames(w.spec), costs.Names(), levels.Names())
}

// WorkOf a spec. It fails when the catalogue has no such tool, and when the API of this
// program would refuse the tool's part of the spec: the CRD may be of another version.
func WorkOf(spec v1alpha1.BenchmarkRunSpec, c Catalogue) (Work, error) {
	name, params, err := spec.Workload.Tool()
	if err != nil {
		return Work{}, Refuse(v1alpha1.ReasonInvalidSpec, "spec.%v", err)
	}
	tool, ok := c.Tool(name)
	if !ok {
		return Work{}, Refuse(v1alpha1.ReasonInvalidSpec, "spec.workload: this operator has no runner %q", name)
	}
	schema, err := apischema.ForTool(name)
	if err != nil {
		return Work{}, err
	}
	if params, err = schema.Complete(params); err != nil {
		return Work{}, Refuse(v1alpha1.ReasonInvalidSpec, "%v", err)
	}
	if err := checkGroups(spec, tool, params); err != nil {
		return Work{}, err
	}
	if spec.Design.MeasuresLoad() {
		if tool, err = loadingOf(spec, tool, params); err != nil {
			return Work{}, err
		}
	}
	w := Work{Tool: tool, Params: params, schema: schema, spec: spec, engine: c.Engine, config: c.Config}
	if w.Search, err = searchOf(w); err != nil {
		return Work{}, err
	}
	return w, checkSearchDesign(spec)
}

// Clients of a tenant that measure at the same time, at least 1.
func (w Work) Clients() int { return int(max(w.spec.Clients.Count, 1)) }

// working are the clients of a tenant that work in a cell, 1 to Clients.
func working(w Work, cell plan.Cell) int {
	if value, varies := cell[v1alpha1.AxisClients]; varies {
		if n, err := strconv.Atoi(value.String()); err == nil { // checkClientsAxis has refused any other
			return n
		}
	}
	return w.Clients()
}

// Cell is the workload of a cell as JSON: that of the spec with the cell's values. It
// fails when a value does not fit its field.
func (w Work) Cell(cell plan.Cell) (json.RawMessage, error) {
	if cell = cell.Workload(); len(cell) == 0 {
		return w.Params, nil
	}
	return plan.Apply(w.Params, cell, w.schema)
}

// sketch is a trial of a cell before anything is known of targets: enough to ask the
// tool what the cell means. Of a search it is one at the highest rate.
func (w Work) sketch(cell plan.Cell) (contract.Trial, error) {
	params, err := w.mostOf(cell)
	if err != nil {
		return contract.Trial{}, Refuse(v1alpha1.ReasonInvalidSpec, "%v", err)
	}
	return contract.Trial{
		Version: contract.TrialVersion, Runner: w.Tool.Name, Workload: params, Clients: working(w, cell),
		Loads: w.spec.Design.MeasuresLoad(), Measurement: w.Measurement(), DurationSeconds: max(int64(w.spec.Design.Duration.Seconds()), 1), Ref: contract.TrialRef{Phase: string(contract.PhaseRun)},
	}, nil
}

// Measurement is the design of each measurement; nil for a tool that makes one in a trial.
func (w Work) Measurement() *contract.Measuring {
	if !w.Tool.MeasuresOften() {
		return nil
	}
	d := w.spec.Design
	return &contract.Measuring{
		WarmupSeconds: d.Warmup.Seconds(), DurationSeconds: d.Duration.Seconds(), WarmupRounds: int(*d.WarmupRounds), Rounds: int(*d.Rounds),
	}
}

// length of the measurements of a trial.
func (w Work) length(trial contract.Trial) (runner.Length, error) {
	return w.Tool.Length(trial, plan.Measuring(w.spec.Design))
}

// Image of the clients that do a workload, of those that were resolved, and what else their
// pods are made of: never the image of another language, whose harness would refuse its
// drivers one by one. It fails when there is none.
func (w Work) Image(resolved v1alpha1.Resolved, params json.RawMessage) (string, runner.Pods, error) {
	pods, err := w.Tool.PodsOf(params)
	if err != nil || len(resolved.RunnerImages) == 0 {
		return resolved.RunnerImage, pods, err
	}
	name := w.Tool.ImageName(pods)
	for _, i := range resolved.RunnerImages {
		if i.Name == name {
			return i.Image, pods, nil
		}
	}
	return "", pods, fmt.Errorf("status.resolved.runnerImages has no image %q", name)
}
