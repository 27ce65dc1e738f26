package benchmarkrun

import (
	"context"
	"errors"
	"maps"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/plan"

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
	trial := s.trialOf(execution{ref: res.Trial, workload: s.workload, clients: 1}, s.now)
	same := s.runner.SameBytes != nil && s.runner.SameBytes(trial)
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
func (r *Reconciler) checkTogether(ctx context.Context, s *scope, e execution, merged contract.Result, skew merge.Skew) ([]contract.RecordedFinding, error) {
	asked := s.trialOf(e, s.now)
	facts, err := s.runner.Facts(asked)
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
	var out []contract.RecordedFinding
	for _, f := range found {
		out = append(out, recordedFinding(f))
	}
	return out, nil
}

// mayDrift says whether the rows that the server counted between loading and a trial are those
// of the target's own data. What a reset loads counts as inserted too, and the agent has compared
// the tables then. A server that other targets share counts what they loaded and did.
func (s *scope) mayDrift(trial contract.Trial) bool { return !s.resets() && !trial.SharedServer }

// checkData refuses a cell that needs other tables than Prepare makes, such as
// bulk_insert beside tests of sysbench that share theirs: a run loads one data set,
// that of spec.workload. Where the tool knows nothing of its tables, nothing is checked.
func (s *scope) checkData(index int, cell plan.Cell, trial contract.Trial) error {
	if s.runner.Rows == nil || len(cell) == 0 {
		return nil
	}
	needed, err := s.runner.Rows(trial)
	if err != nil {
		return refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix: cell %d (%v): %v", index, cell, err)
	}
	trial.Workload = s.workload
	loaded, err := s.runner.Rows(trial)
	if err != nil {
		return refuse(v1alpha1.ReasonInvalidSpec, "spec.workload: it is what is loaded, whatever spec.matrix says: %v", err)
	}
	if len(needed) > 0 && len(loaded) > 0 && !maps.Equal(needed, loaded) {
		return refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix: cell %d (%v) needs other tables than spec.workload loads "+
			"(%d tables with %d rows against %d with %d), and a run loads one data set: make one run for each",
			index, cell, len(needed), total(needed), len(loaded), total(loaded))
	}
	return nil
}

func total(rows map[string]int64) int64 {
	var sum int64
	for _, n := range rows {
		sum += n
	}
	return sum
}
