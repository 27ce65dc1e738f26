package metrics

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/family"
)

// What a schedule and a baseline told goes with them, and nothing else does.
func TestMetricsGoWithTheirObject(t *testing.T) {
	all, bounds := planned(), Bounds{Runs: 100, SeriesPerRun: 100}
	before := text(t, gather(t, sourceOf(all, nil), bounds))
	for _, line := range []string{`assay_schedule_missed_total{namespace="a",schedule="nightly"} 3`, `assay_schedule_missed_total{namespace="b",schedule="fresh"} 0`} {
		if !strings.Contains(before, line+"\n") {
			t.Errorf("no line %s in\n%s", line, before)
		}
	}
	all.Schedules, all.Baselines = all.Schedules[1:], nil
	after := text(t, gather(t, sourceOf(all, nil), bounds))
	if strings.Contains(after, "assay_baseline_") || strings.Contains(after, `schedule="nightly",`) || !strings.Contains(after, `schedule="fresh"`) {
		t.Errorf("of a schedule and a baseline that are gone there is still something in\n%s", after)
	}
}

// A tenant with many schedules and baselines, as large as they may be: others keep theirs, and what is
// left out is counted.
func TestHostileSchedules(t *testing.T) {
	all := planned()
	long := strings.Repeat("x", 1000)
	for i := range 500 {
		s := *all.Schedules[0].DeepCopy()
		s.Namespace, s.Name = "hostile", fmt.Sprintf("schedule-%d", i)
		s.Spec.RunTemplate.Spec.Gate.Also = nil
		s.Spec.RunTemplate.Spec.Gate.Baseline = fmt.Sprintf("baseline-%d", i)
		b := v1alpha1.BenchmarkBaseline{ObjectMeta: metav1.ObjectMeta{Namespace: "hostile", Name: s.Spec.RunTemplate.Spec.Gate.Baseline}}
		for j := range 32 {
			key := v1alpha1.MeasurementKey{Target: long, Name: fmt.Sprint(j) + long, Unit: long, Labels: map[string]string{long: long}, Parameters: map[string]string{long: "\xff"}}
			b.Spec.Measurements = append(b.Spec.Measurements, v1alpha1.ExpectedMeasurement{MeasurementKey: key, Direction: "LowerIsBetter", Blocks: []string{"1"}})
			s.Status.Regressions = append(s.Status.Regressions, v1alpha1.ScheduleRegression{Measurement: key, Since: long, SinceTime: at(0)})
		}
		all.Schedules, all.Baselines = append(all.Schedules, s), append(all.Baselines, b)
	}
	bounds := Bounds{Runs: 20, SeriesPerRun: 30}
	got := gather(t, sourceOf(all, nil), bounds)
	count, own, dropped := map[string]int{}, 0, map[string]float64{}
	for _, f := range got {
		for _, m := range f.Metric {
			labels := map[string]string{}
			for _, l := range m.Label {
				labels[l.GetName()] = l.GetValue()
				if len(l.GetValue()) > family.MaxText {
					t.Fatalf("a label of %d bytes: %s", len(l.GetValue()), l)
				}
			}
			switch {
			case strings.HasPrefix(f.GetName(), "assay_schedule_"):
				count["schedule "+labels["namespace"]+"/"+labels["schedule"]]++
			case strings.HasPrefix(f.GetName(), "assay_baseline_"):
				count["baseline "+labels["namespace"]+"/"+labels["baseline"]]++
			case strings.HasPrefix(f.GetName(), "assay_metrics_dropped_"):
				dropped[f.GetName()] = m.GetGauge().GetValue()
			}
		}
	}
	for name, n := range count {
		if n > bounds.SeriesPerRun {
			t.Errorf("the %s has %d series, more than %d", name, n, bounds.SeriesPerRun)
		}
		if !strings.Contains(name, "hostile") {
			own++
		}
	}
	if own != 4 || len(count) != 2*bounds.Runs {
		t.Errorf("%d objects have series, of which %d are of others: %v", len(count), own, count)
	}
	if dropped[droppedSchedules.Name] != 482 || dropped[droppedBaselines.Name] != 482 || dropped[droppedSeries.Name] < 39*3 {
		t.Errorf("dropped: %v", dropped)
	}
}

// Those that alerts are about come first: a bound must not hide them.
func TestSchedulesInTroubleComeFirst(t *testing.T) {
	of := func(name, kind string, status metav1.ConditionStatus, reason string) v1alpha1.BenchmarkSchedule {
		s := v1alpha1.BenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Name: name}}
		s.Status.Conditions = []metav1.Condition{{Type: kind, Status: status, Reason: reason}}
		return s
	}
	all := []v1alpha1.BenchmarkSchedule{
		of("a", v1alpha1.ConditionOnSchedule, metav1.ConditionFalse, v1alpha1.ReasonRunActive),
		of("b", v1alpha1.ConditionRegressed, metav1.ConditionFalse, v1alpha1.ReasonUnconfirmed),
		of("c", v1alpha1.ConditionOnSchedule, metav1.ConditionFalse, v1alpha1.ReasonScheduleMissed),
		of("d", v1alpha1.ConditionRegressed, metav1.ConditionTrue, v1alpha1.ReasonRegressed),
	}
	var got []string
	for _, s := range choose(all, 3, byTrouble) {
		got = append(got, s.Name)
	}
	if want := []string{"c", "d", "a"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Namespaces beyond the bound share one series, and no schedule is lost in the sums.
func TestSchedulesOfManyNamespaces(t *testing.T) {
	var all []v1alpha1.BenchmarkSchedule
	for i := range MaxNamespaces + 50 {
		all = append(all, v1alpha1.BenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprintf("n%04d", i)}})
	}
	got := schedulesByNamespace(all)
	last := got[len(got)-1]
	if len(got) != MaxNamespaces+1 || last.labels[0] != OtherNamespaces || last.value != 50 {
		t.Errorf("%d series, the last one is %v %v", len(got), last.labels, last.value)
	}
}
