package benchmarkrun

import (
	"fmt"
	"strconv"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/plan"
	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/internal/stats"
	"github.com/assay-bench/assay/internal/validity"
	"github.com/assay-bench/assay/runners/runner"
)

// conclude ends the run: with a failure, or else as complete. The results and the
// condition that announces them appear in the same write.
func conclude(s *scope, failure *outcome) {
	run := s.run
	run.Status.FinishTime = &metav1.Time{Time: s.now}
	run.Status.Progress.CurrentTrial = nil
	run.Status.Progress.EstimatedEnd = nil
	for i := range run.Status.Trials {
		if t := &run.Status.Trials[i]; t.State == v1alpha1.TrialRunning {
			t.State, t.Reason, t.Message = v1alpha1.TrialFailed, failure.reason, "the run ended before the trial did: "+failure.message
			s.putTrial(*t)
		}
	}
	summarise(s)
	setValid(s)
	setEnd(s, failure)
}

// check holds the result of a trial against itself and against what was asked for.
func check(s *scope, t plan.Trial, asked runner.Trial, res result.Result) []v1alpha1.Finding {
	finding := func(check, severity, message string) v1alpha1.Finding {
		return v1alpha1.Finding{Trial: new(t.Index), Target: t.Target, Check: check, Severity: severity, Message: message}
	}
	facts, err := s.runner.Facts(asked)
	if err != nil {
		return []v1alpha1.Finding{finding("facts", string(validity.Invalid), err.Error())}
	}
	var out []v1alpha1.Finding
	for _, f := range validity.Check(res, facts) {
		out = append(out, finding(f.Check, string(f.Severity), f.Message))
	}
	return out
}

func isInvalid(f v1alpha1.Finding) bool { return f.Severity == string(validity.Invalid) }

// summarise computes, for each target, the median and spread of each measurement
// over the trials that succeeded and are valid.
func summarise(s *scope) {
	s.run.Status.Summary = nil
	for _, t := range s.run.Spec.Targets {
		for _, name := range s.runner.Summary {
			sample, like := samples(s.run.Status.Trials, t.Name, name)
			sum, err := stats.EstimateMedian(sample)
			if err != nil {
				continue // Nothing was measured: absent, not zero.
			}
			s.run.Status.Summary = append(s.run.Status.Summary, entry(t.Name, like, sum))
		}
	}
	s.run.Status.Headline = headline(s.run.Status.Summary)
}

// samples are the values of a measurement in the trials that count, and one of
// them as an example of its name, unit and direction.
func samples(trials []v1alpha1.TrialStatus, target, name string) (sample []float64, like v1alpha1.Value) {
	for _, t := range trials {
		if t.Target != target || t.State != v1alpha1.TrialSucceeded || t.Valid == nil || !*t.Valid {
			continue
		}
		for _, v := range t.Values {
			f, err := strconv.ParseFloat(v.Value, 64)
			if v.Name == name && err == nil {
				sample, like = append(sample, f), v
			}
		}
	}
	return sample, like
}

// entry summarises values that are all like the given one.
func entry(target string, like v1alpha1.Value, sum stats.MedianEstimate) v1alpha1.SummaryEntry {
	e := v1alpha1.SummaryEntry{
		Target: target, Name: like.Name, Unit: like.Unit, Direction: like.Direction, N: int32(sum.N),
		Median: decimal(sum.Median), Min: decimal(sum.Min), Max: decimal(sum.Max),
	}
	if sum.Interval != nil {
		e.IntervalLow, e.IntervalHigh = decimal(sum.Interval.Low), decimal(sum.Interval.High)
	}
	return e
}

func headline(sum []v1alpha1.SummaryEntry) string {
	if len(sum) == 0 {
		return ""
	}
	v, err := strconv.ParseFloat(sum[0].Median, 64)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %s (n=%d)", strconv.FormatFloat(v, 'f', 1, 64), sum[0].Unit, sum[0].N)
}

// setValid sets the condition Valid from the findings, once there is a result
// that was checked.
func setValid(s *scope) {
	checked, invalid := 0, 0
	for _, t := range s.run.Status.Trials {
		if t.Valid != nil {
			checked++
			if !*t.Valid {
				invalid++
			}
		}
	}
	c := metav1.Condition{Type: v1alpha1.ConditionValid, ObservedGeneration: s.run.Generation}
	switch {
	case checked == 0:
		return
	case invalid > 0:
		c.Status, c.Reason = metav1.ConditionFalse, v1alpha1.ReasonContradictions
		c.Message = fmt.Sprintf("%d of %d results contradict themselves and are not part of the summary: see status.findings", invalid, checked)
	default:
		c.Status, c.Reason = metav1.ConditionTrue, v1alpha1.ReasonSucceeded
		c.Message = fmt.Sprintf("%d results passed every check", checked)
	}
	apimeta.SetStatusCondition(&s.run.Status.Conditions, c)
}
