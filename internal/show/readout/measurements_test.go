package readout

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Without a declaration the main measurement and a latency are shown, with one what is compared.
func TestNamesThatAreShown(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{}
	run.Status.Summary = []v1alpha1.SummaryEntry{{Name: "throughput"}, {Name: "queries"}, {Name: "latency.avg"}, {Name: "latency.percentile"}}
	if diff := cmp.Diff([]string{"throughput", "latency.percentile"}, View{}.names(Input{Run: run, Summary: run.Status.Summary, Comparisons: run.Status.Comparisons})); diff != "" {
		t.Errorf("without comparisons (-want +got):\n%s", diff)
	}
	run.Status.Comparisons = []v1alpha1.ComparisonEntry{{Name: "latency.avg", Family: v1alpha1.FamilyPrimary}, {Name: "queries", Family: v1alpha1.FamilyExploratory}}
	if diff := cmp.Diff([]string{"latency.avg"}, View{}.names(Input{Run: run, Summary: run.Status.Summary, Comparisons: run.Status.Comparisons})); diff != "" {
		t.Errorf("with one (-want +got):\n%s", diff)
	}
}

// A number has its figures from its interval; one without has the range of its trials, and a quoted one its source.
func TestFiguresOfMeasurements(t *testing.T) {
	for name, c := range map[string]struct {
		m                Measurement
		median, interval string
	}{
		"an interval":  {Measurement{Median: "1125.37", IntervalLow: "878.4", IntervalHigh: "1419", Min: "800", Max: "1500"}, "1,130", "880 to 1,420"},
		"a few trials": {Measurement{Median: "326.9", Min: "310.1", Max: "340.2"}, "327", "310 to 340 (all)"},
		"quoted":       {Measurement{Median: "500", Quoted: "a paper"}, "500", "quoted: a paper"},
		"a factor":     {Measurement{Median: "700", Quoted: "a paper", Factor: "1.40x threads=2"}, "700", "1.40x threads=2, quoted: a paper"},
		"no number":    {Measurement{}, "", ""},
	} {
		if median, interval := c.m.Figures(); median != c.median || interval != c.interval {
			t.Errorf("%s: %q, %q", name, median, interval)
		}
	}
}
