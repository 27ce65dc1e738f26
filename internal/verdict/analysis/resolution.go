package analysis

import (
	"math"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// Steps are how finely values are known that a search found: each is the highest rate that held, and
// the true one is anywhere from there to the lowest that did not.
type Steps struct {
	// Precision is how far the true value may be above a found one, such as 0.05.
	Precision float64
	// Least difference of two values: one operation per second of each client.
	Least float64
}

// stepsOf the search of a spec; nil without one.
func stepsOf(spec v1alpha1.BenchmarkRunSpec) (*Steps, error) {
	if spec.Search == nil {
		return nil, nil
	}
	s, err := plan.SearchOf(*spec.Search)
	if err != nil {
		return nil, err
	}
	return &Steps{Precision: s.Precision, Least: float64(spec.MeasuringClients())}, nil
}

// above is how far the true value may be above the least of these, as a share of it; 0 for values that
// were measured.
func (s *Steps) above(values ...float64) float64 {
	if s == nil {
		return 0
	}
	out := s.Precision
	for _, v := range values {
		if v > 0 {
			out = math.Max(out, s.Least/v)
		}
	}
	return out
}

// known is a decision on found values: its intervals are those of the true ratio, and only where the one of equivalence
// is within what matters the sides are equivalent.
func (d Declaration) known(x stats.Decision, above float64) stats.Decision {
	if above > 0 {
		x.Interval, x.EquivalenceInterval = widen(x.Interval, above), widen(x.EquivalenceInterval, above)
		x.Equivalent = x.Equivalent && x.EquivalenceInterval.Low >= 1/(1+d.MinimumEffect) && x.EquivalenceInterval.High <= 1+d.MinimumEffect
	}
	return x
}

// widen the interval of a ratio of found values to one of the true ratio; nil for none.
func widen(i *stats.Interval, above float64) *stats.Interval {
	if i == nil {
		return nil
	}
	return new(i.Widened(above))
}

// coarse says that the values of a comparison are found ones; nothing of values that were measured.
func coarse(above float64) []v1alpha1.VerdictReason {
	if above == 0 {
		return nil
	}
	return []v1alpha1.VerdictReason{because(v1alpha1.CodeSearchStep, "step", v1alpha1.FourDigits(above))}
}
