package benchmarkrun

import (
	"context"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/trial"

	"github.com/assay-bench/assay/internal/contract"
)

// load fills every target with the workload's data, one after the other, once.
func (r *Reconciler) load(ctx context.Context, s *scope) (outcome, error) {
	target := s.unloaded()
	if target == "" {
		return doneWith("every target holds the workload's data"), nil
	}
	in := r.input(s)
	e := trial.Load(in, target)
	res, err := r.advance(ctx, s, e)
	if err != nil {
		return outcome{}, err
	}
	if _, ended := res.State.(decision.Done); !ended {
		return outcomeOf(res.State), nil
	}
	if res.End.Reason != "" {
		return failWith(res.End.Reason, "loading target %s: %s", target, res.End.Message), nil
	}
	first := res.End.Results[0]
	found, err := consult(ctx, r, s, func(ask *decision.Asking) []v1alpha1.Finding { return trial.LoadFindings(in, target, first, ask) })
	if err != nil {
		return outcome{}, err
	}
	st := s.targetStatus(target)
	st.LoadResult = contract.ResultName(e.Name, 0)
	st.Restarts = s.restarts(target)
	s.describeServer(st, &first)
	if st.Load, err = trial.LoadFigures(in, e, res.End.Results); err != nil {
		return failWith(v1alpha1.ReasonResultContradictory, "loading target %s: %v", target, err), nil
	}
	for _, f := range found {
		s.find(f)
		if f.IsInvalid() {
			st.InvalidatedBy = append(st.InvalidatedBy, f)
		}
	}
	s.compareDurability()
	// The outcome has to stand in the status before the Job may be deleted.
	return waitFor(v1alpha1.ReasonProgressing, "target %s is loaded", target), nil
}
