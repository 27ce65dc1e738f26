package benchmarkrun

import (
	"context"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/contract"
)

// clean drops the tables that this run made in external targets, also when the
// run failed, unless they are to be kept. Servers that Assay runs itself go away
// with their volumes. Tables of a load that failed are left alone: they may be
// somebody else's. A clean-up that fails is told, but does not spoil what was
// measured.
func (r *Reconciler) clean(ctx context.Context, s *scope, failing bool) (outcome, error) {
	if keeps(s.run.Spec.Retain, failing) {
		return doneWith("retained"), nil
	}
	for _, t := range s.run.Spec.Targets {
		if t.External == nil {
			continue
		}
		st := s.targetStatus(t.Name)
		if st.LoadResult == "" || st.CleanupResult != "" {
			continue
		}
		e := execution{
			name: contract.CleanupName(s.run.Name, t.Name),
			ref:  contract.TrialRef{RunUID: string(s.run.UID), Phase: string(contract.PhaseCleanup), Target: t.Name},
			busy: r.Config.Limits.Cleanup.Duration, workload: s.workload, clients: 1,
		}
		if s.runner.Skips != nil && s.runner.Skips(s.trialOf(e, s.now), contract.PhaseCleanup) {
			continue // the tool made nothing that could be dropped
		}
		end, wait, err := r.advance(ctx, s, e)
		if err != nil || end == nil {
			return wait, err
		}
		st.CleanupResult = contract.ResultName(e.name, 0)
		if end.reason != "" {
			s.find(v1alpha1.Finding{
				Target: t.Name, Check: "cleanup", Severity: "Warning",
				Message: "the workload's tables could not be dropped (" + end.reason + "): " + end.message,
			})
		}
	}
	return doneWith("clean"), nil
}
