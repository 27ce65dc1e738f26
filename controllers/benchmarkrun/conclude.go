package benchmarkrun

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"

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
	run.Status.CompletionTime = &metav1.Time{Time: s.now}
	run.Status.Progress.CurrentTrial, run.Status.Progress.Current = nil, ""
	run.Status.Progress.EstimatedCompletionTime = nil
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
	rec := s.newRecord(s.plan.Trials[at.Index], at.Attempt)
	rec.State, rec.Result, rec.CompletionTime, rec.Final = contract.Failed, contract.ResultName(name, 0), &s.now, true
	rec.Reason, rec.Message = failure.reason, "the run ended before the trial did: "+failure.message
	return r.record(ctx, s, rec)
}

// check holds the results of a trial against themselves and against what was asked
// for, and says which limits of its own the trial ran into.
func (s *scope) check(e execution, results []contract.Result, skew merge.Skew) ([]contract.RecordedFinding, []contract.RecordedLimit) {
	var out []contract.RecordedFinding
	var limits []validity.Limit
	for i, res := range results {
		asked := s.trialOf(e, s.now)
		asked.Ref.Client = i
		facts, err := s.runner.Facts(asked)
		if err != nil {
			return []contract.RecordedFinding{{Check: "facts", Severity: string(validity.Invalid), Message: err.Error()}}, nil
		}
		if s.runner.Demand != nil {
			demand, err := s.runner.Demand(asked)
			if err != nil {
				return []contract.RecordedFinding{{Check: "facts", Severity: string(validity.Invalid), Message: err.Error()}}, nil
			}
			facts.Connections = demand.Connections
		}
		facts.Clients = int32(len(results))
		facts.Judged = len(s.plan.Trials) * max(len(results), 1)
		for _, f := range validity.Check(res, facts) {
			found := recordedFinding(f)
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
		out = append(out, recordedFinding(f))
	}
	return out, limitsOf(limits)
}

// throttledIn a trial, of all clients.
func throttledIn(results []contract.Result) []contract.RecordedLimit {
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

// recordedFinding is what the journal keeps of a check.
func recordedFinding(f validity.Finding) contract.RecordedFinding {
	return contract.RecordedFinding{Check: f.Check, Severity: string(f.Severity), Message: f.Message}
}

// limitsOf all clients as the journal keeps them.
func limitsOf(limits []validity.Limit) []contract.RecordedLimit {
	var out []contract.RecordedLimit
	for _, l := range validity.JoinLimits(limits...) {
		out = append(out, contract.RecordedLimit{By: string(l.By), ThrottledShare: l.ThrottledShare})
	}
	return out
}

func isInvalid(f contract.RecordedFinding) bool { return f.Severity == string(validity.Invalid) }

// isSaturated: of several clients, one that could not offer its share is enough.
func isSaturated(f contract.RecordedFinding) bool { return f.Check == validity.CheckSaturated }

func isDisturbed(f contract.RecordedFinding) bool { return f.Severity == string(validity.Disturbed) }
