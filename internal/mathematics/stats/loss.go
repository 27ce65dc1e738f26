package stats

import "math"

// Loss is by which share of the baseline's value the subject is worse: 0.03 for a rate of 97 % and for a time of
// 103 %. It is negative for one that is better, and at most 1 for a rate. Everything that a gate allows is such a share.
// Without a direction it has no meaning.
func (d Direction) Loss(ratio float64) float64 {
	if d == HigherIsBetter {
		return 1 - ratio
	}
	return ratio - 1
}

// RatioAt a loss is the ratio of the subject to the baseline that has it: the inverse of Loss.
func (d Direction) RatioAt(loss float64) float64 {
	if d == HigherIsBetter {
		return 1 - loss
	}
	return 1 + loss
}

// Margined is a comparison of which it is asked whether the subject loses a margin.
type Margined struct {
	Comparison
	// Direction of the measurement. Without one nothing is decided.
	Direction Direction
	// Step is how far a true value may be above one that was compared, as a share; 0 for values that were measured
	// and not found by a search.
	Step float64
}

// LossDecision is what one comparison of a family shows of a loss.
type LossDecision struct {
	// Passed: the loss is less than the margin. Failed: it is the margin or more. Neither is undecided.
	Passed, Failed bool
	// P is the p-value of a loss of the margin or more; FailedP that of a smaller one, adjusted for the family by Holm's
	// procedure. A small P passes, and a small FailedP fails.
	P, FailedP float64
	// Interval of the ratio. The end with the larger loss is the one-sided bound at the error rate: it excludes the
	// margin if and only if Passed. The other end is the bound of the level at which Holm's procedure tested the
	// comparison: it is beyond the margin if and only if Failed. An end that the values are too few for is 0 or +Inf. There
	// is no Coverage, because the two levels differ.
	Interval Interval
	// Exploratory: there are fewer than MinBlocks values. Nothing is decided.
	Exploratory bool
}

// DecideLosses decides for a family that was declared before the data whether each subject loses the margin (0.03 for 3 %,
// above 0 and below 1): one-sided tests of non-inferiority, by the rank test of the comparison, shifted to the margin.
//
// Whoever asks that all pass rejects a union of hypotheses, that any of the subjects loses the margin. Each test then has
// the full error rate: the probability that all pass while one of them loses the margin or more is at most errorRate,
// however they depend on one another. Whoever stops when any fails tests an intersection. For that the failures have
// Holm's procedure: the probability that one or more fail whose loss is less than the margin is at most errorRate. For no
// true loss can a comparison both pass and fail wrongly.
//
// A comparison of nothing (the zero value) counts in the family: it neither passes nor fails.
//
// Source: R. L. Berger, Multiparameter hypothesis testing and acceptance sampling, Technometrics 24 (1982), 295-300 (the
// intersection-union test); S. Wellek, Testing Statistical Hypotheses of Equivalence and Noninferiority, 2nd ed., CRC 2010,
// sections 1.6 and 5.4.
func DecideLosses(family []Margined, margin, errorRate float64) []LossDecision {
	worse := make([]float64, len(family))
	for i, m := range family {
		worse[i] = m.below(m.failsAt(margin))
	}
	levels, adjusted := HolmLevels(worse, errorRate), Holm(worse)
	decisions := make([]LossDecision, len(family))
	for i, m := range family {
		d := LossDecision{P: m.above(m.passesAt(margin)), FailedP: adjusted[i], Exploratory: m.N < MinBlocks}
		if d.Interval = m.between(errorRate, levels[i]); !d.Exploratory {
			d.Passed, d.Failed = reaches(d.P, errorRate), reaches(worse[i], levels[i])
		}
		decisions[i] = d
	}
	return decisions
}

// gain is the ratio as one of which more is better: the inverse of that of a time. A bound of it is decided by above and
// below, whatever the direction is.
func (m Margined) gain(ratio float64) float64 {
	if m.Direction == HigherIsBetter {
		return ratio
	}
	return 1 / ratio
}

// passesAt is the gain that has to be exceeded. Found values are steps: the true gain may be below the found one by one of
// them. But which side is larger is as certain as the found values say, so that more than a gain of 1 is not asked for.
func (m Margined) passesAt(margin float64) float64 {
	return min(1, m.gain(m.Direction.RatioAt(margin))*(1+m.Step))
}

// failsAt is the gain that has to be missed.
func (m Margined) failsAt(margin float64) float64 {
	return m.gain(m.Direction.RatioAt(margin)) / (1 + m.Step)
}

// atBound is how far a log-ratio may be from the margin and still be at it: the rounding of two ways to compute one number
// decides nothing.
const atBound = 1e-12

// above is the one-sided p-value of a gain of at most the bound: a small one shows that it is above.
func (m Margined) above(gain float64) float64 {
	switch m.Direction {
	case HigherIsBetter:
		return m.Comparison.above(math.Log(gain) + atBound)
	case LowerIsBetter:
		return m.Comparison.below(-math.Log(gain) - atBound)
	}
	return 1
}

// below is that of a gain of at least the bound.
func (m Margined) below(gain float64) float64 {
	switch m.Direction {
	case HigherIsBetter:
		return m.Comparison.below(math.Log(gain) - atBound)
	case LowerIsBetter:
		return m.Comparison.above(-math.Log(gain) + atBound)
	}
	return 1
}

// between the one-sided bounds of the ratio: the end with the larger loss at one error rate, the other at another.
func (m Margined) between(worse, better float64) Interval {
	out := Interval{High: math.Inf(1)}
	atLow, atHigh := worse, better
	if m.Direction == LowerIsBetter {
		atLow, atHigh = better, worse
	}
	if i, ok := m.Interval(2 * atLow); ok {
		out.Low = i.Low
	}
	if i, ok := m.Interval(2 * atHigh); ok {
		out.High = i.High
	}
	return out.Widened(m.Step)
}

// BlocksForLoss is the smallest number of blocks, at least MinBlocks, whose paired comparison passes a margin with the
// given power where nothing is lost. Spread is that of the logarithms of the ratios, and errorRate one-sided. ok is false
// where 10,000 are not enough, and without a direction.
func BlocksForLoss(direction Direction, margin, spread, errorRate, power float64) (blocks int, ok bool) {
	if direction == NoDirection {
		return 0, false
	}
	shift := math.Abs(math.Log(direction.RatioAt(margin)))
	return BlocksFor(math.Expm1(shift), spread, 2*errorRate, power)
}
