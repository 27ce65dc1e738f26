package benchmarkrun

import (
	"context"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

// load fills every target with the workload's data, one after the other, once.
func (r *Reconciler) load(ctx context.Context, s *scope) (outcome, error) {
	for _, t := range s.run.Spec.Targets {
		st := s.targetStatus(t.Name)
		if st.LoadResult != "" {
			continue
		}
		e := execution{
			name: v1alpha1.LoadName(s.run.Name, t.Name),
			ref:  result.TrialRef{RunUID: string(s.run.UID), Phase: string(runner.Prepare), Target: t.Name},
			busy: r.Config.Limits.Load.Duration,
		}
		end, wait, err := r.advance(ctx, s, e)
		if err != nil || end == nil {
			return wait, err
		}
		if end.reason != "" {
			return failWith(end.reason, "loading target %s: %s", t.Name, end.message), nil
		}
		st = s.targetStatus(t.Name)
		st.LoadResult = v1alpha1.ResultName(e.name, 0)
		st.Restarts = s.restarts(t.Name)
		if end.result.Server != nil {
			st.ServerVersion = end.result.Server.Version
		}
		// The outcome has to stand in the status before the Job may be deleted.
		return waitFor(v1alpha1.ReasonProgressing, "target %s is loaded", t.Name), nil
	}
	return doneWith("every target holds the workload's data"), nil
}
