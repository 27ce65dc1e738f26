package benchmarkrun

import (
	"context"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/target"
)

// decideTargets asks the room target, and reads what it asks for.
func (r *Reconciler) decideTargets(ctx context.Context, s *scope) (target.Result, error) {
	in := target.Input{
		Run: s.run, Now: s.now, Limits: r.Config.Limits, Active: s.activeTarget(), Measuring: s.unrecorded(),
		Children: decision.Children{StatefulSets: s.statefulSets, TargetPods: s.targetPods},
	}
	var known decision.Known
	for {
		ask := known.Ask()
		res := target.Decide(in, ask)
		if ask.Complete() {
			return res, nil
		}
		var err error
		if known, err = r.answer(ctx, s.run, known, ask.Missing()); err != nil {
			return target.Result{}, err
		}
	}
}

// activeTarget is the one target that runs with idleTargets: Stopped: the next one to be
// loaded or measured. It is empty when all of them run.
func (s *scope) activeTarget() string {
	if s.run.Spec.Design.IdleTargets != v1alpha1.IdleStopped {
		return ""
	}
	if t := s.unloaded(); t != "" {
		return t
	}
	if next := s.journal.Position().Index; int(next) < len(s.plan.Trials) {
		return s.plan.Targets[s.plan.Trials[next].Target]
	}
	return s.plan.Targets[s.plan.Trials[len(s.plan.Trials)-1].Target]
}
