package history

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// The history of a run that searches has the rates that it found, by the parameters of the cell alone:
// its trials are at other rates each time, and nothing of them could be compared over the runs.
func TestPastOfASearch(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{}
	run.Spec.Search, run.Spec.Clients.Count = &v1alpha1.Search{}, 2
	run.Status.Plan = &v1alpha1.PlanStatus{TrialCount: 40}
	run.Status.Results = &v1alpha1.ResultsStatus{SearchCount: 9}
	cell := map[string]intstr.IntOrString{"threads": intstr.FromInt32(8)}
	for _, s := range []v1alpha1.SearchEntry{
		{Block: 0, Target: "a", Outcome: v1alpha1.SearchFound, Held: 400, Failed: 420},
		{Block: 1, Target: "a", Outcome: v1alpha1.SearchFound, Held: 380, Failed: 400},
		{Block: 0, Target: "b", Outcome: v1alpha1.SearchFound, Held: 500, Failed: 520},
		{Block: 1, Target: "b", Outcome: v1alpha1.SearchAllHeld, Held: 800},
		{Block: 0, Target: "c", Outcome: v1alpha1.SearchUnknown},
		{Block: 1, Target: "c", Outcome: v1alpha1.SearchFound, Held: 100, Failed: 110},
	} {
		s.Parameters = cell
		run.Status.Searches = append(run.Status.Searches, s)
	}
	b := NewBuilder(run)
	for i, rate := range []int32{100, 800, 400, 420} {
		b.Add([]contract.Record{{
			Index: int32(i), Target: "a", State: contract.Succeeded, Final: true, Valid: new(true), Facts: "a=b",
			Parameters: map[string]contract.Scalar{"threads": {Int: 8, IsInt: true}, "rate": {Int: rate, IsInt: true}},
			Values:     []contract.RecordedValue{{Name: "throughput", Unit: "tx/s", Value: float64(rate)}},
		}})
	}
	got := b.Past()
	series := func(target string, values ...*float64) contract.PastSeries {
		return contract.PastSeries{
			Target: target, Parameters: map[string]contract.Scalar{"threads": {Int: 8, IsInt: true}}, Name: contract.NameHighestRate, Unit: "tx/s",
			Direction: contract.HigherIsBetter, Values: values,
		}
	}
	want := []contract.PastSeries{series("a", new(800.), new(760.)), series("c", nil, new(200.))}
	if diff := cmp.Diff(want, got.Series); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.SeriesLeftOut != 3 || got.Environment[0].Facts != "a=b" {
		t.Errorf("%d left out, %+v", got.SeriesLeftOut, got.Environment)
	}
}
