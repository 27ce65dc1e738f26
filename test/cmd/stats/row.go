package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// simulation makes one row.
type simulation struct {
	name, conditions string
	play             func(random *rand.Rand, rounds int) row
}

// row is what a simulation found.
type row struct {
	value, standardError float64
	rounds               int
	bar                  bar
}

// bar is what a value is held against. A value is missed if it is outside of low and high, by more
// than allowed standard errors.
type bar struct {
	low, high float64
	allowed   float64
	plain     bool // not a share
}

// none is the bar of rows that are only told.
var none = bar{low: math.Inf(-1), high: math.Inf(1)}

// between holds the value itself against the bar, the others allow for the error of the simulation.
func between(low, high float64) bar  { return bar{low: low, high: high} }
func atMost(high float64) bar        { return bar{low: math.Inf(-1), high: high, allowed: 2} }
func exactly(value float64) bar      { return bar{low: value, high: value, allowed: 3.5} }
func atLeastAbout(value float64) bar { return bar{low: value, high: math.Inf(1), allowed: 3.5} }

func (b bar) missedBy(r row) bool {
	slack := b.allowed * r.standardError
	return math.IsNaN(r.value) || r.value < b.low-slack || r.value > b.high+slack
}

func (b bar) format(v float64) string {
	if b.plain {
		return fmt.Sprintf("%.4g", v)
	}
	return fmt.Sprintf("%.2f %%", 100*v)
}

func (b bar) String() string {
	var words []string
	switch {
	case b.low == b.high:
		words = append(words, b.format(b.low))
	case !math.IsInf(b.low, -1) && !math.IsInf(b.high, 1):
		words = append(words, b.format(b.low)+" to "+b.format(b.high))
	case !math.IsInf(b.low, -1):
		words = append(words, "at least "+b.format(b.low))
	case !math.IsInf(b.high, 1):
		words = append(words, "at most "+b.format(b.high))
	}
	if b.allowed > 0 {
		words = append(words, fmt.Sprintf("within %.1f ±", b.allowed))
	}
	return strings.Join(words, ", ")
}

// share of the rounds in which something happens.
func share(rounds int, b bar, happens func() bool) row {
	count := 0
	for range rounds {
		if happens() {
			count++
		}
	}
	p := float64(count) / float64(rounds)
	// Never 0, as the standard error of 0 of 1,000 would be: half a case is added to either side.
	smooth := (float64(count) + 0.5) / float64(rounds+1)
	return row{value: p, standardError: math.Sqrt(smooth * (1 - smooth) / float64(rounds)), rounds: rounds, bar: b}
}

// mean of a number over the rounds.
func mean(rounds int, b bar, number func() float64) row {
	sum, squares := 0.0, 0.0
	for range rounds {
		v := number()
		sum, squares = sum+v, squares+v*v
	}
	n := float64(rounds)
	b.plain = true
	return row{value: sum / n, standardError: math.Sqrt(max(0, squares/n-sum*sum/n/n) / n), rounds: rounds, bar: b}
}
