package history

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/baseline"
	"github.com/assay-bench/assay/internal/contract"
)

// markSlower marks the series that the gate of the run called slower; nil for a run without a gate.
func markSlower(series []contract.PastSeries, gate *v1alpha1.GateStatus) {
	if gate == nil {
		return
	}
	slower := map[string]bool{}
	for _, e := range gate.Entries {
		if e.Outcome == v1alpha1.OutcomeSlower {
			slower[baseline.Key(e.Measurement)] = true
		}
	}
	for i := range series {
		series[i].Slower = slower[baseline.Key(KeyOf(series[i]))]
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
