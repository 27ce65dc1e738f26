package benchmarkrun

import (
	"context"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/trial"
	"github.com/assay-bench/assay/internal/validity"

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
		e, needed := trial.Cleanup(r.input(s), t.Name)
		if !needed {
			continue
		}
		res, err := r.advance(ctx, s, e)
		if err != nil {
			return outcome{}, err
		}
		if _, ended := res.State.(decision.Done); !ended {
			return outcomeOf(res.State), nil
		}
		st.CleanupResult = contract.ResultName(e.Name, 0)
		if res.End.Reason != "" {
			s.find(v1alpha1.Finding{
				Target: t.Name, Check: "cleanup", Severity: string(validity.Warning),
				Message: "the workload's tables could not be dropped (" + res.End.Reason + "): " + res.End.Message,
			})
		}
	}
	return doneWith("clean"), nil
}
