package readout

import (
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// A load that is certain does not look like one of which no interval is known.
func TestASweepSaysWhetherItHasAnInterval(t *testing.T) {
	for want, e := range map[string]v1alpha1.SweepEntry{
		"threads of a: peak at 2 (2 to 2)":                                  {Peak: "2", PeakLow: "2", PeakHigh: "2"},
		"threads of a: peak at 2 (no interval)":                             {Peak: "2"},
		"threads of a: knee at 5.2 (4.6 to 5.9), peak at 16 (8 to 32)":      {Knee: "5.2", KneeLow: "4.6", KneeHigh: "5.9", Peak: "16", PeakLow: "8", PeakHigh: "32"},
		"threads of a: knee at 5.2 (no interval), peak at 16 (no interval)": {Knee: "5.2", Peak: "16"},
	} {
		e.Axis, e.Target = "threads", "a"
		if got := SweepText(e); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// The answer has the first sweep, and says of how many: of those that the run has stored.
func TestTheAnswerCountsSweeps(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{}
	for _, c := range []struct {
		sweeps int
		stored int32
		want   string
	}{{1, 1, "SWEEP threads of a: peak at 2 (no interval)"}, {2, 0, "SWEEP 1 of 2: threads of a: peak at 2 (no interval)"}, {2, 6, "SWEEP 1 of 6: threads of a: peak at 2 (no interval)"}} {
		run.Status.Sweeps, run.Status.Results = nil, &v1alpha1.ResultsStatus{SweepCount: c.stored}
		for range c.sweeps {
			run.Status.Sweeps = append(run.Status.Sweeps, v1alpha1.SweepEntry{Name: "throughput", Axis: "threads", Target: "a", Peak: "2"})
		}
		doc := FromStatus(run)
		if got := doc.shows(run)[0].String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
