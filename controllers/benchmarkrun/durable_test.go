package benchmarkrun

import (
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Notes, of which every trial may have one, must not displace what is against a number.
func TestNotesGoFirst(t *testing.T) {
	all := []v1alpha1.Finding{{Check: "stall", Severity: "Warning"}}
	for range 2 * maxFindings {
		all = append(all, v1alpha1.Finding{Check: "second-workload", Severity: "Note"})
	}
	if got := lastFindings(all); len(got) != maxFindings || got[0].Check != "stall" {
		t.Errorf("%d findings, the first %+v", len(got), got[0])
	}
}
