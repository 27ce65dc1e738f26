package accept

import (
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// A run that another version accepted, with bounds that this one does not have, waits for
// that version: after a rollback it must not end.
func TestSpecOfAnotherVersionWaits(t *testing.T) {
	wide := spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Workload.Sysbench.Threads = 1 << 30 })
	if got := words(newWorld(wide).decide(t).State); !strings.HasPrefix(got, "fail InvalidSpec: spec.workload.sysbench.threads") {
		t.Errorf("a new run: %s", got)
	}
	got := words(newWorld(accepted(t), wide).decide(t).State)
	if !strings.HasPrefix(got, "wait JournalTooNew: ") || !strings.Contains(got, "spec.workload.sysbench.threads") {
		t.Errorf("a run that was accepted: %s", got)
	}
}
