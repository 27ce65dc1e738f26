package rerun

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/verdict/analysis"
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
	Measurement string `json:"-"`
	Target      string `json:"target"`
	// Where in the experiment: parameters and labels.
	Where map[string]string `json:"where,omitempty"`
	Name  string            `json:"name"`
	Unit  string            `json:"unit"`
	// Low and High bound what a run like the earlier ones gives, in the unit.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
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
// Tools round, and give percentiles in steps. So the variance of the resolution is added to s squared, and half a
// step to the interval (resolution says how): without it, a sound repetition that is one step away lies outside
// far too often. Of a measurement that is the same in all earlier runs nothing is predicted: how runs differ
// cannot be seen in that.
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
	samples := map[string]sample{}
	for _, key := range checked.keys {
		s, missing := sampleOf(key, before, earlier)
		if missing != "" {
			report.Missing = append(report.Missing, missing)
			continue
		}
		samples[key] = s
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
		if s, is := samples[key]; is {
			report.Predictions = append(report.Predictions, checked.of[key].from(s, len(samples)))
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

// sample of a measurement in the earlier runs.
type sample struct {
	// logs of the medians, one for each run.
	logs []float64
	// step is the resolution: the smallest difference between the logarithms of two values; 0 where it is not known.
	step float64
}

// from a sample, one of so many measurements.
func (p Prediction) from(s sample, of int) Prediction {
	n := float64(len(s.logs))
	mean, dev := stat.MeanStdDev(s.logs, nil)
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(1 - (1-Confidence)/float64(2*of))
	// A value that is known to a step has the variance step^2/12 from that, in quadrature with the spread: Guide to the
	// Expression of Uncertainty in Measurement, JCGM 100:2008, F.2.2.1. The next value is rounded, too: by half a step at most.
	half := t*math.Hypot(dev, s.step/math.Sqrt(12))*math.Sqrt(1+1/n) + s.step/2
	p.Low, p.High = math.Exp(mean-half), math.Exp(mean+half)
	p.Within = p.Value >= p.Low*(1-rounding) && p.Value <= p.High*(1+rounding)
	return p
}

// resolution of values that a tool has rounded or counted in buckets: the smallest difference of two of their logarithms. Of
// values that are not in steps it is nearly nothing, and of a few values at most too large, which makes an interval wider. It
// is 0 where all are the same.
func resolution(values []float64) float64 {
	logs := make([]float64, 0, len(values))
	for _, v := range values {
		if v > 0 {
			logs = append(logs, math.Log(v))
		}
	}
	slices.Sort(logs)
	least := 0.0
	for i := 1; i < len(logs); i++ {
		if gap := logs[i] - logs[i-1]; gap > rounding && (least == 0 || gap < least) {
			least = gap
		}
	}
	return least
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

// sampleOf a measurement in the earlier runs; missing says why there is none.
func sampleOf(key string, before []medians, runs []analysis.Run) (s sample, missing string) {
	var blocks []float64
	for i, m := range before {
		v, has := m.of[key]
		switch {
		case !has:
			return s, fmt.Sprintf("%s: run %s has no value that counts", key, runs[i].Name)
		case !(v.Value > 0):
			return s, fmt.Sprintf("%s: run %s has the value %v, which has no logarithm", key, runs[i].Name, v.Value)
		}
		s.logs, blocks = append(s.logs, math.Log(v.Value)), append(blocks, v.blocks...)
	}
	if slices.Max(s.logs)-slices.Min(s.logs) < rounding {
		return s, fmt.Sprintf("%s: all %d runs have the value %v: how runs differ cannot be seen in that, so that no interval is estimable", key, len(runs), before[0].of[key].Value)
	}
	s.step = resolution(blocks)
	return s, ""
}
