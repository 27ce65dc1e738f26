package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

const (
	errorRate = 0.05
	power     = 0.8
)

// tables of the figures in Markdown, one for each machine: what the designs find, and what became of injected effects. Figures of a
// manifest that is no longer that of its case are in none.
func tables(all []Figures) string {
	var machines []string
	for _, f := range all {
		machines = append(machines, f.Machine)
	}
	slices.Sort(machines)
	var b strings.Builder
	for _, machine := range slices.Compact(machines) {
		var rows, gates strings.Builder
		for _, c := range cases {
			of := slices.DeleteFunc(slices.Clone(all), func(f Figures) bool {
				return f.Case != c.Name || f.Machine != machine || f.Manifest != c.Digest()
			})
			switch {
			case len(of) == 0:
			case c.Margin > 0:
				gates.WriteString(gateRow(c, of))
			default:
				rows.WriteString(row(c, of))
			}
		}
		if rows.Len()+gates.Len() > 0 {
			fmt.Fprintf(&b, "**%s**\n\n", machine)
		}
		if rows.Len() > 0 {
			b.WriteString("| What | Two sides | Starts | CPUs | Client pods | Warm-up | Window | Length | Runs | Blocks | Time per block that counts | Blocks vary by | Found in 5 min | in 10 min | Right | Wrong |\n")
			b.WriteString("| --- | --- | --- | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n")
			b.WriteString(rows.String() + "\n")
		}
		if gates.Len() > 0 {
			b.WriteString("| Gate | Two sides | Starts | CPUs | Margin | Runs | Without a verdict | Passed | Failed | Undecided | Wrong | Blocks that count, median | Most | From the first window to the last, median |\n")
			b.WriteString("| --- | --- | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n")
			b.WriteString(gates.String() + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// sides of a comparison, in words.
func (c Case) sides() string {
	if c.Axis.Idle {
		return "one server, the same on both sides"
	}
	if c.Effect == 0 {
		return "two servers alike"
	}
	return fmt.Sprintf("%g %% more %s", 100*c.Effect, c.Axis.More)
}

// gateRow is of a case with a gate.
func gateRow(c Case, of []Figures) string {
	passed, failed := 0, 0
	var blocks, seconds []float64
	for _, f := range of {
		if f.NoVerdict != "" {
			continue
		}
		switch f.Gate {
		case string(metav1.ConditionTrue):
			passed++
		case string(metav1.ConditionFalse):
			failed++
		}
		blocks, seconds = append(blocks, float64(f.Blocks)), append(seconds, f.Seconds)
	}
	// Servers alike have lost nothing, and more statements are a loss beyond the margin.
	wrong := failed
	if c.Effect > 0 {
		wrong = passed
	}
	medians := " | | |"
	if n, unknown := stats.EstimateMedian(blocks); unknown == nil {
		length, _ := stats.EstimateMedian(seconds) // of as many values
		medians = fmt.Sprintf("%g | %g | %.0f s |", n.Median, slices.Max(blocks), length.Median)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %d | %d | %d | %d | %d | %d | %s\n", c.What, c.sides(), c.Starts, c.CPUs, percent(c.Margin),
		len(of), len(of)-len(blocks), passed, failed, len(blocks)-passed-failed, wrong, medians)
}

// row of a case that was played.
func row(c Case, of []Figures) string {
	blocks, slower, faster, silent := 0, 0, 0, 0
	var spreads, paces []float64
	for _, f := range of {
		if f.NoVerdict != "" {
			silent++
			continue
		}
		blocks += f.Blocks
		spreads = append(spreads, f.Spread)
		// A block that was left out took its time, too.
		paces = append(paces, f.Seconds/float64(f.Blocks))
		switch {
		case f.Slower():
			slower++
		case f.Faster():
			faster++
		}
	}
	spread, unknown := stats.EstimateMedian(spreads)
	pace, none := stats.EstimateMedian(paces)
	if unknown != nil || none != nil {
		return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s | %d, none with a verdict | | | | | | | |\n", c.What, c.sides(), c.Starts, c.CPUs, c.Pods, c.Warmup, c.Window, c.length(), len(of))
	}
	runs := fmt.Sprint(len(of))
	if silent > 0 {
		runs += fmt.Sprintf(", %d without a verdict", silent)
	}
	// More statements in an event are fewer events. Of two servers alike nothing is right but to find nothing.
	right, wrong := len(of)-silent-slower-faster, slower+faster
	if c.Effect > 0 {
		right, wrong = slower, faster
	}
	found := func(in time.Duration) string {
		effect, ok := stats.DetectableEffect(min(int(in.Seconds()/pace.Median), v1alpha1.DefaultMostBlocks), spread.Median, errorRate, power)
		if !ok {
			return "none: too few blocks"
		}
		return percent(effect)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s | %s | %d | %.1f s | %s | %s | %s | %d | %d |\n", c.What, c.sides(), c.Starts, c.CPUs, c.Pods, c.Warmup, c.Window, c.length(),
		runs, blocks, pace.Median, percent(spread.Median), found(5*time.Minute), found(10*time.Minute), right, wrong)
}

func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }
