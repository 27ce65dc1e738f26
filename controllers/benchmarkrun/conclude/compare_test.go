package conclude

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/logbook"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/record/integrity"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// longRun has 230 attempts in three parts of the records, with the results of two clients each.
func longRun(t *testing.T) (run *v1alpha1.BenchmarkRun, known decision.Known) {
	t.Helper()
	run = &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "run", UID: "1"}}
	run.Status.Placement, run.Status.Plan = &v1alpha1.Placement{}, &v1alpha1.PlanStatus{TrialCount: 230}
	run.Status.Integrity = &v1alpha1.IntegrityStatus{PlanSHA256: "plan"}
	part := journal.BeginChain("plan")
	write := func() {
		data, err := part.Encode()
		if err != nil {
			t.Fatal(err)
		}
		name := contract.RecordsName("run", part.Part)
		known = known.With(decision.GetRecords{Name: name}, decision.PartIn(resources.Journal(run, name, contract.KeyRecords, data)))
		run.Status.Integrity.RecordsSHA256 = contract.Digest(data)
	}
	for i := range int32(230) {
		if part.Full() {
			write()
			part = part.Next()
		}
		rec := contract.Record{Index: i, Final: true, State: contract.Succeeded, Target: "db"}
		for c := range 2 {
			rec.Delivered = append(rec.Delivered, contract.RecordedDelivery{ConfigMap: contract.ResultName(contract.TrialName("run", i, 0), c), Digests: map[string]string{"k": "right"}})
		}
		part = part.Add(rec)
	}
	write()
	run.Status.Integrity.Head = part.Head()
	run.Status.Results = &v1alpha1.ResultsStatus{RecordConfigMapCount: part.Part + 1}
	return run, known
}

// A long run is compared in passes of which each reads a bounded number of results, and no
// result is read twice or left out.
func TestResultsAreComparedInPieces(t *testing.T) {
	run, known := longRun(t)
	changed := map[string]string{
		"run-trial-00000-result-0": "wrong", "run-trial-00105-result-1": "wrong", "run-trial-00229-result-1": "wrong", "run-trial-00111-result-0": "", "run-trial-00004-result-1": "wrong",
	}
	read := map[string]int{}
	var checked Checked
	for pass := 1; ; pass++ {
		book, state := logbook.Read(run, run.Status.Integrity, known.Ask())
		if _, done := state.(decision.Done); !done {
			t.Fatalf("the records: %+v", state)
		}
		in := Evidence{Run: run, Now: time.Unix(100, 0), Book: book, Checked: checked}
		ask := known.Ask()
		Compare(in, ask)
		if n := len(ask.Missing()); n > perPass+1 {
			t.Errorf("pass %d reads %d results", pass, n)
		}
		inPass := known
		for _, q := range ask.Missing() {
			name := q.(decision.GetStored).Name
			read[name]++
			stored := integrity.Stored{Exists: true, Digests: map[string]string{"k": "right"}}
			switch digest, is := changed[name]; {
			case is && digest == "":
				stored = integrity.Stored{}
			case is:
				stored.Digests["k"] = digest
			}
			inPass = inPass.With(q, stored)
		}
		c, state := Compare(in, inPass.Ask())
		checked = c
		wait, waits := state.(decision.Waiting)
		if !waits {
			break
		}
		if !wait.Until.Equal(in.Now.Add(breath)) || !c.Begun() || pass > 20 {
			t.Fatalf("pass %d: %+v", pass, wait)
		}
	}
	if len(read) != 460 {
		t.Errorf("%d results were read, want 460", len(read))
	}
	for name, n := range read {
		if n != 1 {
			t.Errorf("%s was read %d times", name, n)
		}
	}
	got := checked.verdict(Verdict{Known: true, Valid: true})
	for _, want := range []string{"run-trial-00000-result-0", "run-trial-00004-result-1", "run-trial-00105-result-1", "and 1 more"} {
		if got.Valid || got.Reason != v1alpha1.ReasonTampered || !strings.Contains(got.Message, want) {
			t.Errorf("verdict %+v, want it to name %s", got, want)
		}
	}
	if f := checked.findings(); len(f) != 1 || !strings.Contains(f[0].Message, "run-trial-00111-result-0") {
		t.Errorf("findings %+v", f)
	}
	if fmt.Sprint(Checked{}.findings(), Checked{}.verdict(Verdict{Valid: true}).Valid) != "[] true" {
		t.Error("a run of which everything holds")
	}
}

// A summary that a pass left which died is kept when it is the same. One of another version is
// written again, so that the status and the stored summary are of one manager.
func TestSummaryOfAPassThatDied(t *testing.T) {
	run, _ := longRun(t)
	p := &plan.Plan{Targets: []string{"db"}, Cells: []plan.Cell{{}}, Trials: []plan.Trial{{}}}
	in := Input{Run: run, Plan: p, Input: analysis.Input{Names: []string{"throughput"}, Records: []contract.Record{{State: contract.Succeeded, Final: true, Target: "db", Valid: new(true), Values: []contract.RecordedValue{{Name: "throughput", Value: 1, Unit: "tx/s"}}}}}}
	name := contract.SummaryName("run", 0)
	decide := func(stored integrity.Stored) Result {
		return Decide(in, decision.Known{}.With(decision.GetStored{Name: name}, stored).Ask())
	}
	first := decide(integrity.Stored{})
	cm := first.Actions[0].(decision.Create).Object.(*corev1.ConfigMap)
	if first.SummarySHA256 != contract.Digest(cm.BinaryData[contract.KeySummary]) {
		t.Errorf("the digest is %q", first.SummarySHA256)
	}
	same := decide(integrity.StoredIn(cm, run))
	if _, is := same.Actions[0].(decision.Create); !is {
		t.Errorf("the same summary: %+v", same.Actions)
	}
	cm.BinaryData[contract.KeySummary] = []byte("another")
	again := decide(integrity.StoredIn(cm, run))
	_, waits := again.State.(decision.Waiting)
	if _, is := again.Actions[0].(decision.Delete); !is || !waits || again.Status.Results != nil {
		t.Errorf("another summary: %+v, %+v", again.State, again.Actions)
	}
}
