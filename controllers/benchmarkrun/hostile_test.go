package benchmarkrun

import (
	"bytes"
	"compress/gzip"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/resources"
	"github.com/assay-bench/assay/runners"
)

// placedWorld is that of a run which has its nodes and was accepted.
func placedWorld(t *testing.T, known decision.Known) World {
	t.Helper()
	run := newRun(t, "ns", func(r *v1alpha1.BenchmarkRun) { r.UID = "1" })
	run.Spec.SetDefaults()
	run.Spec.Workload.Sysbench.Percentile = 95
	run.Spec.Targets[0].MySQL.StorageEngine = "InnoDB"
	run.Spec.Design.Order, run.Spec.Design.DataReset = v1alpha1.OrderSequential, v1alpha1.ResetPerRun
	w := World{Run: run, Now: time.Now(), Catalogue: accept.Catalogue{Tool: runners.Find, Engine: engines.Find, Config: testConfig()}, Known: known}
	res := accept.Decide(accept.Input{Run: run, Now: w.Now, Catalogue: w.Catalogue}, known.Ask())
	if !isDone(res.State) {
		t.Fatalf("not accepted: %+v", res.State)
	}
	w.Planned = res.Planned
	st := &run.Status
	st.Resolved, st.AcceptedTime, st.SpecHash, st.Plan = res.Status.Resolved, res.Status.AcceptedTime, res.Status.SpecHash, res.Status.Plan
	st.Placement, st.StartTime = &v1alpha1.Placement{}, &metav1.Time{Time: w.Now}
	return w
}

// recordsFact is a ConfigMap of a run with what encode gives.
func recordsFact(run *v1alpha1.BenchmarkRun, known decision.Known, part int32, data []byte) decision.Known {
	name := contract.RecordsName(run.Name, part)
	return known.With(decision.GetRecords{Name: name}, decision.PartIn(resources.Journal(run, name, contract.KeyRecords, data)))
}

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if _, err := zip.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A journal of a newer manager is waited for, also by a run that is overdue.
func TestNewerJournalOutlastsTheDeadline(t *testing.T) {
	w := placedWorld(t, decision.Known{})
	w.Known = recordsFact(w.Run, w.Known, 0, zipped(t, `{"version":"assay.dev/journal/v1","minReader":99}`))
	w.Now = w.Now.Add(24 * time.Hour)
	p := decide(w)
	if len(p.missing) > 0 {
		t.Fatalf("asks for %v", p.missing)
	}
	for _, c := range p.chapters {
		if wait, waits := c.state.(decision.Waiting); !waits || wait.Reason != v1alpha1.ReasonJournalTooNew || c.ends {
			t.Errorf("%s: %+v, want a wait for a newer manager", c.condition, c.state)
		}
	}
}
