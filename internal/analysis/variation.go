package analysis

import (
	"fmt"
	"math"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/costs"
	"github.com/assay-bench/assay/internal/stats"
)

// Variation says where the noise of a ratio comes from, and which repetition makes its interval
// narrower for the least time. Numbers are decimal.
type Variation struct {
	// WithinRuns is the standard deviation of the logarithm of the ratio from block to block, such as 0.012
	// for 1.2 %; absent with one block in each run, or one observation.
	WithinRuns string `json:"withinRuns,omitempty"`
	// BetweenRuns is that from run to run, without what the blocks add to it. It is 0 where the runs differ
	// by no more than their blocks explain; absent with one run.
	BetweenRuns string `json:"betweenRuns,omitempty"`
	// BetweenShare of the variance of the result comes from the differences between runs, 0 to 1. The rest is
	// that of the blocks, and gets smaller with more of them. Absent where either is not known.
	BetweenShare string `json:"betweenShare,omitempty"`
	// Buy is Trial for more blocks, Run for more runs; absent where nothing varies.
	Buy stats.Level `json:"buy,omitempty"`
	// Text is all of it in one line.
	Text string `json:"text"`
}

// fewRuns tell little about how runs differ: with 5, the variance between them has a relative error of 70 %.
const fewRuns = 5

// variation of a comparison over the runs; nil where a run has no value.
func (o *over) variation(one overRuns) *Variation {
	if one.absent != "" {
		return nil
	}
	var values [][][]float64
	for i := range o.analysts {
		values = append(values, [][]float64{o.logRatios(one, i)})
	}
	c, err := stats.VarianceComponents(values)
	if err != nil {
		return nil
	}
	out := Variation{}
	if c.Trial.Known {
		out.WithinRuns = v1alpha1.FourDigits(math.Sqrt(c.Trial.Variance))
	}
	if c.Run.Known {
		out.BetweenRuns = v1alpha1.FourDigits(math.Sqrt(c.Run.Variance))
	}
	share, of := 0.0, c.Run.Variance+c.Trial.Variance/c.Trials
	if c.Run.Known && c.Trial.Known && of > 0 {
		share = c.Run.Variance / of
		out.BetweenShare = v1alpha1.FourDigits(share)
	}
	// Whether more blocks help nobody can say where each run has one observation.
	out.Buy, _ = c.BuyNext(o.prices(c))
	out.Text = variationText(out, c, share)
	return &out
}

// logRatios of the blocks of a run. All blocks of a largest value since the start are one observation.
func (o *over) logRatios(one overRuns, run int) (out []float64) {
	if costs.SinceStart(one.contrast.Measurement.Name) {
		ratio, _ := number(one.ratios[run])
		return []float64{math.Log(ratio)}
	}
	s := o.analysts[run].series
	id, _ := s.find(one.contrast)
	subject, baseline := s.pairs(one.contrast, id)
	for i := range subject {
		out = append(out, math.Log(subject[i]/baseline[i]))
	}
	return out
}

// prices of a block and of a run without its blocks, in seconds: the means of the runs. Where
// nobody knows them a run costs its blocks.
func (o *over) prices(c stats.Components) stats.Costs {
	var measuring, around float64
	for _, run := range o.runs {
		seconds := measuringSeconds(run)
		if seconds <= 0 || run.Seconds < seconds {
			return stats.Costs{Trial: 1}
		}
		measuring, around = measuring+seconds, around+run.Seconds-seconds
	}
	return stats.Costs{Trial: measuring / (c.Runs * c.Trials), Run: around / c.Runs}
}

// measuringSeconds of a run, from its first window to the end of its last attempt; 0 where that is not
// known.
func measuringSeconds(run Run) float64 {
	var first, last time.Time
	for _, rec := range run.Records {
		if t := rec.WindowStartTime; t != nil && (first.IsZero() || t.Before(first)) {
			first = *t
		}
		if t := rec.CompletionTime; t != nil && t.After(last) {
			last = *t
		}
	}
	if first.IsZero() || !last.After(first) {
		return 0
	}
	return last.Sub(first).Seconds()
}

// variationText such as
//
//	1.2 % within a run, 2.4 % between runs, which are 98 % of the variance of the result (4 runs: rough): more runs, not more blocks
func variationText(v Variation, c stats.Components, share float64) string {
	text := "one observation in each run"
	if c.Trial.Known {
		text = Percent(math.Sqrt(c.Trial.Variance)) + " within a run"
	}
	if !c.Run.Known {
		return text + "; what differs between runs is not known: more runs"
	}
	text += fmt.Sprintf(", %s between runs", Percent(math.Sqrt(c.Run.Variance)))
	if v.BetweenShare != "" {
		text += fmt.Sprintf(", which is %.0f %% of the variance of the result", 100*share)
	}
	if c.Runs < fewRuns {
		text += fmt.Sprintf(" (%.0f runs: rough)", c.Runs)
	}
	switch {
	case v.Buy == stats.LevelRun && (share > 0.5 || v.BetweenShare == ""):
		return text + ": more runs, not more blocks"
	case v.Buy == stats.LevelRun:
		return text + ": more runs, which also show better how runs differ"
	case v.Buy == stats.LevelTrial:
		return text + ": more blocks in each run, not more runs"
	}
	return text + ": nothing varies"
}
