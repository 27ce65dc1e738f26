package benchmarkrun

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/runners/runner"
)

// accept makes the plan and, once, resolves every reference of the spec and pins
// what it meant. It refuses what cannot work and names the field.
func (r *Reconciler) accept(ctx context.Context, s *scope) (outcome, error) {
	run := s.run
	name, params := workloadOf(run.Spec.Workload)
	var ok bool
	if s.runner, ok = r.Runner(name); !ok {
		return failWith(v1alpha1.ReasonInvalidSpec, "spec.workload: this operator has no runner %q", name), nil
	}
	var err error
	if s.workload, err = json.Marshal(params); err != nil {
		return outcome{}, fmt.Errorf("marshalling spec.workload.%s: %w", name, err)
	}
	if err := r.readPlan(ctx, s, dataFields(run.Spec.Workload, s.runner)); err != nil {
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

// workloadOf names the tool of a workload and its part of the spec.
func workloadOf(w v1alpha1.Workload) (string, any) {
	switch {
	case w.YCSB != nil:
		return "ycsb", w.YCSB
	case w.Drivers != nil:
		return "drivers", w.Drivers
	case w.Custom != nil:
		return "custom", w.Custom
	}
	return "sysbench", w.Sysbench
}

// newWorkload is an empty part of the spec of the same tool.
func newWorkload(w v1alpha1.Workload) any {
	switch {
	case w.YCSB != nil:
		return new(v1alpha1.YCSBWorkload)
	case w.Drivers != nil:
		return new(v1alpha1.DriversWorkload)
	case w.Custom != nil:
		return new(v1alpha1.CustomWorkload)
	}
	return new(v1alpha1.SysbenchWorkload)
}

// dataFields are what decides the data that is loaded: fields of the tool and, of a
// custom one, the parameters that the user names.
func dataFields(w v1alpha1.Workload, tool runner.Runner) []string {
	fields := slices.Clone(tool.DataFields)
	if w.Custom != nil {
		fields = append(fields, w.Custom.DataParameters...)
	}
	return fields
}
