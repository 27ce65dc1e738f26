package history

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
)

// Of a run that searches the history has the rates that it found, and not the values of the trials that
// happened to be the last of each block. The gate's word on them is found by the same key.
func TestPastOfASearch(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{}
	run.Spec.Search, run.Spec.Clients.Count = &v1alpha1.Search{Low: 1, High: 100}, 2
	entry := func(target string, block int32, outcome v1alpha1.SearchOutcome, held int32) v1alpha1.SearchEntry {
		return v1alpha1.SearchEntry{Target: target, Block: block, Outcome: outcome, Held: held, Parameters: map[string]intstr.IntOrString{"threads": intstr.FromInt32(4)}}
	}
	run.Status.Searches = []v1alpha1.SearchEntry{
		entry("a", 0, v1alpha1.SearchFound, 70), entry("a", 1, v1alpha1.SearchUnknown, 0), entry("a", 2, v1alpha1.SearchFound, 72),
		entry("b", 0, v1alpha1.SearchFound, 90), entry("b", 1, v1alpha1.SearchAllHeld, 100), entry("b", 2, v1alpha1.SearchFound, 91),
		entry("c", 0, v1alpha1.SearchUnfinished, 10), entry("d", 0, v1alpha1.SearchFound, 50),
	}
	run.Status.Results = &v1alpha1.ResultsStatus{SearchCount: 12} // the status ends within d
	run.Status.Summary = []v1alpha1.SummaryEntry{{Name: contract.NameHighestRate, Unit: "tx/s"}}
	run.Status.Gate = &v1alpha1.GateStatus{Entries: []v1alpha1.GateEntry{{Outcome: v1alpha1.OutcomeSlower, Measurement: v1alpha1.MeasurementKey{
		Target: "a", Name: contract.NameHighestRate, Unit: "tx/s", Parameters: map[string]string{"threads": "4"},
	}}}}
	b := NewBuilder(run)
	for i, target := range []string{"a", "a", "b", "c", "d"} {
		b.Add([]contract.Record{{
			Index: int32(i), Target: target, State: contract.Succeeded, Valid: new(true), Disturbed: i == 0, Facts: "x=y", Parameters: map[string]contract.Scalar{"threads": {Int: 4, IsInt: true}, "rate": {Int: int32(i), IsInt: true}},
			Values: []contract.RecordedValue{{Name: "throughput", Unit: "tx/s", Value: 7}},
		}})
	}
	got := b.Past()
	text, err := json.Marshal(got.Series)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"target":"a","parameters":{"threads":4},"name":"rate.highest","unit":"tx/s","direction":"HigherIsBetter","slower":true,"values":[140,null,144]}]`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.SeriesLeftOut != 1 || len(got.Environment) != 4 {
		t.Errorf("%d left out, environments %+v", got.SeriesLeftOut, got.Environment)
	}
}
