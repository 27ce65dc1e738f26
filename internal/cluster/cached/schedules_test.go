package cached

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// planned are a schedule and a baseline with as much of everything as somebody can write.
func planned(meta func() metav1.ObjectMeta, big string) (*v1alpha1.BenchmarkSchedule, *v1alpha1.BenchmarkBaseline) {
	key := v1alpha1.MeasurementKey{Target: "db", Name: "throughput", Unit: "tx/s", Parameters: map[string]string{"threads": "8"}}
	large := key
	large.Labels = map[string]string{"a": big}
	s := &v1alpha1.BenchmarkSchedule{ObjectMeta: meta()}
	s.Spec.Schedule = big
	s.Spec.RunTemplate.Metadata.Annotations = map[string]string{"a": big}
	s.Spec.RunTemplate.Spec.Workload.Custom = &v1alpha1.CustomWorkload{Parameters: map[string]string{"a": big}}
	s.Spec.RunTemplate.Spec.Gate = &v1alpha1.Gate{Baseline: "release", Also: []v1alpha1.FurtherBaseline{{Name: "week"}}, Threshold: "25%", RequireLike: []v1alpha1.LikeAspect{v1alpha1.LikeAspect(big)}}
	s.Status.Missed = &v1alpha1.MissedTimes{Count: 2, Message: big}
	s.Status.LastRun = &v1alpha1.EndedRun{Name: "last", Outcome: v1alpha1.OutcomeFailed, Reason: v1alpha1.ReasonSlower, Message: big, Verdict: big, Headline: big}
	s.Status.Active = []v1alpha1.ActiveRun{{Name: "active"}}
	s.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionRegressed, Status: metav1.ConditionTrue, Message: big}}
	s.Status.Regressions = []v1alpha1.ScheduleRegression{{Measurement: key, Since: "first", Text: big}, {Measurement: large}, {Since: "behind one without room"}}
	b := &v1alpha1.BenchmarkBaseline{ObjectMeta: meta()}
	b.Spec.Run = v1alpha1.BaselineRun{Name: "first", Headline: big}
	b.Spec.Promotion.Reason = big
	b.Spec.Environments = []v1alpha1.BaselineEnvironment{{Facts: big}}
	b.Spec.Measurements = []v1alpha1.ExpectedMeasurement{
		{MeasurementKey: key, Direction: "HigherIsBetter", Tolerance: "10%", Blocks: []string{"3", "1", "2.5", "2"}},
		{MeasurementKey: key, Blocks: []string{"no number"}}, {MeasurementKey: large},
	}
	b.Status.MeasurementCount = 3
	return s, b
}

// What the metrics tell of schedules and baselines stays, however often it is slimmed.
func TestSlimKeepsWhatTheMetricsTell(t *testing.T) {
	s, b := planned(func() metav1.ObjectMeta { return metav1.ObjectMeta{} }, fmt.Sprintf("%9999d", 0))
	key := v1alpha1.MeasurementKey{Target: "db", Name: "throughput", Unit: "tx/s", Parameters: map[string]string{"threads": "8"}}
	wantSpec, wantStatus := v1alpha1.BenchmarkScheduleSpec{}, v1alpha1.BenchmarkScheduleStatus{
		Missed: &v1alpha1.MissedTimes{Count: 2}, LastRun: &v1alpha1.EndedRun{Name: "last", Outcome: v1alpha1.OutcomeFailed, Reason: v1alpha1.ReasonSlower},
		Active: []v1alpha1.ActiveRun{{Name: "active"}}, Conditions: []metav1.Condition{{Type: v1alpha1.ConditionRegressed, Status: metav1.ConditionTrue}},
		Regressions: []v1alpha1.ScheduleRegression{{Measurement: key, Since: "first"}},
	}
	wantSpec.RunTemplate.Spec.Gate = &v1alpha1.Gate{Baseline: "release", Also: []v1alpha1.FurtherBaseline{{Name: "week"}}, Threshold: "25%"}
	wantBaseline := v1alpha1.BenchmarkBaselineSpec{Run: v1alpha1.BaselineRun{Name: "first"}, Measurements: []v1alpha1.ExpectedMeasurement{
		{MeasurementKey: key, Direction: "HigherIsBetter", Tolerance: "10%", Blocks: []string{"2.25"}}, {MeasurementKey: key},
	}}
	for range 2 {
		for _, o := range []any{s, b} {
			if _, err := slim(o); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(wantSpec, s.Spec) + cmp.Diff(wantStatus, s.Status) + cmp.Diff(wantBaseline, b.Spec); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if b.Status.MeasurementCount != 3 {
			t.Errorf("the baseline has %d measurements", b.Status.MeasurementCount)
		}
	}
}
