package benchmarkrun

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/placement"
)

// place refuses a run for which the cluster has no nodes, before any pod exists.
// Once the targets stand, there is nothing left to decide.
func (r *Reconciler) place(ctx context.Context, s *scope) (outcome, error) {
	if len(s.statefulSets) == len(provided(s.run)) && len(s.statefulSets) > 0 {
		return doneWith("the nodes were found before the targets were made"), nil
	}
	var nodes corev1.NodeList
	if err := r.Client.List(ctx, &nodes); err != nil {
		return outcome{}, fmt.Errorf("listing nodes: %w", err)
	}
	need := placement.Need{
		Client:   s.run.Status.Resolved.ClientShape,
		Separate: s.run.Spec.Clients.Placement.SeparateFromTargets == v1alpha1.SeparationRequired,
	}
	for _, t := range provided(s.run) {
		need.Targets = append(need.Targets, placement.Target{Name: t.Name, Shape: *s.resolved(t.Name).Shape})
	}
	answer := placement.Find(nodes.Items, need)
	if answer.Reason != "" {
		return failWith(answer.Reason, "%s", answer.Message), nil
	}
	s.keepFree = answer.KeepFree
	return doneWith("%s", answer.Message), nil
}

// provided are the targets that Assay runs itself.
func provided(run *v1alpha1.BenchmarkRun) []v1alpha1.Target {
	var out []v1alpha1.Target
	for _, t := range run.Spec.Targets {
		if t.MySQL != nil {
			out = append(out, t)
		}
	}
	return out
}
