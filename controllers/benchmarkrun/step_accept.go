package benchmarkrun

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/apischema"
)

// accept makes the plan and, once, resolves every reference of the spec and pins
// what it meant. It refuses what cannot work and names the field.
func (r *Reconciler) accept(ctx context.Context, s *scope) (outcome, error) {
	run := s.run
	var name string
	var err error
	if name, s.workload, err = run.Spec.Workload.Tool(); err != nil {
		return failWith(v1alpha1.ReasonInvalidSpec, "spec.%v", err), nil
	}
	var ok bool
	if s.runner, ok = r.Runner(name); !ok {
		return failWith(v1alpha1.ReasonInvalidSpec, "spec.workload: this operator has no runner %q", name), nil
	}
	if s.schema, err = apischema.ForTool(name); err != nil {
		return outcome{}, err
	}
	if s.workload, err = s.schema.Complete(s.workload); err != nil {
		return failWith(v1alpha1.ReasonInvalidSpec, "%v", err), nil
	}
	if err := r.readPlan(ctx, s); err != nil {
		return outcome{}, err
	}
	run.Status.Progress.Planned = int32(len(s.plan.Trials))
	if run.Status.Resolved == nil {
		resolved, err := r.resolve(ctx, s)
		if err != nil {
			return outcome{}, err
		}
		if err := s.foresee(*resolved); err != nil {
			return outcome{}, err
		}
		run.Status.Resolved = resolved
		run.Status.AcceptedTime = &metav1.Time{Time: s.now}
		run.Status.SpecHash = specHash(run.Spec, s.plan.Seed, *resolved)
	}
	if err := r.markRun(ctx, s); err != nil {
		return outcome{}, err
	}
	if run.Spec.Suspend && len(s.statefulSets) == 0 && len(s.jobs) == 0 {
		r.Queue.Forget(run.UID)
		return waitFor(v1alpha1.ReasonSuspended, "spec.suspend holds the run back; nothing was started"), nil
	}
	if run.Status.Plan == nil {
		if err := r.writePlan(ctx, s); err != nil {
			return outcome{}, err
		}
	}
	if err := r.readJournal(ctx, s); err != nil {
		return outcome{}, err
	}
	return doneWith("%d trials planned: %d cells x %d targets x %d blocks",
		len(s.plan.Trials), len(s.plan.Cells), len(s.plan.Targets), run.Spec.Design.Blocks), nil
}
