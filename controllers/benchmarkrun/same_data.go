package benchmarkrun

import (
	"context"
	"errors"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/validity"

	"github.com/assay-bench/assay/internal/contract"

	"github.com/assay-bench/assay/internal/merge"
)

// compareTargets holds what a target was just loaded with against the first one that was:
// numbers of targets are compared with each other only where their data is the same.
func (r *Reconciler) compareTargets(ctx context.Context, s *scope, target string, res *contract.Result) error {
	first := ""
	for _, t := range s.run.Spec.Targets {
		if st := s.targetStatus(t.Name); t.Name != target && st.LoadResult != "" {
			first = t.Name
			break
		}
	}
	if res == nil || first == "" {
		return nil
	}
	other, err := r.loaded(ctx, s, first)
	if err != nil || other == nil {
		return err
	}
	trial := s.trialOf(execution{ref: res.Trial, workload: s.work.Params, clients: 1}, s.now)
	same := s.work.Tool.SameBytes != nil && s.work.Tool.SameBytes(trial)
	for _, f := range validity.CompareData(*other, *res, same) {
		found := findingOf(f)
		found.Target = target
		s.find(found)
	}
	return nil
}

// loaded is the result of loading a target; nil when it is gone or says nothing of the
// data, as for a target that is reached by JDBC.
func (r *Reconciler) loaded(ctx context.Context, s *scope, target string) (*contract.Result, error) {
	res, err := r.loadResult(ctx, s, target)
	var gone *refusal
	if errors.As(err, &gone) {
		return nil, nil
	}
	return res, err
}

// checkTogether asks of the results of a trial what one client's alone cannot tell: what the
// server did for all of them, and whether its data was still what was loaded.
func (r *Reconciler) checkTogether(ctx context.Context, s *scope, e execution, merged contract.Result, skew merge.Skew) ([]v1alpha1.Finding, error) {
	asked := s.trialOf(e, s.now)
	facts, err := s.work.Tool.Facts(asked)
	if err != nil {
		return nil, nil // check has said so
	}
	facts.Clients = int32(e.clients)
	found := validity.CheckMerged(merged, facts, skew)
	if s.mayDrift(asked) && merged.State == contract.Succeeded && merged.Server != nil && merged.Server.Rows != nil {
		loaded, err := r.loaded(ctx, s, e.ref.Target)
		if err != nil {
			return nil, err
		}
		if loaded != nil {
			found = append(found, validity.CheckDrift(*loaded, merged)...)
		}
	}
	var out []v1alpha1.Finding
	for _, f := range found {
		out = append(out, findingOf(f))
	}
	return out, nil
}

// mayDrift says whether the rows that the server counted between loading and a trial are those
// of the target's own data. What a reset loads counts as inserted too, and the agent has compared
// the tables then. A server that other targets share counts what they loaded and did.
func (s *scope) mayDrift(trial contract.Trial) bool { return !s.resets() && !trial.SharedServer }
