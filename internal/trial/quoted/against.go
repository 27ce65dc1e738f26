package quoted

import (
	"fmt"
	"maps"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Ratio of a quoted number to one of the same text. It is never tested: the text has one number each,
// and nobody knows its spread.
type Ratio struct {
	// Measurement is the number, and Baseline the one that it is compared with.
	Measurement, Baseline contract.Measurement
	// Speed is how many times as fast: the ratio, or its inverse where lower is better.
	Speed float64
}

// Against are the ratios of the measurements to those with the baseline's value of a label, and the
// same name and other labels. A measurement without such a baseline has none. Of a baseline of 0
// there is no ratio.
func Against(ms []contract.Measurement, label, baseline string) []Ratio {
	bases := map[string]contract.Measurement{}
	for _, m := range ms {
		if m.Value != nil && m.Labels[label] == baseline {
			bases[keyWithout(m, label)] = m
		}
	}
	var out []Ratio
	for _, m := range ms {
		base, has := bases[keyWithout(m, label)]
		if !has || m.Value == nil || *m.Value <= 0 || *base.Value <= 0 {
			continue
		}
		out = append(out, Ratio{Measurement: m, Baseline: base, Speed: Speed(m, base)})
	}
	return out
}

// Speed of a number over a baseline, both with a value: how many times as much, and of what is better if lower as fast.
func Speed(m, baseline contract.Measurement) float64 {
	if m.Direction == contract.LowerIsBetter {
		return *baseline.Value / *m.Value
	}
	return *m.Value / *baseline.Value
}

func keyWithout(m contract.Measurement, label string) string {
	labels := maps.Clone(m.Labels)
	delete(labels, label)
	return fmt.Sprintf("%s %s %q", m.Name, m.Unit, labels)
}
