package stats

import "math"

// Interim is one interim analysis: a point of a sequential experiment at which its data are decided.
type Interim struct {
	// Blocks measured by then.
	Blocks int
	// ErrorRate for Decide at this interim analysis.
	ErrorRate float64
}

// interimGrowth is the least ratio of the blocks of two interim analyses. Interim analyses cost error rate, and one with
// few new blocks rarely decides more than the one before.
const interimGrowth = 1.5

// Interims plans a sequential experiment: it may stop at any interim analysis, and ends at the last one. Nothing is
// decided in between. The error rate is divided among the interim analyses. So the probability of a false decision at
// any of them is at most errorRate, whatever makes the experiment stop: an interval that is narrow enough, a decision,
// or impatience. The same holds for the intervals: those of one comparison in all interim analyses contain its ratio
// with a probability of at least 1-errorRate. This is Bonferroni's inequality, and it needs no assumption on how they
// depend on one another.
//
// The first interim analysis has at least least blocks, and as many as a family of this many comparisons needs at all
// (BlocksNeeded). They are spaced by a constant ratio of at least 1.5. Where most does not reach what the family needs,
// there is one, at most.
//
// Source: repeated confidence intervals, C. Jennison and B. W. Turnbull, Group Sequential Methods
// with Applications to Clinical Trials, CRC 2000, chapter 9; with Bonferroni's bound in place of
// boundaries for normal increments.
func Interims(least, most, comparisons int, errorRate float64) []Interim {
	number := 1
	for {
		first := firstLook(least, comparisons, errorRate/float64(number+1))
		if float64(first)*math.Pow(interimGrowth, float64(number)) > float64(most) {
			break
		}
		number++
	}
	rate := errorRate / float64(number)
	first := firstLook(least, comparisons, rate)
	interims := make([]Interim, 0, number)
	for i := range number - 1 {
		blocks := float64(first) * math.Pow(float64(most)/float64(first), float64(i)/float64(number-1))
		interims = append(interims, Interim{Blocks: int(math.Round(blocks)), ErrorRate: rate})
	}
	return append(interims, Interim{Blocks: most, ErrorRate: rate})
}

func firstLook(least, comparisons int, errorRate float64) int {
	return max(least, BlocksNeeded(comparisons, errorRate))
}
