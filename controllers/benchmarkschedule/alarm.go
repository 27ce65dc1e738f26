package benchmarkschedule

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/changepoint"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/internal/verdict/baseline"
	"github.com/assay-bench/assay/internal/verdict/gate"
	"github.com/assay-bench/assay/internal/verdict/history"
)

// maxRegressions of a status.
const maxRegressions = 16

// judgement of a history: what became slower.
type judgement struct {
	// sha256 of the history; empty for none.
	sha256 string
	slower []v1alpha1.ScheduleRegression
}

// judge a history. The same one has the same regressions, so that it is judged when a run has ended, and not in each pass: that may
// take ten seconds where a history is long. It fails when the context ends.
func judge(ctx context.Context, w World, a done) (judgement, error) {
	switch {
	case w.HistoryError == "" && a.historySHA256 == "":
		return judgement{}, nil
	case !toJudge(w, a):
		return judgedBefore(w), nil
	}
	out, err := slowerIn(ctx, w, a.history)
	return judgement{a.historySHA256, out}, err
}

// toJudge says whether a history has not been judged.
func toJudge(w World, a done) bool {
	return w.HistoryError == "" && a.historySHA256 != "" && judgedBefore(w).sha256 != a.historySHA256
}

// judgedBefore is what the status has.
func judgedBefore(w World) (j judgement) {
	j.slower = w.Schedule.Status.Regressions
	if st := w.Schedule.Status; st.History != nil && st.ObservedGeneration == w.Schedule.Generation {
		j.sha256 = st.History.JudgedSHA256
	}
	return j
}

// slowerIn are the measurements of a history that became slower.
func slowerIn(ctx context.Context, w World, h contract.History) ([]v1alpha1.ScheduleRegression, error) {
	alarm := w.Schedule.Spec.Alarm
	if alarm == nil {
		return nil, nil
	}
	runs := h.Runs[max(0, len(h.Runs)-changepoint.MostValues):]
	confirm, what := confirmations(alarm), newCircumstances(runs)
	var out []v1alpha1.ScheduleRegression
	decided := slices.Clone(runs)
	if w.Schedule.Spec.RunTemplate.Spec.Gate != nil {
		// A gate that could not decide, as without its baseline or in other circumstances, calls nothing slower, and nothing well.
		decided = slices.DeleteFunc(decided, func(r contract.PastRun) bool { return r.Passed == nil })
	}
	for _, r := range gate.Alarm(pasts(decided, func(run contract.PastRun) []contract.PastSeries { return run.Series }), confirm) {
		out = append(out, shown(r, v1alpha1.RegressionOfGate, 0, what))
	}
	if c := alarm.ChangePoints; c != nil {
		// The percentages are those of the API server's schema. One that is none searches nothing.
		errorRate, err := analysis.Share(c.ErrorRate)
		effect, alsoErr := analysis.Share(c.MinimumEffect)
		if err == nil && alsoErr == nil {
			series := positive(pasts(unprompted(runs), searched(c.Measurements)))
			found, err := gate.Changes(ctx, series, gate.ChangeOptions{ErrorRate: errorRate, MinimumEffect: effect, Confirm: confirm})
			if ctx.Err() != nil {
				return nil, err // otherwise the history has at most as many runs as are judged, and finite numbers
			}
			for _, r := range found {
				out = append(out, shown(r, v1alpha1.RegressionOfChangePoint, errorRate, what))
			}
		}
	}
	slices.SortStableFunc(out, func(a, b v1alpha1.ScheduleRegression) int { return contract.First(a.Confirmed, b.Confirmed) })
	return out[:min(len(out), maxRegressions)], nil
}

// pasts are the runs of a history that count: what is not valid shows nothing, and neither does what somebody wrote into the
// history that no status can have.
func pasts(runs []contract.PastRun, of func(contract.PastRun) []contract.PastSeries) []gate.Past {
	var out []gate.Past
	for _, run := range runs {
		if run.Valid != string(metav1.ConditionTrue) {
			continue
		}
		past := gate.Past{Run: run.Name, Time: run.CompletionTime}
		for _, s := range of(run) {
			key := history.KeyOf(s)
			if _, median, _, ok := history.Spread(s.Values); ok && baseline.Fits(key) {
				past.Values = append(past.Values, gate.Value{Measurement: key, Direction: s.Direction, Median: median, Slower: s.Slower, NotJudged: s.NotJudged})
			}
		}
		out = append(out, past)
	}
	return out
}

// positive are the values that have a logarithm, which a search for change points needs. A gate decides on a rate of 0, and on
// no errors, as well.
func positive(all []gate.Past) []gate.Past {
	for i := range all {
		all[i].Values = slices.DeleteFunc(all[i].Values, func(v gate.Value) bool { return v.Median <= 0 })
	}
	return all
}

// shown is a regression as the status has it. The error rate is that of the search; 0 for the gate, which has said its own.
func shown(r gate.Regression, source v1alpha1.RegressionSource, errorRate float64, what circumstances) v1alpha1.ScheduleRegression {
	out := v1alpha1.ScheduleRegression{Source: source, Measurement: r.Measurement, Since: contract.Cut(r.Since, 253), Last: contract.Cut(r.Last, 253), RunCount: int32(r.Runs), Confirmed: r.Confirmed}
	if !r.At.IsZero() {
		out.SinceTime = &metav1.Time{Time: r.At.Truncate(time.Second)}
	}
	since := fmt.Sprintf("since run %s (%s), in %d runs", r.Since, r.At.UTC().Format(time.RFC3339), r.Runs)
	text := baseline.Words(r.Measurement) + ": slower than the gate allows " + since
	if source == v1alpha1.RegressionOfChangePoint {
		text = fmt.Sprintf("%s: the level changed by %s %s (p %s)", baseline.Words(r.Measurement), figure.Share(r.Ratio-1), since, figure.P(strconv.FormatFloat(r.P, 'g', -1, 64), errorRate))
	}
	text += what.changedIn(r.Since)
	if !r.Confirmed {
		text += ", not confirmed yet"
	}
	out.Text = contract.Cut(text, maxMessage)
	return out
}

