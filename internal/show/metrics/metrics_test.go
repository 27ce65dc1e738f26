package metrics

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/family"
)

var now = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func at(ago time.Duration) *metav1.Time { return new(metav1.NewTime(now.Add(-ago))) }

// world has one run of each kind.
func world() []v1alpha1.BenchmarkRun {
	done := v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "done"}}
	done.Status = v1alpha1.BenchmarkRunStatus{
		Phase: v1alpha1.PhaseComplete, AcceptedTime: at(2 * time.Hour), StartTime: at(time.Hour), CompletionTime: at(time.Minute),
		Conditions: []metav1.Condition{
			{Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionTrue, Reason: "Resolved"},
			{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue, Reason: "AllTrialsEnded"},
			{Type: v1alpha1.ConditionValid, Status: metav1.ConditionFalse, Reason: "Contradiction"},
		},
		Progress: v1alpha1.Progress{Planned: 6, Totals: v1alpha1.Totals{Done: 6, Succeeded: 5, Failed: 1, Invalid: 2, Disturbed: 1, Retries: 3}},
		Results:  &v1alpha1.ResultsStatus{SummaryEntryCount: 5},
		Summary: []v1alpha1.SummaryEntry{
			{Cell: 0, Target: "db", Name: "throughput", Unit: "tx/s", Median: "585.3", IntervalLow: "580", IntervalHigh: "590",
				Parameters: map[string]intstr.IntOrString{"threads": intstr.FromInt32(64), "size": intstr.FromString("big")}},
			{Cell: 0, Target: "db", Name: "latency", Unit: "ms", Median: "1.5", Labels: map[string]string{"percentile": "95"}},
			{Cell: 1, Target: "db", Name: "throughput", Unit: "tx/s"}, // no counted trial
		},
		Findings: []v1alpha1.Finding{{Check: "clock-step", Severity: v1alpha1.SeverityInvalid}, {Check: "clock-step", Severity: v1alpha1.SeverityInvalid}},
		Comparisons: []v1alpha1.ComparisonEntry{{
			Family: v1alpha1.FamilyPrimary, Verdict: v1alpha1.VerdictSlower, Ratio: "0.91", Factor: "threads", Value: "2", Baseline: "1", Target: "db", Name: "throughput",
		}, {
			Family: v1alpha1.FamilyPrimary, Verdict: v1alpha1.VerdictFaster, Ratio: "52", Factor: "driver", Value: "mariadb", Baseline: "mysql", Target: "db", Name: "throughput",
			Labels: map[string]string{"scheme": "Batch"}, Unlike: []v1alpha1.UnlikeFactor{{Factor: "scheme", Value: "Batch", Baseline: "SingleRow"}},
		}},
	}
	measuring := v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "measuring"}}
	measuring.Status = v1alpha1.BenchmarkRunStatus{
		Phase: v1alpha1.PhaseMeasuring, StartTime: at(time.Minute),
		Progress:  v1alpha1.Progress{Planned: 2, CurrentTrial: new(int32(1)), EstimatedCompletionTime: at(-time.Minute)},
		Placement: &v1alpha1.Placement{ClientNodeNames: []string{"c", "c"}, Targets: []v1alpha1.TargetPlacement{{NodeName: "t", ReplicaNodeNames: []string{"r"}}}},
	}
	shares := v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "b", Name: "shares"}}
	shares.Status = v1alpha1.BenchmarkRunStatus{Phase: v1alpha1.PhaseLoading, Placement: &v1alpha1.Placement{ClientNodeNames: []string{"c"}}}
	queued := v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "b", Name: "queued"}}
	queued.Status = v1alpha1.BenchmarkRunStatus{Phase: v1alpha1.PhaseQueued, AcceptedTime: at(90 * time.Second)}
	longer := queued
	longer.Name, longer.Status.AcceptedTime = "queued-longer", at(10*time.Minute)
	fresh := v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "b", Name: "fresh"}}
	return []v1alpha1.BenchmarkRun{done, measuring, shares, queued, longer, fresh}
}

