package benchmarkrun

import (
	"context"

	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
)

// provision brings up the targets that Assay runs, and waits until they accept a
// login of the benchmark's user.
func (r *Reconciler) provision(ctx context.Context, s *scope) (outcome, error) {
	res, err := r.decideTargets(ctx, s)
	if err != nil {
		return outcome{}, err
	}
	if err := r.act(ctx, s, res.Actions); err != nil {
		return outcome{}, err
	}
	for _, t := range res.Targets {
		t.Observed.Into(s.targetStatus(t.Name))
	}
	s.targets = res
	return outcomeOf(res.State), nil
}

// awaitTarget is what an execution that has not begun waits for before it may begin on
// a target; done when there is nothing.
func (s *scope) awaitTarget(name, job string) outcome {
	wait, waits := s.targets.Of(name).State.(decision.Waiting)
	if _, begun := s.jobs[job]; begun || !waits {
		return outcome{}
	}
	return waitFor(wait.Reason, "target %s: %s", name, wait.Message)
}
