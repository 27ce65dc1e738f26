package v1alpha1

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The control repeats the baseline, once, and leaves the spec that it was made from alone.
func TestControl(t *testing.T) {
	server := func(name, version string) Target { return Target{Name: name, MySQL: &MySQLTarget{Version: version}} }
	comparing := func(factor, baseline string) *Analysis {
		c := Comparison{Factor: factor}
		if baseline != "" {
			c.Baseline = new(intstr.FromString(baseline))
		}
		return &Analysis{Control: true, Comparisons: []Comparison{{Factor: "threads"}, c}}
	}
	quoted := Target{Name: "quoted", Published: &PublishedTarget{}}
	tests := map[string]struct {
		analysis *Analysis
		targets  []Target
		want     []Target
	}{
		"none declared":                     {nil, []Target{server("a", "1")}, []Target{server("a", "1")}},
		"none wanted":                       {&Analysis{}, []Target{server("a", "1")}, []Target{server("a", "1")}},
		"of the first measured target":      {&Analysis{Control: true}, []Target{quoted, server("a", "1"), server("b", "2")}, []Target{quoted, server("a", "1"), server("b", "2"), server("control", "1")}},
		"of the baseline of the targets":    {comparing("target", "b"), []Target{server("a", "1"), server("b", "2")}, []Target{server("a", "1"), server("b", "2"), server("control", "2")}},
		"a comparison without a baseline":   {comparing("target", ""), []Target{server("a", "1"), server("b", "2")}, []Target{server("a", "1"), server("b", "2"), server("control", "1")}},
		"a baseline that is no target":      {comparing("target", "x"), []Target{server("a", "1")}, []Target{server("a", "1")}},
		"a baseline of another factor":      {comparing("scheme", "b"), []Target{server("a", "1"), server("b", "2")}, []Target{server("a", "1"), server("b", "2"), server("control", "1")}},
		"there is a target of its name now": {&Analysis{Control: true}, []Target{server("a", "1"), server("control", "2")}, []Target{server("a", "1"), server("control", "2")}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := BenchmarkRunSpec{Analysis: tt.analysis, Targets: append(make([]Target, 0, 8), tt.targets...)}
			other := s
			s.SetDefaults()
			s.SetDefaults()
			if diff := cmp.Diff(tt.want, s.Targets); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.targets, other.Targets); diff != "" || other.Targets[:len(other.Targets)+1][len(other.Targets)].Name != "" {
				t.Errorf("the spec that it was copied from was changed:\n%s", diff)
			}
		})
	}
}
