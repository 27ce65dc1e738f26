package accept

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
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

// A plan that only a newer manager may carry out is waited for, also where this one would
// plan the same.
func TestPlanOfANewerManagerWaits(t *testing.T) {
	w := newWorld(accepted(t))
	q := decision.Named[*corev1.ConfigMap](contract.PlanName("run", 0))
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if _, err := zip.Write([]byte(`{"version":"` + contract.JournalVersion + `","minReader":99}`)); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	w.objects[q].(*corev1.ConfigMap).BinaryData[contract.KeyPlan] = out.Bytes()
	if got := words(w.decide(t).State); !strings.HasPrefix(got, "wait JournalTooNew: ") {
		t.Error(got)
	}
}
