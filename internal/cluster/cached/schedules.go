package cached

import (
	"math"
	"strconv"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// slimSchedule keeps what the metrics tell. A schedule is read from the API server before anything is decided of it.
func slimSchedule(s *v1alpha1.BenchmarkSchedule) {
	spec := v1alpha1.BenchmarkScheduleSpec{}
	if g := s.Spec.RunTemplate.Spec.Gate; g != nil {
		spec.RunTemplate.Spec.Gate = &v1alpha1.Gate{Baseline: g.Baseline, Also: g.Also, Threshold: g.Threshold}
	}
	st := s.Status
	kept := v1alpha1.BenchmarkScheduleStatus{
		LastScheduleTime: st.LastScheduleTime, NextScheduleTime: st.NextScheduleTime, LastSuccessfulTime: st.LastSuccessfulTime,
		Conditions: st.Conditions, History: st.History,
	}
	for i := range kept.Conditions {
		kept.Conditions[i].Message = ""
	}
	for _, run := range st.Active {
		kept.Active = append(kept.Active, v1alpha1.ActiveRun{Name: run.Name})
	}
	if last := st.LastRun; last != nil {
		kept.LastRun = &v1alpha1.EndedRun{Name: last.Name, CompletionTime: last.CompletionTime, Outcome: last.Outcome, Reason: last.Reason}
	}
	if missed := st.Missed; missed != nil {
		kept.Missed = &v1alpha1.MissedTimes{Count: missed.Count, LastTime: missed.LastTime}
	}
	room := budget(maxTexts)
	kept.Regressions = firstOf(st.Regressions, len(st.Regressions), func(r v1alpha1.ScheduleRegression) (v1alpha1.ScheduleRegression, bool) {
		return v1alpha1.ScheduleRegression{
			Source: r.Source, Measurement: r.Measurement, Since: r.Since, SinceTime: r.SinceTime, RunCount: r.RunCount, Confirmed: r.Confirmed,
		}, room.takes(append(textsOfKey(r.Measurement), r.Since)...)
	})
	s.Spec, s.Status = spec, kept
}

// slimBaseline keeps what the metrics tell of up to a megabyte of numbers: of each measurement the median
// stands for the blocks. A baseline is read from the API server before anything is judged by it.
func slimBaseline(b *v1alpha1.BenchmarkBaseline) {
	room := budget(maxTexts)
	kept := v1alpha1.BenchmarkBaselineSpec{Run: v1alpha1.BaselineRun{Name: b.Spec.Run.Name}, Promotion: v1alpha1.Promotion{Time: b.Spec.Promotion.Time}}
	kept.Measurements = firstOf(b.Spec.Measurements, maxEntries, func(m v1alpha1.ExpectedMeasurement) (v1alpha1.ExpectedMeasurement, bool) {
		m.Blocks, m.Runs = medianOf(m.Blocks), nil
		m.Target, m.Name, m.Unit, m.Direction = shared(m.Target), shared(m.Name), shared(m.Unit), shared(m.Direction)
		return m, room.takes(append(textsOfKey(m.MeasurementKey), m.Tolerance)...)
	})
	b.Spec, b.Status = kept, v1alpha1.BenchmarkBaselineStatus{MeasurementCount: b.Status.MeasurementCount}
}

// medianOf decimal numbers, as the only one; none where one is no number.
func medianOf(texts []string) []string {
	numbers := make([]float64, len(texts))
	for i, text := range texts {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil
		}
		numbers[i] = n
	}
	estimate, err := stats.EstimateMedian(numbers)
	if err != nil || math.IsInf(estimate.Median, 0) { // two finite values whose sum is not
		return nil
	}
	return []string{strconv.FormatFloat(estimate.Median, 'f', -1, 64)}
}

func textsOfKey(k v1alpha1.MeasurementKey) []string {
	return append(append(textsOf(k.Labels), textsOf(k.Parameters)...), k.Target, k.Name, k.Unit)
}
