package benchmarkrun

import (
	"context"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
)

// accept makes the plan and, once, resolves every reference of the spec and pins
// what it meant. It refuses what cannot work and names the field.
func (r *Reconciler) accept(ctx context.Context, s *scope) (outcome, error) {
	res, err := r.decideAccept(ctx, s)
	if err != nil {
		return outcome{}, err
	}
	s.work, s.plan, s.demand = res.Work, res.Planned.Plan, res.Planned.Demand
	if s.plan != nil {
		r.plans.Store(s.run.UID, res.Planned)
		s.run.Status.Progress.Planned = int32(len(s.plan.Trials))
	}
	if failure, failed := res.State.(decision.Failed); failed {
		return outcomeOf(failure), nil
	}
	if err := r.act(ctx, s, res.Actions); err != nil {
		return outcome{}, err
	}
	mergeAccepted(s, res)
	if _, waits := res.State.(decision.Waiting); waits {
		r.Queue.Forget(s.run.UID)
		return outcomeOf(res.State), nil
	}
	if err := r.readJournal(ctx, s); err != nil {
		return outcome{}, err
	}
	return outcomeOf(res.State), nil
}

// mergeAccepted puts into the status what the room accept says.
func mergeAccepted(s *scope, res accept.Result) {
	st := &s.run.Status
	st.Resolved, st.AcceptedTime, st.SpecHash, st.Plan = res.Status.Resolved, res.Status.AcceptedTime, res.Status.SpecHash, res.Status.Plan
	for _, t := range s.run.Spec.Targets {
		s.targetStatus(t.Name) // in the order of the spec
	}
	for _, q := range res.Status.Quoted {
		target := s.targetStatus(q.Target)
		target.Quoted, target.Source = q.Values, q.Source
	}
	s.findAll(res.Findings)
}

// outcomeOf a room's state.
func outcomeOf(state decision.State) outcome {
	switch st := state.(type) {
	case decision.Failed:
		return outcome{kind: failed, reason: st.Reason, message: st.Message}
	case decision.Waiting:
		return outcome{kind: waiting, reason: orDefault(st.Reason, v1alpha1.ReasonProgressing), message: st.Message}
	case decision.Done:
		return outcome{kind: done, reason: st.Reason, message: st.Message}
	}
	return outcome{kind: waiting, reason: v1alpha1.ReasonProgressing}
}
