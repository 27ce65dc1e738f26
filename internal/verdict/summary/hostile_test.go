package summary

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// allOf a summary that has room for all.
func allOf(in Input) []v1alpha1.SummaryEntry {
	entries, _ := Of(in)
	return entries
}

// Labels that differ in every trial, as only a hostile tool writes them, are more measurements than
// anybody can hold in memory: the manager has 256 MiB.
func TestLabelsOfEachTrial(t *testing.T) {
	p := &plan.Plan{Targets: []string{"a", "b"}}
	var records []contract.Record
	for cell := range 10 {
		p.Cells = append(p.Cells, plan.Cell{"threads": intstr.FromInt(cell)})
		for trial := range 20 {
			at := plan.Trial{Index: int32(len(p.Trials)), Cell: int32(cell), Target: int32(trial % 2), Block: int32(trial / 2)}
			rec := contract.Record{Index: at.Index, Cell: at.Cell, Target: p.Targets[at.Target], Final: true, State: contract.Succeeded, Valid: new(true)}
			rec.Values = append(rec.Values, contract.RecordedValue{Name: "throughput", Unit: "tx/s", Value: 1})
			for i := range 1000 {
				rec.Values = append(rec.Values, contract.RecordedValue{Name: "latency.avg", Unit: "ms", Value: 1, Labels: map[string]string{"n": strconv.Itoa(1000*int(at.Index) + i)}})
			}
			p.Trials, records = append(p.Trials, at), append(records, rec)
		}
	}
	entries, left := Of(Input{p, []string{"throughput", "latency.avg"}, records})
	main := 0
	for _, e := range entries {
		if e.Name == "throughput" {
			main++
			if e.TrialCount != 10 {
				t.Errorf("cell %d, target %s: %d trials count, want 10", e.Cell, e.Target, e.TrialCount)
			}
		}
	}
	if len(entries) > MaxEntries+20 || main != 20 || left != 200*1000+20-len(entries) {
		t.Errorf("%d entries, %d of the main measurement, and %d are left out; want at most %d with 20 and the rest of 200,000", len(entries), main, left, MaxEntries)
	}
}

// A price in EUR and one in USD are two measurements.
func TestUnitsAreNotMixed(t *testing.T) {
	p := &plan.Plan{Targets: []string{"a", "b"}, Cells: []plan.Cell{{}}}
	var records []contract.Record
	for i, unit := range []string{"EUR/Mop", "USD/Mop"} {
		p.Trials = append(p.Trials, plan.Trial{Index: int32(i), Target: int32(i)})
		records = append(records, contract.Record{Index: int32(i), Target: p.Targets[i], Final: true, State: contract.Succeeded, Valid: new(true), Values: []contract.RecordedValue{
			{Name: "throughput", Unit: "tx/s", Value: 1}, {Name: "cost.price", Unit: unit, Value: 2}}})
	}
	got := map[string]string{}
	for _, e := range allOf(Input{p, []string{"throughput", "cost.price"}, records}) {
		if e.Name == "cost.price" {
			got[e.Target] += e.Unit
		}
	}
	if diff := cmp.Diff(map[string]string{"a": "EUR/Mop", "b": "USD/Mop"}, got); diff != "" {
		t.Errorf("units by target differ (-want +got):\n%s", diff)
	}
}
