package benchmarkrun

import (
	"context"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

// clean drops the tables that were made in external targets, unless they are to
// be kept. Servers that Assay runs itself go away with their volumes. A clean-up
// that fails is told, but does not spoil what was measured.
func (r *Reconciler) clean(ctx context.Context, s *scope) (outcome, error) {
	if s.run.Spec.Retain == v1alpha1.RetainAlways {
		return doneWith("retained"), nil
	}
	for _, t := range s.run.Spec.Targets {
		if t.External == nil || s.targetStatus(t.Name).CleanupResult != "" {
			continue
		}
		e := execution{
			name: v1alpha1.CleanupName(s.run.Name, t.Name),
			ref:  result.TrialRef{RunUID: string(s.run.UID), Phase: string(runner.Cleanup), Target: t.Name},
			busy: r.Config.Limits.Cleanup.Duration,
		}
		end, wait, err := r.advance(ctx, s, e)
		if err != nil || end == nil {
			return wait, err
		}
		s.targetStatus(t.Name).CleanupResult = v1alpha1.ResultName(e.name, 0)
		if end.reason != "" {
			s.run.Status.Findings = append(s.run.Status.Findings, v1alpha1.Finding{
				Target: t.Name, Check: "cleanup", Severity: "Warning",
				Message: "the workload's tables could not be dropped (" + end.reason + "): " + end.message,
			})
		}
	}
	return doneWith("clean"), nil
}