// planned is a world with a schedule that is in trouble, one that is new, and a baseline.
func planned() Objects {
	all := Objects{Runs: world()}
	key := v1alpha1.MeasurementKey{Target: "db", Parameters: map[string]string{"size": "big", "threads": "64"}, Name: "throughput", Unit: "tx/s"}
	latency := v1alpha1.MeasurementKey{Target: "db", Name: "latency", Labels: map[string]string{"percentile": "95"}, Unit: "ms"}
	all.Runs[0].OwnerReferences = []metav1.OwnerReference{{Kind: "BenchmarkSchedule", Name: "nightly", Controller: new(true)}}
	nightly := v1alpha1.BenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "nightly"}}
	nightly.Spec.RunTemplate.Spec.Gate = &v1alpha1.Gate{Baseline: "release", Threshold: "25%", Also: []v1alpha1.FurtherBaseline{{Name: "week", Effect: v1alpha1.EffectInform}}}
	nightly.Status = v1alpha1.BenchmarkScheduleStatus{
		LastScheduleTime: at(time.Hour), NextScheduleTime: at(-time.Hour), LastSuccessfulTime: at(48 * time.Hour),
		Active:  []v1alpha1.ActiveRun{{Name: "measuring"}},
		LastRun: &v1alpha1.EndedRun{Name: "done", CompletionTime: *at(time.Minute), Outcome: v1alpha1.OutcomeFailed, Reason: v1alpha1.ReasonSlower},
		Missed:  &v1alpha1.MissedTimes{Count: 3, LastTime: *at(2 * time.Hour)},
		History: &v1alpha1.HistoryStatus{ConfigMap: "nightly-history", RunCount: 12},
		Regressions: []v1alpha1.ScheduleRegression{
			{Source: v1alpha1.RegressionOfChangePoint, Measurement: key, Since: "nightly-1", SinceTime: at(72 * time.Hour), RunCount: 3, Confirmed: true},
			{Source: v1alpha1.RegressionOfGate, Measurement: latency, Since: "done", SinceTime: at(time.Minute), RunCount: 1},
		},
		Conditions: []metav1.Condition{
			{Type: v1alpha1.ConditionReconciling, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonSucceeded},
			{Type: v1alpha1.ConditionOnSchedule, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonScheduleMissed},
			{Type: v1alpha1.ConditionRegressed, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonRegressed},
		},
	}
	release := v1alpha1.BenchmarkBaseline{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "release"}}
	release.Spec.Run.Name, release.Spec.Promotion.Time = "nightly-0", *at(96 * time.Hour)
	release.Spec.Measurements = []v1alpha1.ExpectedMeasurement{
		{MeasurementKey: key, Direction: "HigherIsBetter", Blocks: []string{"600"}},
		{MeasurementKey: latency, Direction: "LowerIsBetter", Tolerance: "50%", Blocks: []string{"2"}},
		{MeasurementKey: v1alpha1.MeasurementKey{Target: "db", Name: "rows"}, Blocks: []string{"7"}}, // no direction is better
	}
	release.Status.MeasurementCount = 5 // the cache has 3 of them
	week := v1alpha1.BenchmarkBaseline{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "week"}}
	week.Spec.Run.Name, week.Spec.Promotion.Time = "nightly-7", *at(24 * time.Hour)
	week.Spec.Measurements = []v1alpha1.ExpectedMeasurement{{MeasurementKey: key, Direction: "HigherIsBetter", Blocks: []string{"800"}}}
	fresh := v1alpha1.BenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: "b", Name: "fresh"}}
	fresh.Spec.RunTemplate.Spec.Gate = &v1alpha1.Gate{Baseline: "release"} // which another namespace has
	all.Schedules, all.Baselines = []v1alpha1.BenchmarkSchedule{nightly, fresh}, []v1alpha1.BenchmarkBaseline{release, week}
	return all
}

func source(runs []v1alpha1.BenchmarkRun, err error) Source {
	return sourceOf(Objects{Runs: runs}, err)
}

func sourceOf(all Objects, err error) Source {
	elected := make(chan struct{})
	close(elected)
	return Source{
		Objects:  func(context.Context) (Objects, error) { return all, err },
		Planning: func() Planning { return Planning{Runs: 1, Kept: 2, Bytes: 300} },
		Elected:  elected, Now: func() time.Time { return now }, Log: logr.Discard(),
	}
}

