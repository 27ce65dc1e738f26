package metrics

import (
	"cmp"
	"slices"
	"strconv"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/family"
)

var schedules = gauge("assay_schedules", "namespace", "Number of schedules.")

// Of one schedule.
var (
	scheduleCondition = gauge("assay_schedule_condition", "namespace schedule condition status reason",
		"1, for a condition of the schedule (Ready, OnSchedule, Regressed, Suspended or Stalled) with its current status and "+
			"reason.")
	scheduleNext = gauge("assay_schedule_next_start_timestamp_seconds", "namespace schedule",
		"When the next run starts by the schedule, with its jitter; absent without times, and while suspended.")
	scheduleLast = gauge("assay_schedule_last_scheduled_timestamp_seconds", "namespace schedule",
		"The last time of the schedule for which a run was started, without its jitter.")
	scheduleSucceeded = gauge("assay_schedule_last_success_timestamp_seconds", "namespace schedule",
		"When the last successful run of the schedule ended.")
	scheduleEnded = gauge("assay_schedule_last_completion_timestamp_seconds", "namespace schedule",
		"When the last run of the schedule ended.")
	scheduleActive = gauge("assay_schedule_active_runs", "namespace schedule",
		"Number of runs of the schedule that have not ended, up to 32.")
	scheduleMissed = counter("assay_schedule_missed_total", "namespace schedule",
		"Number of times of the schedule for which no run was started, since the schedule was created.")
	scheduleHistory = gauge("assay_schedule_history_runs", "namespace schedule", "Number of runs in the history of the schedule.")
	scheduleLastRun = gauge("assay_schedule_last_run", "namespace schedule run outcome reason",
		"1, for the run of the schedule that ended last: its outcome (status.outcome of the run), and why it did not succeed.")
	scheduleRegression = gauge("assay_schedule_regression_since_timestamp_seconds", "namespace schedule source confirmed since parameters target measurement of unit",
		"When the first run ended (label since) that shows what became slower, for each entry of status.regressions: found by "+
			"the gates (source Gate) or as a change point (ChangePoint).")
)

// scheduleConditions that a schedule tells.
var scheduleConditions = []string{
	v1alpha1.ConditionScheduleReady, v1alpha1.ConditionOnSchedule, v1alpha1.ConditionRegressed, v1alpha1.ConditionSuspended, v1alpha1.ConditionStalled,
}

// schedulesByNamespace counts all of them.
func schedulesByNamespace(all []v1alpha1.BenchmarkSchedule) (out []series) {
	names, of := named(all)
	for _, n := range names {
		out = append(out, series{schedules, []string{n}, float64(len(of[n]))})
	}
	return out
}

// byTrouble sorts the schedules of a namespace: those that alerts are about come first.
func byTrouble(a, b *v1alpha1.BenchmarkSchedule) int {
	return cmp.Or(cmp.Compare(trouble(a), trouble(b)), cmp.Compare(a.Name, b.Name))
}

// trouble is the rank of a schedule: 0 of one that alerts are about.
func trouble(s *v1alpha1.BenchmarkSchedule) int {
	missed := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ConditionOnSchedule)
	if missed != nil && missed.Reason == v1alpha1.ReasonScheduleMissed || apimeta.IsStatusConditionTrue(s.Status.Conditions, v1alpha1.ConditionRegressed) {
		return 0
	}
	return 1
}

// ofSchedule has the series of a schedule, the most important ones first.
func ofSchedule(s *v1alpha1.BenchmarkSchedule, known baselines) []series {
	st := s.Status
	var out []series
	for _, c := range st.Conditions {
		if slices.Contains(scheduleConditions, c.Type) {
			out = append(out, series{scheduleCondition, id(s, c.Type, string(c.Status), c.Reason), 1})
		}
	}
	missed, kept := int64(0), int32(0)
	if st.Missed != nil {
		missed = st.Missed.Count
	}
	if st.History != nil {
		kept = st.History.RunCount
	}
	out = append(out, series{scheduleMissed, id(s), float64(missed)}, series{scheduleActive, id(s), float64(len(st.Active))}, series{scheduleHistory, id(s), float64(kept)})
	ended := (*metav1.Time)(nil)
	if last := st.LastRun; last != nil {
		ended = &last.CompletionTime
		out = append(out, series{scheduleLastRun, id(s, last.Name, family.Bounded(last.Outcome), last.Reason), 1})
	}
	out = append(out, times(s, []instant{
		{scheduleNext, st.NextScheduleTime}, {scheduleLast, st.LastScheduleTime}, {scheduleEnded, ended}, {scheduleSucceeded, st.LastSuccessfulTime},
	})...)
	out = append(out, regressions(s)...)
	return append(out, ofGate(s, known)...)
}

// regressions that the alarm of the schedule knows.
func regressions(s *v1alpha1.BenchmarkSchedule) (out []series) {
	for _, r := range s.Status.Regressions {
		if r.SinceTime == nil {
			continue
		}
		unit, _ := family.BaseUnit(r.Measurement.Unit)
		labels := append(id(s, string(r.Source), strconv.FormatBool(r.Confirmed), r.Since), ofKey(r.Measurement, unit)...)
		out = append(out, series{scheduleRegression, labels, float64(r.SinceTime.Unix())})
	}
	return out
}

// ofKey are the labels of a measurement, equal to those of the final values of runs.
func ofKey(k v1alpha1.MeasurementKey, unit string) []string {
	return []string{plainPairs(k.Parameters), family.Bounded(k.Target), family.Bounded(k.Name), plainPairs(k.Labels), family.Bounded(unit)}
}
