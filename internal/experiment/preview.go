package experiment

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/settings"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/runner"
)

// Foreseen is what follows from a spec alone.
type Foreseen struct {
	// Message of the condition Accepted.
	Message string
	// Plan of the trials.
	Plan *plan.Plan
	// Least time of the trials and of the pauses between them: warm-up and measurement, without loading, resets and the
	// start of pods. 0 for a tool that counts operations.
	Least time.Duration
	// Analysis is what the plan can show; nil for a run that compares nothing.
	Analysis *v1alpha1.PlannedAnalysis
	// Budget of etcd that the results may take.
	Budget budget.Budget
	// Demand of the trials on the limits of a server.
	Demand Demand
	// Threads of all clients together that work at the same time in a closed loop: 0 for a tool without threads, where they are an axis of
	// the matrix, and where the run offers rates or searches one.
	Threads int64
	// Rate is the field of the workload by which its tool offers a rate; empty where it offers none.
	Rate string
}

// threadsOf a run, as in Foreseen.
func threadsOf(w Work, offered runner.Offered) int64 {
	is := func(axis string) bool {
		return slices.ContainsFunc(w.spec.Matrix, func(a v1alpha1.Axis) bool { return a.Name == axis })
	}
	var given map[string]any
	if json.Unmarshal(w.Params, &given) != nil || w.Search != nil || is(offered.Field) || is("threads") {
		return 0
	}
	if rate, _ := given[offered.Field].(float64); rate > 0 {
		return 0
	}
	threads, _ := given["threads"].(float64)
	return int64(threads) * int64(w.spec.MeasuringClients())
}

// fitsServers refuses settings of the spec that are lower than what the workload needs. Those of ConfigMaps are not known here.
func fitsServers(w Work, d Demand) error {
	for i, t := range w.spec.Targets {
		if t.MySQL == nil {
			continue
		}
		e, known := w.engine(t.MySQL.Flavor)
		if !known {
			continue // another refusal says so
		}
		field := fmt.Sprintf("spec.targets[%d].mysql", i)
		given, err := settings.Parse(t.MySQL.Config)
		if err != nil {
			return Refuse(v1alpha1.ReasonSettingInvalid, "%s.config: %v", field, err)
		}
		if err := d.On(w.spec.ServersOf(t)).Fits(field, t.MySQL, given, w.spec.Matrix, e); err != nil {
			return err
		}
	}
	return nil
}

// Preview accepts a run as the manager does, as far as that needs no cluster: what the spec names is not looked up. The spec
// has its defaults. RefusalOf tells the reason of an error.
func Preview(run *v1alpha1.BenchmarkRun, c Catalogue) (out Foreseen, err error) {
	limits := c.Config.Limits
	if err := CheckSize(run, limits); err != nil {
		return out, err
	}
	w, err := WorkOf(run.Spec, c)
	if err != nil {
		return out, err
	}
	for i, t := range run.Spec.Targets {
		if t.External != nil {
			if err := w.CheckExternal(fmt.Sprintf("spec.targets[%d].external", i), t.External); err != nil {
				return out, err
			}
		}
	}
	spec, fixed, err := w.Varies()
	if err != nil {
		return out, err
	}
	p, err := PlanOf(spec, fixed, LimitsOf(limits))
	if err != nil {
		return out, err
	}
	planned, err := w.Begin(p, limits)
	for err == nil && !planned.Complete() {
		planned, err = w.Expand(planned)
	}
	if err != nil {
		return out, err
	}
	if err := fitsServers(w, planned.Demand); err != nil {
		return out, err
	}
	offered, err := w.Tool.Offers(w.Params)
	if err != nil {
		return out, err
	}
	out.Threads, out.Rate, out.Demand = threadsOf(w, offered), offered.Field, planned.Demand
	out.Plan, out.Least = p, p.Duration(planned.checks.least, run.Spec.Design.Cooldown.Duration)
	if out.Analysis, err = w.Foresee(p, limits.Comparisons); err != nil {
		return out, err
	}
	out.Message = Message(len(p.Trials), len(p.Cells), run.Spec, out.Analysis)
	out.Budget, err = w.Budget(p, out.Analysis, planned.Bytes, c.Config)
	return out, err
}