func gather(t *testing.T, s Source, b Bounds) []*dto.MetricFamily {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(NewCollector(s, b))
	if _, err := CountRequests(unreachable{}, r); err != nil {
		t.Fatal(err)
	}
	got, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func text(t *testing.T, families []*dto.MetricFamily) string {
	t.Helper()
	var b bytes.Buffer
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&b, f); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// The placement of a run stays in its status when it ends, and its nodes are free.
func TestNodesOfRunsThatEnded(t *testing.T) {
	run := world()[1]
	for name, tt := range map[string]struct {
		phase v1alpha1.Phase
		until *metav1.Time
		want  float64
	}{
		"measuring": {v1alpha1.PhaseMeasuring, nil, 3}, "complete": {v1alpha1.PhaseComplete, nil, 0}, "failed": {v1alpha1.PhaseFailed, nil, 0},
		"retained": {v1alpha1.PhaseComplete, &metav1.Time{Time: now.Add(time.Minute)}, 3}, "retained before": {v1alpha1.PhaseComplete, &metav1.Time{Time: now.Add(-time.Minute)}, 0},
		"suspended": {v1alpha1.PhaseSuspended, &metav1.Time{Time: now.Add(-time.Minute)}, 3},
	} {
		one := *run.DeepCopy()
		one.Status.Phase, one.Status.Placement.HeldUntil = tt.phase, tt.until
		if tt.phase == v1alpha1.PhaseComplete || tt.phase == v1alpha1.PhaseFailed {
			one.Status.Conditions = []metav1.Condition{{Type: string(tt.phase), Status: metav1.ConditionTrue}}
		}
		all := totals([]v1alpha1.BenchmarkRun{one}, now)
		if last := all[len(all)-1]; last.of != nodesHeld || last.value != tt.want {
			t.Errorf("%s: %s is %v, want %v", name, last.of.Name, last.value, tt.want)
		}
	}
}

func TestMetricsOfAWorld(t *testing.T) {
	got := text(t, gather(t, sourceOf(planned(), nil), Bounds{Runs: 100, SeriesPerRun: 100}))
	want, err := os.ReadFile("testdata/world.txt")
	if err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
		if os.Getenv("ASSAY_UPDATE") != "" {
			if err := os.WriteFile("testdata/world.txt", []byte(got), 0o644); err != nil {
				t.Error(err)
			}
		}
	}
}

// Names and units are as Prometheus asks, and nothing is in the catalogue that the manager never serves.
func TestCatalogue(t *testing.T) {
	got := gather(t, sourceOf(planned(), nil), Bounds{Runs: 100, SeriesPerRun: 100})
	problems, err := promlint.NewWithMetricFamilies(got).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v %v", problems, err)
	}
	// Those of others go into the same registry.
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(NewCollector(source(world(), nil), Bounds{}))
	n, err := CountNotifications([]config.Receiver{{Name: "chat"}}, r)
	if err != nil {
		t.Fatal(err)
	}
	n.Waiting("chat", 1)
	reports, err := CountReports(r)
	if err != nil {
		t.Fatal(err)
	}
	reports.Ended(v1alpha1.ReasonRetrying) // which is no end
	reports.Ended(v1alpha1.ReasonReportTooLarge)
	if _, err := CountRegistries(config.Registries{Ask: []config.Registry{{Host: "registry.example"}}}, r); err != nil {
		t.Fatal(err)
	}
	more, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, more...)
	served := map[string]bool{}
	for _, f := range got {
		served[f.GetName()] = true
	}
	for _, s := range Sections() {
		for _, f := range s.Families {
			if !served[f.Name] {
				t.Errorf("%s is in the catalogue and is not served", f.Name)
			}
		}
	}
}

