package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/mathematics/stats"
)

const (
	errorRate = 0.05
	power     = 0.8
)

// tables of the figures in Markdown: what the designs find, and what became of injected effects.
func tables(all []Figures) string {
	var b strings.Builder
	b.WriteString("| What | Two sides | Starts | CPUs | Window | Runs | Blocks | A block takes | Blocks vary by | Found in 5 min | in 10 min | Excludes 1 |\n")
	b.WriteString("| --- | --- | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |\n")
	for _, c := range cases {
		var of []Figures
		for _, f := range all {
			if f.Case == c.Name {
				of = append(of, f)
			}
		}
		if len(of) > 0 {
			b.WriteString(row(c, of))
		}
	}
	return b.String()
}

// row of a case that was played.
func row(c Case, of []Figures) string {
	sides := "two servers alike"
	if c.Effect > 0 {
		sides = fmt.Sprintf("%g %% more statements", 100*c.Effect)
	}
	blocks, decided := 0, 0
	var spreads, paces []float64
	for _, f := range of {
		blocks += f.Blocks
		spreads = append(spreads, f.Spread)
		// A block that was left out took its time, too.
		paces = append(paces, f.Seconds/float64(f.Blocks))
		if f.Decided() {
			decided++
		}
	}
	spread, pace := median(spreads), median(paces)
	found := func(in time.Duration) string {
		effect, ok := stats.DetectableEffect(int(in.Seconds()/pace), spread, errorRate, power)
		if !ok {
			return "none: too few blocks"
		}
		return percent(effect)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %d | %d | %.1f s | %s | %s | %s | %d of %d |\n", c.What, sides, c.Starts, c.CPUs, c.Window,
		len(of), blocks, pace, percent(spread), found(5*time.Minute), found(10*time.Minute), decided, len(of))
}

func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	n := len(x)
	if n == 0 {
		return math.NaN()
	}
	return (x[(n-1)/2] + x[n/2]) / 2
}