// unconfirmed says whether the last run did not succeed for nothing but a regression that no further
// run has confirmed.
func unconfirmed(st v1alpha1.BenchmarkScheduleStatus, w World) bool {
	if w.Schedule.Spec.Alarm == nil || st.LastRun.Reason != v1alpha1.ReasonSlower || len(st.Regressions) == 0 {
		return false
	}
	return !slices.ContainsFunc(st.Regressions, func(r v1alpha1.ScheduleRegression) bool { return r.Confirmed })
}

// slowerUnseen is the last run with valid results that a gate has decided on, if that calls it slower; else empty. Where no
// regression is known, its history lacks the measurement: a status or a history was too large for all of them.
func slowerUnseen(w World, h contract.History) string {
	for _, run := range slices.Backward(h.Runs) {
		if run.Valid != string(metav1.ConditionTrue) || run.Passed == nil && w.Schedule.Spec.RunTemplate.Spec.Gate != nil {
			continue
		}
		if run.Passed == nil || *run.Passed || run.Reason != v1alpha1.ReasonSlower {
			break
		}
		return run.Name
	}
	return ""
}

// fewRuns are what a history has to have again, after somebody deleted one of as many: then a search of one measurement finds a clear
// change in its second run.
const fewRuns = 20

// unsearchable says that a search for changes can find nothing, because so many measurements share its error rate; empty where it can.
func unsearchable(w World, h contract.History) string {
	c := w.Schedule.Spec.Alarm.ChangePoints
	errorRate, err := analysis.Share(c.ErrorRate)
	runs := unprompted(h.Runs)
	for len(runs) > 0 && runs[len(runs)-1].Valid != string(metav1.ConditionTrue) {
		runs = runs[:len(runs)-1]
	}
	series := gate.Searched(positive(pasts(runs[max(0, len(runs)-1):], searched(c.Measurements))))
	if err != nil || series == 0 || gate.Searchable(errorRate, series) {
		return ""
	}
	return fmt.Sprintf("no gate has decided on a run, and the search finds nothing: %d measurements of cells share the error rate of %s, and of so many no change can be found: name fewer in spec.alarm.changePoints.measurements, have fewer cells, or raise errorRate",
		series, c.ErrorRate)
}

// setRegressed says whether something became slower; the condition is absent without spec.alarm.
func setRegressed(st *v1alpha1.BenchmarkScheduleStatus, w World, h contract.History) {
	if w.Schedule.Spec.Alarm == nil {
		apimeta.RemoveStatusCondition(&st.Conditions, v1alpha1.ConditionRegressed)
		return
	}
	s := state{metav1.ConditionFalse, v1alpha1.ReasonSucceeded, "nothing became slower"}
	switch {
	case w.HistoryError != "":
		s = state{metav1.ConditionUnknown, w.HistoryReason, w.HistoryError}
	case len(h.Runs) == 0:
		s = state{metav1.ConditionUnknown, v1alpha1.ReasonNotReached, "no run has ended"}
		if st.History != nil && st.History.LostRunCount > 0 {
			s.message = fmt.Sprintf("no run has ended since somebody deleted a history of %d runs", st.History.LostRunCount)
		}
	case !slices.ContainsFunc(h.Runs, func(r contract.PastRun) bool { return r.Valid == string(metav1.ConditionTrue) }):
		s = state{metav1.ConditionUnknown, v1alpha1.ReasonNotReached, "no run has ended with valid results"}
	case len(st.Regressions) == 0 && st.History != nil && st.History.RunCount < min(st.History.LostRunCount, fewRuns):
		s = state{metav1.ConditionUnknown, v1alpha1.ReasonNotReached, fmt.Sprintf("nothing became slower in the %d runs that are known: somebody deleted histories of %d", st.History.RunCount, st.History.LostRunCount)}
	case len(st.Regressions) > 0:
		first := st.Regressions[0]
		s = state{metav1.ConditionFalse, v1alpha1.ReasonUnconfirmed, first.Text}
		if first.Confirmed {
			s = state{metav1.ConditionTrue, v1alpha1.ReasonRegressed, first.Text}
		}
		if more := len(st.Regressions) - 1; more > 0 {
			s.message = fmt.Sprintf("%s; and %d more in status.regressions", contract.Cut(s.message, maxMessage-64), more)
		}
	case slowerUnseen(w, h) != "":
		s = state{metav1.ConditionUnknown, v1alpha1.ReasonNotJudged, "the gate of run " + slowerUnseen(w, h) + " calls it slower, and the history does not say which measurement: see status.gate of the run"}
	case slices.ContainsFunc(h.Runs, func(r contract.PastRun) bool { return r.Passed != nil }):
	case w.Schedule.Spec.Alarm.ChangePoints == nil:
		s = state{metav1.ConditionUnknown, v1alpha1.ReasonNotJudged, "no gate has decided on a run, and spec.alarm has no changePoints: nothing looks for what became slower"}
	default:
		if why := unsearchable(w, h); why != "" {
			s = state{metav1.ConditionUnknown, v1alpha1.ReasonNotJudged, why}
		}
	}
	s.set(st, w, v1alpha1.ConditionRegressed)
}