// A tenant with many runs, whose names, values and labels are as long as they may be and alike.
func TestHostileTenant(t *testing.T) {
	all := world()
	long := strings.Repeat("x", 1000)
	for i := range 3000 {
		r := *world()[0].DeepCopy()
		r.Namespace, r.Name = "hostile", fmt.Sprintf("run-%d", i)
		r.Status.CompletionTime = at(-time.Hour) // newer than all others
		r.Status.Summary = nil
		for j := range 32 {
			r.Status.Summary = append(r.Status.Summary, v1alpha1.SummaryEntry{
				Cell: int32(j / 2), Target: long, Name: long + "\xff", Unit: long, Median: "1", IntervalLow: "NaN", IntervalHigh: "1e999",
				Labels: map[string]string{long: long}, Parameters: map[string]intstr.IntOrString{long: intstr.FromString(long)},
			})
		}
		all = append(all, r)
	}
	bounds := Bounds{Runs: 20, SeriesPerRun: 30}
	got := gather(t, source(all, nil), bounds)
	series, runs, dropped := 0, map[string]int{}, 0.0
	for _, f := range got {
		for _, m := range f.Metric {
			series++
			labels := map[string]string{}
			for _, l := range m.Label {
				labels[l.GetName()] = l.GetValue()
				if len(l.GetValue()) > family.MaxText {
					t.Fatalf("a label of %d bytes: %s", len(l.GetValue()), l)
				}
			}
			if labels["run"] != "" {
				runs[labels["namespace"]+"/"+labels["run"]]++
			}
			if f.GetName() == droppedRuns.Name || f.GetName() == droppedSeries.Name {
				dropped += m.GetGauge().GetValue()
			}
		}
	}
	if most := bounds.Runs*bounds.SeriesPerRun + 200; series > most {
		t.Errorf("%d series, more than %d", series, most)
	}
	for name, n := range runs {
		if n > bounds.SeriesPerRun {
			t.Errorf("the run %s has %d series, more than %d", name, n, bounds.SeriesPerRun)
		}
	}
	if len(runs) != bounds.Runs {
		t.Errorf("%d runs have series, want %d", len(runs), bounds.Runs)
	}
	for _, r := range world() {
		if runs[r.Namespace+"/"+r.Name] == 0 {
			t.Errorf("the run %s/%s of somebody else has no series: %v", r.Namespace, r.Name, slices.Sorted(maps.Keys(runs)))
		}
	}
	if dropped < 2986 {
		t.Errorf("%v dropped runs and series are reported", dropped)
	}
}

// Namespaces beyond the bound share one series, and no run is lost in the sums.
func TestManyNamespaces(t *testing.T) {
	var all []v1alpha1.BenchmarkRun
	for i := range MaxNamespaces + 50 {
		all = append(all, v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprintf("n%04d", i), Name: "run"}})
	}
	sum, namespaces := 0.0, map[string]float64{}
	for _, s := range totals(all, now) {
		if s.of == runs {
			namespaces[s.labels[0]] += s.value
			sum += s.value
		}
	}
	if sum != MaxNamespaces+50 || len(namespaces) != MaxNamespaces+1 || namespaces[OtherNamespaces] != 50 {
		t.Errorf("%v runs in %d namespaces, %v in the others", sum, len(namespaces), namespaces[OtherNamespaces])
	}
}

// A scrape while the cache cannot be read fails nobody else's metrics, and says so.
func TestUnreadableCache(t *testing.T) {
	got := text(t, gather(t, source(nil, errors.New("no cache")), Bounds{Runs: 1, SeriesPerRun: 1}))
	if !strings.Contains(got, "\nassay_metrics_collected 0\n") || strings.Contains(got, "assay_runs") {
		t.Errorf("got\n%s", got)
	}
}

func TestManagerThatIsNotElected(t *testing.T) {
	s := source(world(), nil)
	s.Elected = make(chan struct{})
	if got := text(t, gather(t, s, Bounds{Runs: 1, SeriesPerRun: 1})); strings.Contains(got, "assay_run") {
		t.Errorf("got\n%s", got)
	}
}

// A summary that fills the series of a run by itself leaves out none of its comparisons and findings, and what it loses is counted.
func TestALongSummaryLeavesRoomForComparisons(t *testing.T) {
	r := world()[0]
	r.Status.Summary = nil
	for i := range 32 {
		r.Status.Summary = append(r.Status.Summary, v1alpha1.SummaryEntry{Target: "db", Name: fmt.Sprint("m", i), Unit: "tx/s", Median: "2", IntervalLow: "1", IntervalHigh: "3"})
	}
	all := ofOne(&r)
	w := writer{bounds: Bounds{Runs: 1, SeriesPerRun: 100}, seen: map[string]bool{}}
	w.add(all, 0)
	count := func(all []series, of *family.Family) (n int) {
		for _, s := range all {
			if s.of == of {
				n++
			}
		}
		return n
	}
	for _, of := range []*family.Family{comparisonRatio, comparisons, findings} {
		if want := count(all, of); want == 0 || count(w.out, of) != want {
			t.Errorf("%s: %d of %d series", of.Name, count(w.out, of), want)
		}
	}
	if len(w.out) != 100 || w.dropped != len(all)-100 || w.dropped == 0 {
		t.Errorf("%d series of %d, and %d are counted as left out", len(w.out), len(all), w.dropped)
	}
}
