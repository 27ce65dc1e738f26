package accept

import (
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/costs"
)

// A gate over the comparisons of its run is refused before anything is measured where it can never decide, with what to do.
func TestAGateOverComparisons(t *testing.T) {
	gated := func(measurements ...string) change {
		c := v1alpha1.Comparison{Factor: v1alpha1.FactorTarget}
		for _, name := range measurements {
			c.Measurements = append(c.Measurements, v1alpha1.MeasurementRef{Name: name})
		}
		return func(w *world) {
			declares(v1alpha1.Analysis{Comparisons: []v1alpha1.Comparison{c}})(w)
			spec(func(s *v1alpha1.BenchmarkRunSpec) {
				s.Gate = &v1alpha1.Gate{Comparisons: v1alpha1.ComparisonsDeclared, Margin: "3%"}
			})(w)
		}
	}
	undeclared := spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Analysis.Comparisons = nil })
	for name, tt := range map[string]struct {
		given []change
		state string
	}{
		"a throughput":             {[]change{second(10), gated(contract.NameThroughput)}, "done: 20 trials planned: 1 cell x 2 targets x 10 blocks; 1 comparison needs 6 blocks"},
		"a cost per operation":     {[]change{second(10), gated(costs.Written)}, "done: "},
		"what is one observation":  {[]change{second(10), gated(contract.NameThroughput, costs.ServerMemory)}, "fail InvalidSpec: spec.gate.comparisons: cost.memory.server is the largest value since the server began, so that all blocks are one observation: name other measurements in spec.analysis.comparisons"},
		"what has no direction":    {[]change{second(10), gated(contract.NameOffered)}, "fail InvalidSpec: spec.gate.comparisons: neither a higher nor a lower rate.offered is better"},
		"too few blocks":           {[]change{second(5), gated(contract.NameThroughput)}, "fail InvalidSpec: spec.gate.comparisons: a comparison is judged from 6 blocks on, and design.blocks is 5: raise it"},
		"trials in sequence":       {[]change{second(10), gated(contract.NameThroughput), spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Design.Order = v1alpha1.OrderSequential })}, "fail InvalidSpec: spec.gate.comparisons: with design.order Sequential the trials run in sequence"},
		"nothing declared":         {[]change{second(10), gated(contract.NameThroughput), undeclared}, "fail InvalidSpec: spec.gate.comparisons: the run declares none: name them in spec.analysis.comparisons"},
		"a part of the error rate": {[]change{second(40), gated(contract.NameThroughput), stops()}, "done: 80 trials planned: 1 cell x 2 targets x 40 blocks"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := words(newWorld(tt.given...).decide(t).State); !strings.HasPrefix(got, tt.state) {
				t.Errorf("got  %s\nwant %s", got, tt.state)
			}
		})
	}
}
