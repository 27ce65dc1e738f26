package readout

import (
	"cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
)

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
