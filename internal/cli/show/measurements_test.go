package show

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/test/helpers/screen"
)

// quotedRun has measured and quoted numbers, and a sweep.
func quotedRun() *v1alpha1.BenchmarkRun {
	at := func(threads int32) map[string]intstr.IntOrString {
		return map[string]intstr.IntOrString{"threads": intstr.FromInt32(threads)}
	}
	return &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "run"},
		Status: v1alpha1.BenchmarkRunStatus{
			Phase: v1alpha1.PhaseComplete, Progress: v1alpha1.Progress{Planned: 12, Totals: v1alpha1.Totals{Done: 12, Disturbed: 7}},
			Conditions: []metav1.Condition{
				{Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionTrue, Reason: "Accepted", Message: "12 trials planned"},
				{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue, Reason: "Succeeded", Message: "12 trials"},
				{Type: v1alpha1.ConditionValid, Status: metav1.ConditionTrue, Reason: "Succeeded"},
			},
			Summary: []v1alpha1.SummaryEntry{
				{Name: "throughput", Target: "mysql", Parameters: at(2), Unit: "tx/s", Direction: "HigherIsBetter", Median: "326.9", Min: "310.1", Max: "340.2", TrialCount: 5, PlannedTrialCount: 6,
					LeftOut: []v1alpha1.LeftOut{{Reason: v1alpha1.LeftOutDisturbed, TrialCount: 1}}},
				{Name: "throughput", Target: "mysql", Parameters: at(64), Unit: "tx/s", Direction: "HigherIsBetter", TrialCount: 0, PlannedTrialCount: 6,
					LeftOut: []v1alpha1.LeftOut{{Reason: v1alpha1.LeftOutFailed, TrialCount: 6}}},
				{Name: "latency.avg", Target: "mysql", Parameters: at(2), Unit: "ms", Median: "6", Min: "5", Max: "7", IntervalLow: "5.5", IntervalHigh: "6.5", IntervalCoverage: "0.96875", TrialCount: 6, PlannedTrialCount: 6},
			},
			Findings: []v1alpha1.Finding{
				{Check: "a", Severity: v1alpha1.SeverityWarning, Target: "mysql", Message: "of a target"}, {Check: "b", Severity: v1alpha1.SeverityNote, Message: "a note"},
				{Check: "c", Severity: v1alpha1.SeverityDisturbed, Trial: new(int32(3)), Message: "of a trial"},
			},
			Sweeps: []v1alpha1.SweepEntry{{Name: "throughput", Axis: "threads", Target: "mysql", Knee: "5.2", KneeLow: "4.6", KneeHigh: "5.9", Peak: "16"}},
			Results: &v1alpha1.ResultsStatus{
				SweepCount: 3, SummaryEntryCount: 9, ShownEntryCount: 3, ComparisonCount: 1,
			},
			Targets: []v1alpha1.TargetStatus{{Name: "mysql", ServerVersion: "9.7.0", NodeName: "node-a", Load: []v1alpha1.Value{
				{Name: "throughput.rows", Value: "178426.1234", Unit: "rows/s"}, {Name: "time.load", Value: "0.112091", Unit: "s"}, {Name: "rows.loaded", Value: "20000", Unit: "rows"},
			}}, {Name: "paper", Source: "a paper", Quoted: []v1alpha1.QuotedValue{
				{Stage: v1alpha1.QuotedRun, Name: "throughput", Labels: map[string]string{"threads": "2"}, Value: "500", Unit: "ops/s"},
				{Stage: v1alpha1.QuotedLoad, Name: "throughput", Labels: map[string]string{"threads": "2"}, Value: "9", Unit: "ops/s"},
				{Stage: v1alpha1.QuotedRun, Name: "throughput", Labels: map[string]string{"threads": "8"}, Value: "700", Unit: "ops/s"},
			}}},
		},
	}
}

func told(t *testing.T, run *v1alpha1.BenchmarkRun, view readout.View, width int) string {
	t.Helper()
	out := screen.New(t, width)
	page := output.NewPage(out)
	tell(page, readout.StatusIn(run, view), view.Name == readout.All)
	if err := page.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Quoted numbers stand beside the measured ones of the same place, and are marked.
func TestMeasuredAndQuoted(t *testing.T) {
	run := quotedRun()
	want := `ns/run: SWEEP 1 of 3: threads of mysql: knee at 5.2 (4.6 to 5.9), peak at 16 (no interval)
12 of 12 trials, 7 disturbed

TARGET  SERVER  NODE    LOAD (s)   ROWS/s
mysql   9.7.0   node-a    0.1121  178,426

MEASUREMENT  WHERE       TARGET  MEDIAN  UNIT   INTERVAL          TRIALS  NOTES
throughput   threads=2   mysql   327 *   tx/s   310 to 340 (all)  5 of 6  disturbed 1/6
throughput   threads=2   paper   500     ops/s  quoted: a paper   -       -
throughput   threads=64  mysql   *       tx/s   -                 0 of 6  failed 6/6
throughput   threads=8   paper   700     ops/s  quoted: a paper   -       -
and 6 more numbers in the ConfigMaps of the summary

* notes:
  failed: these trials have no result, and are left out
  disturbed: something else happened during these trials, and they are left out

sweeps:
  threads of mysql: knee at 5.2 (4.6 to 5.9), peak at 16 (no interval)
  and 2 more in the ConfigMaps of the summary

1 comparison more in the ConfigMaps of the summary

against the numbers:
  disturbed c: trial 3: of a trial
  warning a (mysql): of a target

what this does not say:
  No comparison was declared before the data, so there is no verdict: differences between numbers
    are hints for the next run.
  Quoted numbers were measured by somebody else, somewhere else. No test uses them.

what to do next:
  declare what to compare in spec.analysis.comparisons, and run again: only a comparison that was
    declared before the data has a verdict

ns/run: SWEEP 1 of 3: threads of mysql: knee at 5.2 (4.6 to 5.9), peak at 16 (no interval)
`
	if diff := cmp.Diff(want, told(t, run, readout.View{}, 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := told(t, run, readout.View{Name: "latency.avg"}, 0); strings.Contains(got, "sweeps") || !strings.Contains(got, "latency.avg  threads=2  mysql      6.0  ms    5.5 to 6.5 (96.88 %)  6 of 6") {
		t.Errorf("the latency:\n%s", got)
	}
	if got := told(t, run, readout.View{Against: "threads=2"}, 0); !strings.Contains(got, "1.40x threads=2, quoted: a paper") || strings.Count(got, "x threads=2") != 2 {
		t.Errorf("against threads=2:\n%s", got)
	}
	if got := readout.StatusIn(run, readout.View{Name: "nothing"}).Measurements; len(got) != 0 {
		t.Errorf("%+v", got)
	}
	for line := range strings.Lines(told(t, run, readout.View{}, 40)) {
		if strings.HasPrefix(line, "throughput") && len([]rune(line)) > 41 {
			t.Errorf("a row of %d characters on 40: %q", len([]rune(line)), line)
		}
	}
}
