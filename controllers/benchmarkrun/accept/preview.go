package accept

import (
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/budget"
	"github.com/assay-bench/assay/internal/plan"
)

// Foreseen is what follows from a spec alone.
type Foreseen struct {
	// State is Done with the message of the condition Accepted, or Failed. Of a refused run nothing else is set.
	State decision.State
	// Plan of the trials.
	Plan *plan.Plan
	// Least time of the trials and of the pauses between them: warm-up and measurement, without loading, resets and the
	// start of pods. 0 for a tool that counts operations.
	Least time.Duration
	// Analysis is what the plan can show; nil for a run that compares nothing.
	Analysis *v1alpha1.PlannedAnalysis
	// Budget of etcd that the results may take.
	Budget budget.Budget
}

// Preview accepts a run as Decide does, as far as that needs no cluster: what the spec names is not looked up. The spec
// has its defaults.
func Preview(in Input) Foreseen {
	out, err := preview(in)
	if err != nil {
		return Foreseen{State: failed(err)}
	}
	return out
}

func preview(in Input) (Foreseen, error) {
	in.Turn = true
	if err := in.checkSize(); err != nil {
		return Foreseen{}, err
	}
	var res Result
	var err error
	if res.Work, err = WorkOf(in.Run.Spec, in.Catalogue); err != nil {
		return Foreseen{}, err
	}
	// A plan that is not written down asks nothing.
	for ask := (decision.Known{}).Ask(); !res.Planned.Complete(); {
		if err := in.makePlan(ask, &res); err != nil {
			return Foreseen{}, err
		}
	}
	if res.Status.Analysis, err = in.foresee(res); err != nil {
		return Foreseen{}, err
	}
	p, spec := res.Planned.Plan, in.Run.Spec
	out := Foreseen{
		Plan: p, Analysis: res.Status.Analysis, Least: p.Duration(res.Planned.checks.least, spec.Design.Cooldown.Duration),
		State: planned(len(p.Trials), len(p.Cells), len(p.Targets), spec, res.Status.Analysis),
	}
	fixed, err := fixedBytes(res, nil)
	if err != nil {
		return Foreseen{}, err
	}
	out.Budget, err = bytesOf(in, res, fixed)
	return out, err
}
