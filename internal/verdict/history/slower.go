package history

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/baseline"
)

// markSlower marks the series that the gate of the run called slower, and those that it could not judge;
// nil for a run without a gate.
func markSlower(series []contract.PastSeries, gate *v1alpha1.GateStatus) {
	if gate == nil {
		return
	}
	inform := map[string]bool{}
	for _, b := range gate.Baselines {
		inform[b.Name] = b.Effect == v1alpha1.EffectInform
	}
	// Of several baselines, one that it is slower than decides, and then one that could judge it.
	rank := map[v1alpha1.GateOutcome]int{v1alpha1.OutcomeSlower: 3, v1alpha1.OutcomePassed: 2, v1alpha1.OutcomeMissing: 1, v1alpha1.OutcomeNotJudged: 1, v1alpha1.OutcomeNew: 1}
	outcomes := map[string]v1alpha1.GateOutcome{}
	for _, e := range gate.Entries {
		if key := baseline.Key(e.Measurement); !inform[e.Baseline] && rank[e.Outcome] > rank[outcomes[key]] {
			outcomes[key] = e.Outcome
		}
	}
	for i := range series {
		switch outcomes[baseline.Key(KeyOf(series[i]))] {
		case v1alpha1.OutcomeSlower:
			series[i].Slower = true
		case v1alpha1.OutcomeNotJudged, v1alpha1.OutcomeNew:
			series[i].NotJudged = true
		}
	}
}

// KeyOf a series tells its measurement apart, as baselines and gates do.
func KeyOf(s contract.PastSeries) v1alpha1.MeasurementKey {
	key := v1alpha1.MeasurementKey{Target: s.Target, Name: s.Name, Labels: s.Labels, Unit: s.Unit}
	for name, value := range s.Parameters {
		if key.Parameters == nil {
			key.Parameters = map[string]string{}
		}
		key.Parameters[name] = value.String()
	}
	return key
}
