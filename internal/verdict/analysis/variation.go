package analysis

import (
	"math"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/costs"
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
	// Runs that it is estimated from. Few tell little about how runs differ: with 5, the variance between them
	// has a relative error of 70 %.
	Runs int `json:"runs"`
}

// variation of a comparison over the runs; nil where a run has no value.
func (o *over) variation(one overRuns) *Variation {
	if len(one.absent) > 0 {
		return nil
	}
	var values [][]float64
	for i := range o.analysts {
		values = append(values, o.logRatios(one, i))
	}
	c := stats.VarianceComponents(values)
	out := Variation{Runs: len(o.runs)}
	if c.Trial.Known {
		out.WithinRuns = v1alpha1.FourDigits(math.Sqrt(c.Trial.Variance))
	}
	if c.Run.Known {
		out.BetweenRuns = v1alpha1.FourDigits(math.Sqrt(c.Run.Variance))
	}
	if of := c.Run.Variance + c.Trial.Variance/c.Trials; c.Run.Known && c.Trial.Known && of > 0 {
		out.BetweenShare = v1alpha1.FourDigits(c.Run.Variance / of)
	}
	// Whether more blocks help nobody can say where each run has one observation.
	out.Buy = c.BuyNext(o.prices(c))
	return &out
}

// logRatios of the blocks of a run. All blocks of a largest value since the start are one observation.
func (o *over) logRatios(one overRuns, run int) (out []float64) {
	if costs.SinceStart(one.contrast.Measurement.Name) {
		ratio, _ := figure.Decimal(one.ratios[run])
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
