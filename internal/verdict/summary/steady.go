package summary

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// steadiness counts the trials by whether their throughput was constant; nil where no record says.
func steadiness(trials []outcome) *v1alpha1.SteadinessCount {
	var c v1alpha1.SteadinessCount
	for _, o := range trials {
		switch stats.SteadyState(o.record.Steadiness) {
		case stats.Steady:
			c.Steady++
		case stats.NotSteady:
			c.NotSteady++
		case stats.TooShort:
			c.TooShort++
		}
	}
	if c == (v1alpha1.SteadinessCount{}) {
		return nil
	}
	return &c
}
