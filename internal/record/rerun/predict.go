package rerun

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

const (
	// Confidence that all measurements of a run like the earlier ones lie within their intervals.
	Confidence = 0.95
	// rounding of a logarithm.
	rounding = 1e-12
)

// NotEstimableError is the error for too few runs.
type NotEstimableError struct {
	// Runs that there are.
	Runs int
}

// Error says how many are needed.
func (e *NotEstimableError) Error() string {
	return fmt.Sprintf("not estimable: what another run gives is predicted from at least %d runs of the experiment, and there are %d: "+
		"how runs differ from one another cannot be seen in fewer", stats.LeastRuns, e.Runs)
}

// Prediction of one measurement.
type Prediction struct {
	// Measurement with target and cell, for people.
	Measurement string `json:"-"`
	Target      string `json:"target"`
	// Where in the experiment: parameters and labels.
	Where map[string]string `json:"where,omitempty"`
	Name  string            `json:"name"`
	Unit  string            `json:"unit"`
	// Low and High bound what a run like the earlier ones gives, in the unit.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Reach is how many standard deviations of runs the interval reaches to either side. Few runs have wide intervals, within which
	// nearly any run lies: 7 of two measurements with three runs, 2.4 with twenty.
	Reach float64 `json:"reach"`
	// Value of the run that is checked: the median over its blocks.
	Value float64 `json:"value"`
	// Within says whether it lies between them.
	Within bool `json:"within"`
}

// Report of a check.
type Report struct {
	// Runs that predicted.
	Runs int
	// Predictions in the order of the plan.
	Predictions []Prediction
	// Missing are measurements that not every run has, or that are the same in all earlier ones, with why they are not
	// compared; each stands there once.
	Missing []string
}

// Within says whether all measurements lie within their intervals.
func (r Report) Within() bool {
	return !slices.ContainsFunc(r.Predictions, func(p Prediction) bool { return !p.Within })
}

// Check a run against what earlier ones predict. The value of a run is the median over its blocks. Its
// logarithm is taken as drawn from the normal distribution of the earlier ones', so that the interval for one
// more is mean +- t(n-1) * s * sqrt(1 + 1/n). The level is that of Bonferroni over all measurements: of
// twenty runs like the earlier ones at most one has any value outside.
//
// Tools round, and give percentiles in steps: stats.PredictRun includes that. Of a measurement that is the same in all earlier
// runs nothing is predicted: how runs differ cannot be seen in that.
func Check(earlier []analysis.Run, run analysis.Run) (Report, error) {
	if len(earlier) < stats.LeastRuns {
		return Report{}, &NotEstimableError{Runs: len(earlier)}
	}
	for _, e := range earlier {
		if err := analysis.MeasuredTheSame(pinned(e), pinned(run)); err != nil {
			return Report{}, err
		}
	}
	checked, err := mediansOf(run)
	if err != nil {
		return Report{}, err
	}
	var before []medians
	for _, e := range earlier {
		m, err := mediansOf(e)
		if err != nil {
			return Report{}, err
		}
		before = append(before, m)
	}
	report := Report{Runs: len(earlier)}
	predictions := map[string]stats.Prediction{}
	for _, key := range checked.keys {
		of, missing := predicted(key, before, earlier)
		if missing != "" {
			report.Missing = append(report.Missing, missing)
			continue
		}
		predictions[key] = of
	}
	for _, m := range before {
		for _, key := range m.keys {
			if text := key + ": run " + run.Name + " has no value that counts"; !checked.has(key) && !slices.Contains(report.Missing, text) {
				report.Missing = append(report.Missing, text)
			}
		}
	}
	if len(predictions) == 0 {
		return report, errors.New(strings.Join(append([]string{"the runs have no measurement of which anything is predicted"}, report.Missing...), "; "))
	}
	for _, key := range checked.keys {
		if of, is := predictions[key]; is {
			report.Predictions = append(report.Predictions, checked.of[key].from(of, len(predictions)))
		}
	}
	return report, nil
}

// pinned is a run without the name of its tool's image: a manifest that repeats a run has its digest.
func pinned(run analysis.Run) analysis.Run {
	if run.Spec.Workload.Custom != nil {
		run.Spec = *run.Spec.DeepCopy()
		run.Spec.Workload.Custom.Image = ""
	}
	return run
}

// from a prediction, one of so many measurements.
func (p Prediction) from(of stats.Prediction, among int) Prediction {
	rate := (1 - Confidence) / float64(among)
	i := of.Interval(rate)
	p.Low, p.High, p.Reach = i.Low, i.High, of.Reach(rate)
	p.Within = p.Value >= p.Low*(1-rounding) && p.Value <= p.High*(1+rounding)
	return p
}

// measured is a value with what it is of, and the values of the blocks that it is the median of.
type measured struct {
	Prediction
	blocks []float64
}

// medians of a run, by target, cell and measurement.
type medians struct {
	keys []string
	of   map[string]measured
}

func (m medians) has(key string) bool { _, is := m.of[key]; return is }

// mediansOf the measurements that a run compares.
func mediansOf(run analysis.Run) (medians, error) {
	out := medians{of: map[string]measured{}}
	values, err := analysis.ValuesOf(run)
	if err != nil {
		return out, fmt.Errorf("run %s: %w", run.Name, err)
	}
	for _, b := range values.Primary() {
		if len(b.Blocks) == 0 {
			continue
		}
		estimate, err := stats.EstimateMedian(b.Blocks)
		if err != nil {
			return out, fmt.Errorf("run %s: %w", run.Name, err)
		}
		key := strings.TrimSpace(b.Target + " " + wordsOf(b.Parameters) + " " + b.Name + " " + wordsOf(b.Labels))
		out.keys = append(out.keys, key)
		where := map[string]string{}
		maps.Copy(where, b.Labels)
		maps.Copy(where, b.Parameters)
		out.of[key] = measured{Prediction{Measurement: key, Target: b.Target, Name: b.Name, Unit: b.Unit, Where: where, Value: estimate.Median}, b.Blocks}
	}
	return out, nil
}

func wordsOf(labels map[string]string) string {
	var words []string
	for name, value := range labels {
		words = append(words, name+"="+value)
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// predicted is what the earlier runs predict of a measurement; missing says why they do not.
func predicted(key string, before []medians, runs []analysis.Run) (of stats.Prediction, missing string) {
	var values, blocks []float64
	for i, m := range before {
		v, has := m.of[key]
		switch {
		case !has:
			return of, fmt.Sprintf("%s: run %s has no value that counts", key, runs[i].Name)
		case !(v.Value > 0):
			return of, fmt.Sprintf("%s: run %s has the value %v, which has no logarithm", key, runs[i].Name, v.Value)
		}
		values, blocks = append(values, v.Value), append(blocks, v.blocks...)
	}
	of, err := stats.PredictRun(values, stats.Resolution(blocks))
	switch {
	case errors.Is(err, stats.ErrEqualRuns):
		return of, fmt.Sprintf("%s: all %d runs have the value %v: how runs differ cannot be seen in that, so that no interval is estimable", key, len(runs), values[0])
	case err != nil:
		return of, key + ": " + err.Error()
	}
	return of, ""
}
