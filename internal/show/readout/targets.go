package readout

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// plannedOf a run is what its plan measures and can show; empty until it is accepted.
func plannedOf(run *v1alpha1.BenchmarkRun) string {
	if c := condition(run, v1alpha1.ConditionAccepted); c.Status == metav1.ConditionTrue {
		return c.Message
	}
	return ""
}

// targetsOf a run, as they ran.
func targetsOf(run *v1alpha1.BenchmarkRun) []Target {
	out := []Target{}
	for _, t := range run.Status.Targets {
		target := Target{Name: t.Name, Server: t.ServerVersion, Node: t.NodeName, Load: t.Load}
		if t.Source != "" || len(t.Quoted) > 0 {
			target.Quoted = cmp.Or(t.Source, t.Name)
		}
		out = append(out, target)
	}
	return out
}
