package benchmarkrun

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/contract"
)

func TestATargetWhoseCommitsAreNotDurableCondemnsItsTrials(t *testing.T) {
	s := &scope{run: &v1alpha1.BenchmarkRun{}}
	s.checkLoaded("innodb", nil)
	s.checkLoaded("innodb", &contract.Result{
		State: contract.Succeeded, Trial: contract.TrialRef{Phase: "Prepare"},
		Server: &contract.Server{
			Variables:  map[string]string{"innodb_flush_log_at_trx_commit": "1"},
			Durability: &contract.Durability{StorageEngine: "InnoDB", Commits: 50, Counters: map[string]int64{"innodb_data_fsyncs": 1}},
		},
	})
	// Many other findings come afterwards.
	for i := range int32(3 * maxFindings) {
		s.find(v1alpha1.Finding{Trial: &i, Target: "innodb", Check: "stall", Severity: "Invalid"})
		s.find(v1alpha1.Finding{Target: "innodb", Check: "effective-settings", Severity: "Warning"})
	}
	got := s.inherited("innodb")
	if len(got) != 1 || got[0].Check != "durability" || got[0].Severity != "Invalid" || !strings.Contains(got[0].Message, "requested 1 flushes") {
		t.Errorf("got %+v, want that commits are not durable", got)
	}
	if other := s.inherited("myrocks"); other != nil {
		t.Errorf("another target has %+v", other)
	}
	findings := s.run.Status.Findings
	if len(findings) != maxFindings || *findings[maxFindings-2].Trial != 3*maxFindings-1 {
		t.Errorf("%d findings, the last but one %+v", len(findings), findings[len(findings)-2])
	}
}

func TestFindingsThatCondemnTargetsAreAllKept(t *testing.T) {
	var all []v1alpha1.Finding
	for range maxFindings + 1 {
		all = append(all, v1alpha1.Finding{Target: "a", Check: "durability", Severity: "Invalid"})
	}
	if diff := cmp.Diff(len(all), len(lastFindings(all))); diff != "" {
		t.Errorf("number (-want +got):\n%s", diff)
	}
}

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
