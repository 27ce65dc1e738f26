package benchmarkrun

import (
	"context"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/journal"

	"github.com/assay-bench/assay/internal/validity"

	"github.com/assay-bench/assay/internal/contract"

	"github.com/assay-bench/assay/internal/merge"
)

// conclude ends the run: with a failure, or else as complete. The results and the
// condition that announces them appear in the same write.
func (r *Reconciler) conclude(ctx context.Context, s *scope, failure *outcome) error {
	run := s.run
	if err := r.breakOff(ctx, s, failure); err != nil {
		return err
	}
	run.Status.FinishTime = &metav1.Time{Time: s.now}
	run.Status.Progress.CurrentTrial, run.Status.Progress.Current = nil, ""
	run.Status.Progress.EstimatedEnd = nil
	records, err := r.summarise(ctx, s)
	if err != nil {
		return err
	}
	setValid(s, records)
	setEnd(s, failure)
	return nil
}

// breakOff records the trial that was running when the run failed.
func (r *Reconciler) breakOff(ctx context.Context, s *scope, failure *outcome) error {
	if failure == nil || s.plan == nil || s.run.Status.Placement == nil {
		return nil
	}
	at := s.journal.Position()
	if int(at.Index) >= len(s.plan.Trials) {
		return nil
	}
	name := contract.TrialName(s.run.Name, at.Index, at.Attempt)
	if s.jobs[name] == nil && !s.running(at) {
		return nil
	}
	st := s.newTrialStatus(s.plan.Trials[at.Index], at.Attempt)
	st.State, st.Result, st.Ended = v1alpha1.TrialFailed, contract.ResultName(name, 0), &metav1.MicroTime{Time: s.now}
	st.Reason, st.Message = failure.reason, "the run ended before the trial did: "+failure.message
	return r.record(ctx, s, journal.Record{TrialStatus: st, Final: true})
}

// check holds the results of a trial against themselves and against what was asked
// for, and says which limits of its own the trial ran into.
func (s *scope) check(e execution, results []contract.Result, skew merge.Skew) ([]v1alpha1.Finding, []v1alpha1.Limit) {
	var out []v1alpha1.Finding
	var limits []validity.Limit
	for i, res := range results {
		asked := s.trialOf(e, s.now)
		asked.Ref.Client = i
		facts, err := s.runner.Facts(asked)
		if err != nil {
			return []v1alpha1.Finding{{Check: "facts", Severity: string(validity.Invalid), Message: err.Error()}}, nil
		}
		if s.runner.Demand != nil {
			demand, err := s.runner.Demand(asked)
			if err != nil {
				return []v1alpha1.Finding{{Check: "facts", Severity: string(validity.Invalid), Message: err.Error()}}, nil
			}
			facts.Connections = demand.Connections
		}
		facts.Clients = int32(len(results))
		facts.Judged = len(s.plan.Trials) * max(len(results), 1)
		for _, f := range validity.Check(res, facts) {
			found := findingOf(f)
			if len(results) > 1 {
				found.Client = new(int32(i))
			}
			out = append(out, found)
		}
		limits = append(limits, validity.Limits(res, facts)...)
	}
	common := validity.CheckNeighbours(results)
	if len(results) > 1 {
		common = append(common, validity.CheckClients(skew)...)
	}
	for _, f := range common {
		out = append(out, findingOf(f))
	}
	return out, limitsOf(limits)
}

// throttledIn a trial, of all clients.
func throttledIn(results []contract.Result) []v1alpha1.Limit {
	var shares []validity.Limit
	for _, res := range results {
		shares = append(shares, validity.Throttled(res)...)
	}
	return limitsOf(shares)
}

// findingOf a check as the status shows it.
func findingOf(f validity.Finding) v1alpha1.Finding {
	return v1alpha1.Finding{Check: f.Check, Severity: string(f.Severity), Message: f.Message}
}

// limitsOf all clients as the status shows them.
func limitsOf(limits []validity.Limit) []v1alpha1.Limit {
	var out []v1alpha1.Limit
	for _, l := range validity.JoinLimits(limits...) {
		limit := v1alpha1.Limit{By: v1alpha1.LimitKind(l.By)}
		if l.ThrottledShare != nil {
			limit.ThrottledShare = strconv.FormatFloat(*l.ThrottledShare, 'f', 4, 64)
		}
		out = append(out, limit)
	}
	return out
}

func isInvalid(f v1alpha1.Finding) bool { return f.Severity == string(validity.Invalid) }

// isSaturated: of several clients, one that could not offer its share is enough.
func isSaturated(f v1alpha1.Finding) bool { return f.Check == validity.CheckSaturated }

func isDisturbed(f v1alpha1.Finding) bool { return f.Severity == string(validity.Disturbed) }
