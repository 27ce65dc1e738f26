package gate

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/internal/verdict/baseline"
)

// predicted is the prediction of one measurement: the median of the run beside those of the baseline's runs.
type predicted struct {
	of     stats.Prediction
	median float64
	// p of a run like those of the baseline but for the minimum effect, and then for the whole family.
	p float64
	// absent is why nothing is predicted; empty where something is.
	absent string
}

func predictionOf(e baseline.Expected, v analysis.BlockValues) predicted {
	out := predicted{p: 1, median: medianOf(v.Blocks)}
	var err error
	var few *stats.FewRunsError
	switch out.of, err = stats.PredictRun(e.Runs, cmp.Or(stats.Resolution(e.Blocks), stats.Resolution(e.Runs))); {
	case errors.As(err, &few):
		out.absent = fmt.Sprintf("the baseline has %d medians of runs, and a prediction takes %d: kubectl assay baseline promote with several runs writes them", few.Runs, stats.LeastRuns)
	case err != nil:
		out.absent = "nothing is predicted: " + err.Error()
	}
	return out
}

// test that a run like those of the baseline, or worse by the minimum effect, has so bad a median.
func (d *predicted) test(direction contract.Direction, by rates) {
	switch {
	case by.errorRate == 0 || d.absent != "":
	case direction == contract.HigherIsBetter:
		d.p = d.of.Below(d.median / by.allowed(direction))
	case direction == contract.LowerIsBetter:
		d.p = d.of.Above(d.median / by.allowed(direction))
	}
}

// byPrediction: the median is worse than the runs of the baseline predict, as far as the error rate says. It returns why the
// rule says nothing; empty where it does.
func (one *judged) byPrediction(e baseline.Expected, by rates, d evidence) string {
	p := d.predicted
	if why := by.allows(e.Direction); why != "" {
		return why
	}
	if p.absent != "" {
		return p.absent
	}
	one.entry.PredictionP = v1alpha1.FourDigits(p.p)
	if by.reaches(p.p) {
		one.outcome = v1alpha1.OutcomeSlower
		one.text += fmt.Sprintf(", worse than %d runs predict of one more with p %s for all measurements", p.of.Runs, by.p(p.p))
		return ""
	}
	if found := by.found(e.Direction, p.of.Detectable(by.errorRate/float64(d.family), power)); !math.IsInf(found, 1) {
		one.finds(found)
	}
	return ""
}
