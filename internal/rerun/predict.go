package rerun

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/stats"
)

const (
	// LeastRuns that predict another one: two have one difference, which says next to nothing about how large
	// others are.
	LeastRuns = 3
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
		"how runs differ from one another cannot be seen in fewer", LeastRuns, e.Runs)
}

// Prediction of one measurement.
type Prediction struct {
	// Measurement with target and cell, for people.
	Measurement string
	// Unit of the values.
	Unit string
	// Low and High bound what a run like the earlier ones gives.
	Low, High float64
	// Value of the run that is checked: the median over its blocks.
	Value float64
	// Within says whether it lies between them.
	Within bool
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
// twenty runs like the earlier ones at most one has any value outside. Of a measurement that is the same in all
// earlier runs, such as a percentile that its tool gives in steps, nothing is predicted: the interval would have no
// width, and a sound repetition that is one step away would lie outside.
func Check(earlier []analysis.Run, run analysis.Run) (Report, error) {
	if len(earlier) < LeastRuns {
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
	samples := map[string][]float64{}
	for _, key := range checked.keys {
		logs, missing := logsOf(key, before, earlier)
		if missing != "" {
			report.Missing = append(report.Missing, missing)
			continue
		}
		samples[key] = logs
	}
	for _, m := range before {
		for _, key := range m.keys {
			if text := key + ": run " + run.Name + " has no value that counts"; !checked.has(key) && !slices.Contains(report.Missing, text) {
				report.Missing = append(report.Missing, text)
			}
		}
	}
	if len(samples) == 0 {
		return report, errors.New(strings.Join(append([]string{"the runs have no measurement of which anything is predicted"}, report.Missing...), "; "))
	}
	for _, key := range checked.keys {
		if logs, is := samples[key]; is {
			report.Predictions = append(report.Predictions, predict(key, logs, checked.of[key], len(samples)))
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

// predict one measurement of so many.
func predict(key string, logs []float64, value measured, of int) Prediction {
	n := float64(len(logs))
	mean, dev := stat.MeanStdDev(logs, nil)
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(1 - (1-Confidence)/float64(2*of))
	half := t * dev * math.Sqrt(1+1/n)
	p := Prediction{Measurement: key, Unit: value.unit, Low: math.Exp(mean - half), High: math.Exp(mean + half), Value: value.value}
	p.Within = value.value >= p.Low*(1-rounding) && value.value <= p.High*(1+rounding)
	return p
}

// measured is a value with its unit.
type measured struct {
	value float64
	unit  string
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
		out.of[key] = measured{estimate.Median, b.Unit}
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

// logsOf a measurement in the earlier runs; missing says why there are none.
func logsOf(key string, before []medians, runs []analysis.Run) (logs []float64, missing string) {
	for i, m := range before {
		v, has := m.of[key]
		switch {
		case !has:
			return nil, fmt.Sprintf("%s: run %s has no value that counts", key, runs[i].Name)
		case !(v.value > 0):
			return nil, fmt.Sprintf("%s: run %s has the value %v, which has no logarithm", key, runs[i].Name, v.value)
		}
		logs = append(logs, math.Log(v.value))
	}
	if slices.Max(logs)-slices.Min(logs) < rounding {
		return nil, fmt.Sprintf("%s: all %d runs have the value %v: how runs differ cannot be seen in that, so that no interval is estimable", key, len(runs), before[0].of[key].value)
	}
	return logs, ""
}
