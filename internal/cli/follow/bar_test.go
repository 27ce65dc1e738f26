package follow

import (
	"bytes"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// measuringRun has done so many of 60 trials.
func measuringRun(done int32) *v1alpha1.BenchmarkRun {
	run := &v1alpha1.BenchmarkRun{}
	run.Status.Phase = v1alpha1.PhaseMeasuring
	run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionMeasured, Status: metav1.ConditionFalse, Reason: "Progressing"}}
	run.Status.Progress = v1alpha1.Progress{
		Planned: 60, Totals: v1alpha1.Totals{Done: done, Disturbed: 1}, Current: "mysql threads=8 block 3",
		EstimatedCompletionTime: &metav1.Time{Time: now.Add(4 * time.Minute)},
	}
	run.Status.Trials = []v1alpha1.TrialStatus{
		{Target: "mariadb", Values: []v1alpha1.Value{{Name: "throughput", Value: "1304", Unit: "tx/s"}}}, {Target: "mysql", State: v1alpha1.TrialRunning},
	}
	return run
}

func waitingRun(message string) *v1alpha1.BenchmarkRun {
	run := &v1alpha1.BenchmarkRun{}
	run.Status.Phase = v1alpha1.PhaseQueued
	run.Status.Conditions = []metav1.Condition{
		{Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionTrue},
		{Type: v1alpha1.ConditionPlaced, Status: metav1.ConditionFalse, Reason: "Queued", Message: message},
	}
	return run
}

// What a terminal of some width shows.
func TestBar(t *testing.T) {
	const whole = "[===             ] 12/60 trials, ends in 4 min, 1 not counted, mysql threads=8 block 3, last mariadb 1,304 tx/s"
	for width, want := range map[int]string{
		200: clearLine + whole, 80: clearLine + string([]rune(whole)[:78]) + "…", 120: clearLine + whole,
	} {
		var out bytes.Buffer
		p := &progress{out: &out, width: func() int { return width }}
		p.show(measuringRun(12), now)
		if got := out.String(); got != want {
			t.Errorf("width %d:\n%q\nwant\n%q", width, got, want)
		}
	}
	var out bytes.Buffer
	p := &progress{out: &out, width: func() int { return 80 }}
	p.show(waitingRun("behind ns/other\x1b[2J"), now)
	p.done()
	if got := out.String(); got != clearLine+"Queued: behind ns/other\uFFFD[2J"+clearLine {
		t.Errorf("%q", got)
	}
}

// Without a terminal there are lines: at once for a new step, and for trials at most one in ten seconds.
func TestLines(t *testing.T) {
	var out bytes.Buffer
	p := &progress{out: &out, width: func() int { return 0 }}
	at := func(seconds int) time.Time { return now.Add(time.Duration(seconds) * time.Second) }
	p.show(waitingRun("behind a"), at(0))
	p.show(waitingRun("behind a"), at(1))
	p.show(waitingRun("behind b"), at(2))
	p.show(measuringRun(1), at(3))
	p.show(measuringRun(2), at(4))
	p.show(measuringRun(3), at(14))
	p.note("the API server does not answer")
	p.note("the API server does not answer")
	p.done()
	var got []string
	for line := range strings.Lines(out.String()) {
		got = append(got, strings.TrimSpace(strings.SplitN(line, ",", 2)[0]))
	}
	want := []string{"12:00:00 Queued: behind a", "12:00:02 Queued: behind b", "12:00:03 Measuring 1/60 trials", "12:00:14 Measuring 3/60 trials", "the API server does not answer"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The last trials of the targets stand beside each other, those of one load, and one that does not count is marked.
func TestLastValues(t *testing.T) {
	trial := func(target, value string, cell int32, change func(*v1alpha1.TrialStatus)) v1alpha1.TrialStatus {
		out := v1alpha1.TrialStatus{Target: target, Cell: cell, State: v1alpha1.TrialSucceeded, Values: []v1alpha1.Value{{Name: "throughput", Value: value, Unit: "tx/s"}}}
		if change != nil {
			change(&out)
		}
		return out
	}
	for name, tt := range map[string]struct {
		trials []v1alpha1.TrialStatus
		want   string
	}{
		"none":         {[]v1alpha1.TrialStatus{{Target: "a", State: v1alpha1.TrialRunning}}, ""},
		"two targets":  {[]v1alpha1.TrialStatus{trial("b", "1", 0, nil), trial("b", "2", 0, nil), trial("a", "3", 0, nil), {Target: "b"}}, "a 3, b 2 tx/s"},
		"another load": {[]v1alpha1.TrialStatus{trial("b", "1", 0, nil), trial("a", "3", 1, nil)}, "a 3 tx/s"},
		"disturbed":    {[]v1alpha1.TrialStatus{trial("a", "3", 0, func(t *v1alpha1.TrialStatus) { t.Disturbed = true })}, "a 3 (disturbed) tx/s"},
		"invalid":      {[]v1alpha1.TrialStatus{trial("a", "3", 0, func(t *v1alpha1.TrialStatus) { t.Valid = new(false) })}, "a 3 (invalid) tx/s"},
		"drivers": {[]v1alpha1.TrialStatus{trial("a", "3", 0, func(t *v1alpha1.TrialStatus) {
			t.Values[0].Labels = map[string]string{"driver": "mysql"}
			t.Values = append(t.Values, v1alpha1.Value{Name: "throughput", Labels: map[string]string{"driver": "mysql2"}, Value: "4", Unit: "tx/s"})
		})}, ""},
		"the sum and its parts": {[]v1alpha1.TrialStatus{trial("a", "3", 0, func(t *v1alpha1.TrialStatus) {
			t.Values = append(t.Values, v1alpha1.Value{Name: "throughput", Labels: map[string]string{"driver": "mysql2"}, Value: "4", Unit: "tx/s"})
		})}, "a 3 tx/s"},
		"many targets": {[]v1alpha1.TrialStatus{trial("e", "1", 0, nil), trial("d", "1", 0, nil), trial("c", "1", 0, nil), trial("b", "1", 0, nil), trial("a", "1", 0, nil)}, "a 1, b 1, c 1, d 1 tx/s"},
	} {
		run := &v1alpha1.BenchmarkRun{}
		run.Status.Trials = tt.trials
		if got := lastValues(run); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
