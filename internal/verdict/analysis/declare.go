package analysis

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Declaration is what a run compares, and how certain its conclusions are.
type Declaration struct {
	// Comparisons of the primary family.
	Comparisons []Comparison
	// Declared in the spec; otherwise they are the default.
	Declared bool
	// MinimumEffect that matters, such as 0.02, and ErrorRate of the family, such as 0.05.
	MinimumEffect, ErrorRate float64
	// Control is the target that the target control repeats; empty without a control.
	Control string
	// Require are the aspects in which the sides of a comparison of targets must not differ.
	Require []v1alpha1.LikeAspect
	// Stop is the rule by which the run ends before its last block; nil for one with fixed blocks.
	Stop *Stop
	// OneStart: no server is started again during the run.
	OneStart bool
	// Margin is the loss that the gate of the run fails for, such as 0.03; 0 for a run without a gate over its comparisons.
	Margin float64
	// Steps of the values where they are rates that a search found; nil for values that were measured.
	Steps *Steps
}

// Comparison of the values of a factor with a baseline.
type Comparison struct {
	// Field of the spec, for messages.
	Field string
	// Factor, and the value that the others are compared with; empty for the first one.
	Factor, Baseline string
	// Within are values of other factors; empty for the whole experiment.
	Within map[string]string
	// BaselineWithin are their values on the side of the baseline, where those are others; empty where all else is equal.
	BaselineWithin map[string]string
	// Measurements to compare.
	Measurements []Measurement
}

// Measurement selects one measurement by its name and some of its labels.
type Measurement struct {
	Name   string
	Labels map[string]string
}

// Declare is the declaration of a spec that the API server accepted, with the target of its control
// (BenchmarkRunSpec.SetDefaults). Names are the measurements of the tool, the main one first. It
// fails when a percentage cannot be read.
func Declare(spec v1alpha1.BenchmarkRunSpec, names []string) (Declaration, error) {
	declared := v1alpha1.Analysis{MinimumEffect: v1alpha1.DefaultMinimumEffect, ErrorRate: v1alpha1.DefaultErrorRate}
	if spec.Analysis != nil {
		declared = *spec.Analysis
	}
	d := Declaration{Declared: len(declared.Comparisons) > 0, Control: spec.ControlOf(), Require: declared.RequireLike, OneStart: spec.Design.Starts == v1alpha1.StartsOne && !spec.RestartsServers()}
	var err error
	if d.MinimumEffect, err = Share(declared.MinimumEffect); err != nil {
		return d, fmt.Errorf("spec.analysis.minimumEffect: %w", err)
	}
	if d.ErrorRate, err = Share(declared.ErrorRate); err != nil {
		return d, fmt.Errorf("spec.analysis.errorRate: %w", err)
	}
	if d.Stop, err = declareStop(spec.Design); err != nil {
		return d, err
	}
	if g := spec.Gate; g != nil && g.Comparisons != "" {
		if d.Margin, err = Share(g.Margin); err != nil {
			return d, fmt.Errorf("spec.gate.margin: %w", err)
		}
	}
	if d.Steps, err = stepsOf(spec); err != nil {
		return d, err
	}
	usual := usualMeasurements(names, spec.Workload.Drivers != nil)
	for i, c := range declared.Comparisons {
		one := Comparison{Field: fmt.Sprintf("spec.analysis.comparisons[%d]", i), Factor: c.Factor, Measurements: usual}
		if c.Baseline != nil {
			one.Baseline = c.Baseline.String()
		}
		one.Within, one.BaselineWithin = textsOf(c.Within), textsOf(c.BaselineWithin)
		if len(c.Measurements) > 0 {
			one.Measurements = nil
		}
		for _, m := range c.Measurements {
			one.Measurements = append(one.Measurements, Measurement{m.Name, m.Labels})
		}
		d.Comparisons = append(d.Comparisons, one)
	}
	if !d.Declared && comparesTargets(spec) {
		d.Comparisons = []Comparison{{Field: "spec.targets", Factor: v1alpha1.FactorTarget, Measurements: usual}}
	}
	return d, nil
}

// textsOf some parameters; nil for none.
func textsOf(parameters map[string]intstr.IntOrString) map[string]string {
	if len(parameters) == 0 {
		return nil
	}
	out := map[string]string{}
	for name, value := range parameters {
		out[name] = value.String()
	}
	return out
}

// comparesTargets says whether there are two measured targets besides the control.
func comparesTargets(spec v1alpha1.BenchmarkRunSpec) bool {
	n := spec.MeasuredTargets()
	if spec.ControlOf() != "" {
		n--
	}
	return n > 1
}

// usualMeasurements are the main one and one latency: a percentile, because in a closed loop the
// average follows from the throughput. Drivers have no latency here: of the benchmarks that are
// measured by rounds there are too few operations for a percentile.
func usualMeasurements(names []string, drivers bool) []Measurement {
	if len(names) == 0 {
		return nil
	}
	out := []Measurement{{Name: names[0]}}
	if drivers {
		return out
	}
	for _, latency := range []string{contract.NameLatencyPercentile, contract.NameLatencyAvg} {
		for _, name := range names[1:] {
			if name == latency {
				return append(out, Measurement{Name: latency})
			}
		}
	}
	return out
}

// ErrorRate of the comparisons of a run, as a share: at most this is the p-value of a difference. 0 where the spec has none
// that can be read, which the API server refuses.
func ErrorRate(spec v1alpha1.BenchmarkRunSpec) float64 {
	declared := v1alpha1.DefaultErrorRate
	if spec.Analysis != nil {
		declared = cmp.Or(spec.Analysis.ErrorRate, declared)
	}
	rate, err := Share(declared)
	if err != nil {
		return 0
	}
	return rate
}

// Share is a percentage such as 25% as a number such as 0.25. It fails for what is no percentage above 0%.
func Share(percentage string) (float64, error) {
	number, ok := strings.CutSuffix(percentage, "%")
	v, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(v > 0) || math.IsInf(v, 1) {
		return 0, fmt.Errorf("%q is no percentage above 0%%: write it like 25%%", percentage)
	}
	return v / 100, nil
}
