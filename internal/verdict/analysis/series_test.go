package analysis

import (
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/costs"
)

// 5 EUR are not more than 4 USD: prices of two currencies have no ratio.
func TestUnitsAreNotMixed(t *testing.T) {
	p := planOf(8, 1, "a", "b")
	records := recordsOf(p, 0.01, bOver(1))
	for i := range records {
		v := contract.RecordedValue{Name: costs.Price, Value: 4, Unit: "USD/Mop", Direction: contract.LowerIsBetter}
		if records[i].Target == "b" {
			v.Value, v.Unit = 5, "EUR/Mop"
		}
		records[i].Values = append(records[i].Values, v)
	}
	in := Input{Layout: Layout{Plan: p}, Records: records, Names: append([]string{costs.Price}, names...), Limit: 100}
	var err error
	in.Declaration, err = Declare(specOf(2, analysisOf(v1alpha1.Comparison{Factor: "target", Measurements: []v1alpha1.MeasurementRef{{Name: costs.Price}}})), in.Names)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Conclude(in)
	if err != nil {
		t.Fatal(err)
	}
	if e := got.Entries[0]; e.Verdict != v1alpha1.VerdictNotMeasured || e.AdjustedP != "" || e.Ratio != "" || said(e.Reasons) != "NotMeasured" {
		t.Errorf("%+v", e)
	}
	// Trials in sequence have no verdict at all.
	in.Layout.Plan.Order = v1alpha1.OrderSequential
	if got, err = Conclude(in); err != nil {
		t.Fatal(err)
	}
	if e := got.Entries[0]; e.Verdict != v1alpha1.VerdictExploratory || e.AdjustedP != "" || said(e.Reasons) != "NotMeasured; InSequence" {
		t.Errorf("in sequence: %+v", e)
	}
}
