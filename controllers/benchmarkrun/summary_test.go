package benchmarkrun

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/internal/plan"
	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

func measured(name, operation string, v float64) result.Measurement {
	m := result.Measurement{Name: name, Unit: "ms", Direction: result.LowerIsBetter, Value: &v}
	if operation != "" {
		m.Labels = map[string]string{result.LabelOperation: operation}
	}
	return m
}

func TestValuesKeepLabelsApart(t *testing.T) {
	res := result.Result{Measurements: []result.Measurement{
		measured("latency.avg", "read", 1), measured("latency.avg", "", 2), {Name: "latency.avg", Unit: "ms"},
		measured("throughput", "", 3), measured("latency.avg", "update", 4), measured("other", "", 5),
	}}
	want := []v1alpha1.Value{
		{Name: "throughput", Value: "3", Unit: "ms", Direction: "LowerIsBetter"},
		{Name: "latency.avg", Value: "2", Unit: "ms", Direction: "LowerIsBetter"},
		{Name: "latency.avg", Labels: map[string]string{"operation": "read"}, Value: "1", Unit: "ms", Direction: "LowerIsBetter"},
		{Name: "latency.avg", Labels: map[string]string{"operation": "update"}, Value: "4", Unit: "ms", Direction: "LowerIsBetter"},
	}
	if diff := cmp.Diff(want, values([]string{"throughput", "latency.avg"}, res)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i := range 2 * maxValues {
		res.Measurements = append(res.Measurements, measured("latency.avg", fmt.Sprint(i), 1))
	}
	if got := values([]string{"throughput", "latency.avg"}, res); len(got) != maxValues || got[0].Name != "throughput" {
		t.Errorf("%d values, the first %+v", len(got), got[0])
	}
}

func TestSummaryKeepsLabelsApart(t *testing.T) {
	record := func(v string, operations ...string) journal.Record {
		rec := journal.Record{TrialStatus: v1alpha1.TrialStatus{Target: "db", State: v1alpha1.TrialSucceeded, Valid: new(true)}}
		for _, o := range operations {
			value := v1alpha1.Value{Name: "latency.avg", Value: v, Unit: "ms"}
			if o != "" {
				value.Labels = map[string]string{"operation": o}
			}
			rec.Values = append(rec.Values, value)
		}
		return rec
	}
	s := &scope{
		plan:   &plan.Plan{Targets: []string{"db"}, Cells: []plan.Cell{{}}},
		runner: runner.Runner{Summary: []string{"throughput", "latency.avg"}},
	}
	// The last trial had no update: it is missing there, and no zero.
	got := summary(s, []journal.Record{record("1", "", "read", "update"), record("2", "", "read", "update"), record("3", "", "read")})
	want := []v1alpha1.SummaryEntry{
		{Target: "db", Name: "latency.avg", Unit: "ms", Median: "2", Min: "1", Max: "3", N: 3},
		{Target: "db", Name: "latency.avg", Labels: map[string]string{"operation": "read"}, Unit: "ms", Median: "2", Min: "1", Max: "3", N: 3},
		{Target: "db", Name: "latency.avg", Labels: map[string]string{"operation": "update"}, Unit: "ms", Median: "1.5", Min: "1", Max: "2", N: 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A status that has not room for all entries has the main one of every cell.
func TestMainEntriesOfEveryCell(t *testing.T) {
	var all []v1alpha1.SummaryEntry
	for cell := range int32(maxSummary) {
		for _, name := range []string{"throughput", "latency.avg", "latency.max"} {
			all = append(all, v1alpha1.SummaryEntry{Cell: cell, Name: name})
		}
	}
	names := []string{"throughput", "latency.avg", "latency.max"}
	got := mainEntries(all, names)
	if len(got) != maxSummary {
		t.Fatalf("%d entries", len(got))
	}
	for i, e := range got {
		if e.Name != "throughput" || e.Cell != int32(i) {
			t.Fatalf("entry %d is %+v", i, e)
		}
	}
	if diff := cmp.Diff(all[:9], mainEntries(all[:9], names)); diff != "" {
		t.Errorf("entries for which there is room are in another order (-want +got):\n%s", diff)
	}
}

// What sha256sum prints of two files, hashed again: printf one > a; printf two > b;
// sha256sum a b | sha256sum.
func TestDigestIsThatOfSha256sum(t *testing.T) {
	got := digest(map[string][]byte{"b": []byte("two"), "a": []byte("one")})
	if want := "d17138d96382403690482a89da33475336ab36c046a6912a86badedd62301cb8"; got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}
