package stats

// Direction is which values of a measurement are better.
type Direction int

// Directions.
const (
	// NoDirection: neither is better, as for a number of rows.
	NoDirection Direction = iota
	// HigherIsBetter, as for throughput.
	HigherIsBetter
	// LowerIsBetter, as for latency.
	LowerIsBetter
)

// Verdict is what a comparison shows.
type Verdict string

// Verdicts. Faster, Slower, Higher and Lower do not say that the difference matters: see
// Decision.Equivalent.
const (
	// Faster: the subject is better than the baseline.
	Faster Verdict = "Faster"
	// Slower: the subject is worse.
	Slower Verdict = "Slower"
	// Higher: the subject's values are larger, and neither is better.
	Higher Verdict = "Higher"
	// Lower: the subject's values are smaller, and neither is better.
	Lower Verdict = "Lower"
	// Equivalent: no difference was shown, and the ratio is within the margin.
	Equivalent Verdict = "Equivalent"
	// Inconclusive: the data show neither a difference nor equivalence.
	Inconclusive Verdict = "Inconclusive"
	// Exploratory: there are fewer than MinBlocks values.
	Exploratory Verdict = "Exploratory"
)

// Decision is what one comparison of a family shows.
type Decision struct {
	// P is the p-value of no difference, adjusted for the family by Holm's procedure.
	P float64
	// Interval of the ratio, of the level at which Holm's procedure tested this comparison. It excludes 1 if and
	// only if P is at most the error rate of the family. It is nil where there are too few values.
	Interval *Interval
	// EquivalenceInterval of the ratio, of the level at which Holm's procedure tested equivalence: 1-2*errorRate for one
	// comparison, as two one-sided tests have it. It is within the margin if and only if the sides are Equivalent. It is
	// nil where there are too few values, and without a margin.
	EquivalenceInterval *Interval
	// Larger and Smaller: the subject's values are larger or smaller.
	Larger, Smaller bool
	// Equivalent: the ratio is between 1/(1+margin) and 1+margin. With Larger or Smaller it
	// means that there is a difference, and that it is less than what matters.
	Equivalent bool
	// Exploratory: there are fewer than MinBlocks values. Nothing is decided.
	Exploratory bool
}

// Decide decides a family of comparisons that was declared before the data. Margin is the
// smallest difference that matters: 0.02 for 2 %; 0 decides nothing about equivalence.
//
// The probability of any false difference in the family is at most errorRate, and so is that of
// any false equivalence: Holm's procedure is applied to either kind. Each kind has an interval of its
// own: Interval excludes 1 where there is a difference, and EquivalenceInterval, which is narrower, is within
// the margin where there is equivalence. So the Interval of an Equivalent comparison may reach beyond
// the margin.
//
// A comparison of nothing (the zero value) counts in the family.
func Decide(family []Comparison, errorRate, margin float64) []Decision {
	difference, equivalence := make([]float64, len(family)), make([]float64, len(family))
	for i, c := range family {
		difference[i], equivalence[i] = c.P(), c.Equivalence(margin)
	}
	levels, adjusted := HolmLevels(difference, errorRate), Holm(difference)
	equivalenceLevels := HolmLevels(equivalence, errorRate)
	decisions := make([]Decision, len(family))
	for i, c := range family {
		d := Decision{P: adjusted[i]}
		if interval, ok := c.Interval(levels[i]); ok {
			d.Interval = &interval
		}
		if interval, ok := c.Interval(2 * equivalenceLevels[i]); ok && margin > 0 {
			d.EquivalenceInterval = &interval
		}
		if d.Exploratory = c.N < MinBlocks; !d.Exploratory {
			differs := reaches(difference[i], levels[i])
			d.Larger, d.Smaller = differs && c.shiftsUp(), differs && !c.shiftsUp()
			d.Equivalent = reaches(equivalence[i], equivalenceLevels[i])
		}
		decisions[i] = d
	}
	return decisions
}

// shiftsUp reports whether more shifts are above 0 than below.
func (c Comparison) shiftsUp() bool {
	if c.across.freedom > 0 {
		return c.across.estimate > 0
	}
	return c.under(0) < len(c.shifts)-c.upTo(0)
}

// Verdict in words, for a measurement of this direction.
func (d Decision) Verdict(direction Direction) Verdict {
	switch {
	case d.Exploratory:
		return Exploratory
	case d.Larger && direction == HigherIsBetter, d.Smaller && direction == LowerIsBetter:
		return Faster
	case d.Smaller && direction == HigherIsBetter, d.Larger && direction == LowerIsBetter:
		return Slower
	case d.Larger:
		return Higher
	case d.Smaller:
		return Lower
	case d.Equivalent:
		return Equivalent
	}
	return Inconclusive
}
