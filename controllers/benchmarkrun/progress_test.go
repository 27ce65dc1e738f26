package benchmarkrun

import (
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Notes, of which every trial may have one, must not displace what is against a number, nor what was noted of the run.
func TestNotesGoFirst(t *testing.T) {
	all := []v1alpha1.Finding{{Check: "stall", Severity: "Warning"}, {Check: "shapes-chosen", Severity: "Note"}}
	for i := range int32(2 * v1alpha1.MaxFindings) {
		all = append(all, v1alpha1.Finding{Trial: &i, Check: "second-workload", Severity: "Note"})
	}
	if got := withFindings(nil, all...); len(got) != v1alpha1.MaxFindings || got[0].Check != "stall" || got[1].Check != "shapes-chosen" {
		t.Errorf("%d findings, the first %+v", len(got), got[:2])
	}
	for range v1alpha1.MaxFindings {
		all = append(all, v1alpha1.Finding{Check: "stall", Severity: "Warning"})
	}
	for _, f := range withFindings(nil, all...) {
		if f.Check != "stall" {
			t.Errorf("%s displaced a warning", f.Check)
		}
	}
}

// What the status shows is bounded, whatever is found; the trials are judged by
// status.targets[].invalidatedBy.
func TestFindingsAreBounded(t *testing.T) {
	var all []v1alpha1.Finding
	for i := range int32(2 * v1alpha1.MaxFindings) {
		all = append(all, v1alpha1.Finding{Target: "a", Check: "durability", Severity: "Invalid"}, v1alpha1.Finding{Trial: &i, Target: "a", Check: "stall", Severity: "Invalid"})
	}
	got := withFindings(nil, all...)
	if len(got) != v1alpha1.MaxFindings || got[0].Check != "durability" || got[v1alpha1.MaxFindings-1].Check != "durability" {
		t.Errorf("%d findings, the first %+v and the last %+v", len(got), got[0], got[len(got)-1])
	}
}
