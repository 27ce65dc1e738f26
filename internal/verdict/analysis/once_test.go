package analysis

import (
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/costs"
)

// The largest memory of a server is the same in each block: ten times the same observation are not ten.
func TestMemorySinceTheStartIsOneObservation(t *testing.T) {
	p := planOf(10, 1, "a", "b", "control")
	records := recordsOf(p, 0.01, bOver(1))
	for i := range records {
		bytes := map[string]float64{"a": 1 << 30, "b": 1 << 31, "control": 1 << 30}[records[i].Target]
		records[i].Values = append(records[i].Values, contract.RecordedValue{Name: costs.ServerMemory, Value: bytes, Unit: "B", Direction: contract.LowerIsBetter})
	}
	in := Input{Layout: Layout{Plan: p}, Records: records, Names: append([]string{costs.ServerMemory}, names...), Limit: 100}
	for name, comparisons := range map[string][]v1alpha1.Comparison{
		"declared": {{Factor: "target", Measurements: []v1alpha1.MeasurementRef{{Name: costs.ServerMemory}}}}, "not declared": nil,
	} {
		var err error
		if in.Declaration, err = Declare(specOf(2, &v1alpha1.Analysis{Control: true, MinimumEffect: "2%", ErrorRate: "5%", Comparisons: comparisons}), names); err != nil {
			t.Fatal(err)
		}
		got, err := Conclude(in)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, e := range got.Entries {
			if e.Name != costs.ServerMemory {
				continue
			}
			found++
			if e.Verdict != v1alpha1.VerdictExploratory || said(e.Reasons) != "OneObservation" || e.BlocksNeeded != 0 || e.P != "" || e.AdjustedP != "" || e.IntervalLow != "" || e.DetectableEffect != "" || e.Ratio == "" {
				t.Errorf("%s: %+v", name, e)
			}
		}
		if found == 0 {
			t.Errorf("%s: no comparison of the memory in %+v", name, got.Entries)
		}
	}
}
