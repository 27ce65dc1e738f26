package experiment

import (
	"fmt"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/trial/plan"
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
	// Connections of all clients together that are open at the same time, the most of all cells; 0 where the tool does not say.
	Connections int64
	// OpenLoop: the run offers rates, or searches one.
	OpenLoop bool
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
	out.Connections, out.OpenLoop = planned.Demand.All.Connections, offersRates(w)
	out.Plan, out.Least = p, p.Duration(planned.checks.least, run.Spec.Design.Cooldown.Duration)
	if out.Analysis, err = w.Foresee(p, limits.Comparisons); err != nil {
		return out, err
	}
	out.Message = Message(len(p.Trials), len(p.Cells), run.Spec, out.Analysis)
	bytes, err := PlanBytes(p)
	if err != nil {
		return out, err
	}
	out.Budget, err = w.Budget(p, out.Analysis, bytes, c.Config)
	return out, err
}
