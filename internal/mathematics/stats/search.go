package stats

import (
	"fmt"
	"math"
)

// Search looks for the highest rate that holds an objective, by bisection. It assumes that a rate
// below one that holds also holds.
type Search struct {
	// Low and High are the first rates to try, 0 < Low < High. The answer is between them.
	Low, High float64
	// Precision of the answer: 0.05 ends the search when the lowest rate that failed is at most 5 %
	// above the highest one that held.
	Precision float64
	// Unit of rates between Low and High: they are multiples of it. 1 for whole numbers, 0 for any.
	Unit float64
	// Trials at each rate, at least 1. A rate holds if more than half of its trials hold.
	Trials int
}

// Probe is one trial of a search.
type Probe struct {
	// Rate that was offered.
	Rate float64
	// Held says whether the trial held the objective.
	Held bool
}

// Step is what a search does next, or how it ended.
type Step struct {
	// Done: no trial is left.
	Done bool
	// Rate of the next trial; 0 when Done.
	Rate float64
	// Held is the highest rate that held the objective, 0 if none did yet. Failed is the lowest
	// one that did not, 0 if none did yet.
	Held, Failed float64
}

// Validate returns why the search cannot be carried out.
func (s Search) Validate() error {
	switch {
	case !(s.Low > 0) || !(s.High > s.Low) || math.IsInf(s.High, 1):
		return fmt.Errorf("a search needs 0 < low < high, got %v and %v", s.Low, s.High)
	case !(s.Precision > 0) || !(s.Unit >= 0):
		return fmt.Errorf("a search needs a precision above 0 and no negative unit, got %v and %v", s.Precision, s.Unit)
	case s.Trials < 1:
		return fmt.Errorf("a search needs at least one trial at each rate, got %d", s.Trials)
	}
	return nil
}

// MostTrials is the largest number of trials that the search can take.
func (s Search) MostTrials() int {
	halvings := 0
	for ratio := s.High / s.Low; !s.near(1, ratio); ratio = math.Sqrt(ratio) {
		halvings++
	}
	if s.Unit > 0 { // rounding may halve less evenly
		halvings++
	}
	return (2 + halvings) * s.Trials
}

// near reports whether two bounds are as close as the precision demands.
func (s Search) near(held, failed float64) bool { return failed <= held*(1+s.Precision)*(1+1e-9) }

// Next is the step after the trials so far, in their order. It is a function of them alone, and
// of valid trials only: one that failed for another reason is not in the history and is repeated.
//
// Low is tried first, then High, then the geometric mean of the highest rate that held and the
// lowest one that did not. If Low fails, no rate is known to hold; if High holds, the answer is
// High or more. The trials of a rate stop when its majority is certain.
//
// It fails for a history that is not of this search.
func (s Search) Next(history []Probe) (Step, error) {
	if err := s.Validate(); err != nil {
		return Step{}, err
	}
	var step Step
	for rest := history; ; {
		rate, more := s.rateAfter(step)
		held, used, certain := s.majority(rest)
		if !more {
			used = len(rest)
		}
		for _, p := range rest[:used] {
			if !more || p.Rate != rate {
				return Step{}, fmt.Errorf("trial %d of the search has the rate %v, want %v", len(history)-len(rest), p.Rate, rate)
			}
		}
		switch {
		case !more:
			step.Done = true
			return step, nil
		case !certain:
			step.Rate = rate
			return step, nil
		}
		if held {
			step.Held = rate
		} else {
			step.Failed = rate
		}
		rest = rest[used:]
	}
}

// rateAfter is the rate to try when the bounds are known.
func (s Search) rateAfter(known Step) (rate float64, more bool) {
	switch {
	case known.Held == 0 && known.Failed == 0:
		return s.Low, true
	case known.Held == 0, known.Held >= s.High:
		return 0, false
	case known.Failed == 0:
		return s.High, true
	case s.near(known.Held, known.Failed):
		return 0, false
	}
	middle := math.Sqrt(known.Held) * math.Sqrt(known.Failed)
	if s.Unit > 0 {
		middle = s.Unit * math.Round(middle/s.Unit)
	}
	return middle, middle > known.Held && middle < known.Failed
}

// majority of the first trials of a history: what it is, how many trials belong to it, and whether
// they are enough.
func (s Search) majority(history []Probe) (held bool, used int, certain bool) {
	holding := 0
	for i, p := range history[:min(len(history), s.Trials)] {
		if p.Held {
			holding++
		}
		switch failing := i + 1 - holding; {
		case 2*holding > s.Trials:
			return true, i + 1, true
		case 2*failing >= s.Trials:
			return false, i + 1, true
		}
	}
	return false, min(len(history), s.Trials), false
}
