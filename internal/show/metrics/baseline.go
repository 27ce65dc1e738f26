package metrics

import (
	"cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/family"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// Of one baseline, and of a schedule whose gate names it.
var (
	baselineValue = gauge("assay_baseline_value", "namespace baseline parameters target measurement of unit",
		"Median of a measurement of the baseline, in base units.")
	baselinePromoted = gauge("assay_baseline_promotion_timestamp_seconds", "namespace baseline run",
		"When the values of a run became those of the baseline.")
	scheduleBaseline = gauge("assay_schedule_baseline", "namespace schedule baseline effect",
		"1, for each baseline that the gate of the schedule's runs names, with its effect (Fail or Inform).")
	scheduleLimit = gauge("assay_schedule_baseline_limit", "namespace schedule baseline parameters target measurement of unit",
		"The worst median that the threshold of the gate, or the baseline's tolerance for the measurement, lets pass, in base "+
			"units; absent without either, and where no direction is better.")
)

// ofBaseline has the series of a baseline.
func ofBaseline(b *v1alpha1.BenchmarkBaseline) []series {
	out := []series{{baselinePromoted, id(b, b.Spec.Run.Name), float64(b.Spec.Promotion.Time.Unix())}}
	for _, m := range b.Spec.Measurements {
		unit, factor := family.BaseUnit(m.Unit)
		if value, ok := expected(m, factor); ok {
			out = append(out, series{baselineValue, append(id(b), ofKey(m.MeasurementKey, unit)...), value})
		}
	}
	return out
}

// expected is the median of a measurement, which in the cache stands for its blocks.
func expected(m v1alpha1.ExpectedMeasurement, factor float64) (float64, bool) {
	if len(m.Blocks) != 1 {
		return 0, false
	}
	return number(m.Blocks[0], factor)
}

// baselines by their namespaces and names.
type baselines map[[2]string]*v1alpha1.BenchmarkBaseline

func baselinesOf(all []v1alpha1.BenchmarkBaseline) baselines {
	out := make(baselines, len(all))
	for i := range all {
		out[[2]string{all[i].Namespace, all[i].Name}] = &all[i]
	}
	return out
}

// ofGate has the series of the gate in the template of a schedule: which baselines it names, and then what
// it lets pass of each.
func ofGate(s *v1alpha1.BenchmarkSchedule, known baselines) (out []series) {
	gate := s.Spec.RunTemplate.Spec.Gate
	if gate == nil {
		return nil
	}
	var limits []series
	for _, named := range gate.Baselines() {
		out = append(out, series{scheduleBaseline, id(s, named.Name, string(named.Effect)), 1})
		b, is := known[[2]string{s.Namespace, named.Name}]
		if !is {
			continue
		}
		for _, m := range b.Spec.Measurements {
			unit, factor := family.BaseUnit(m.Unit)
			if value, ok := worst(m, gate.Threshold, factor); ok {
				limits = append(limits, series{scheduleLimit, append(id(s, named.Name), ofKey(m.MeasurementKey, unit)...), value})
			}
		}
	}
	return append(out, limits...)
}

// worst median that passes a gate with a threshold; false where the gate has no limit. The rule is that of
// package gate.
func worst(m v1alpha1.ExpectedMeasurement, threshold string, factor float64) (float64, bool) {
	value, ok := expected(m, factor)
	share, err := analysis.Share(cmp.Or(m.Tolerance, threshold))
	switch direction := contract.Direction(m.Direction); {
	case !ok || err != nil: // without a threshold; the API server refuses what is none
		return 0, false
	case direction == contract.HigherIsBetter && share < 1:
		return value * (1 - share), true
	case direction == contract.LowerIsBetter:
		return value * (1 + share), true
	}
	return 0, false
}
