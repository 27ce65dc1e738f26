package benchmarkrun

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// An older manager drops the anchor from the status. While a plan of several passes is made again,
// nobody knows whether the records should be in a chain: a deadline that falls into that time is no
// tampering.
func TestADeadlineWhileThePlanIsMadeIsNoTampering(t *testing.T) {
	w := placedWorld(t, decision.Known{})
	large := *w.Planned.Plan
	large.Cells = slices.Repeat([]plan.Cell{large.Cells[0]}, 300)
	w.Planned = experiment.Planned{Plan: &large}
	data, err := journal.BeginChain("plan").Add(contract.Record{Final: true, State: contract.Succeeded, Target: "db"}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	w.Run.Status.Results = &v1alpha1.ResultsStatus{RecordConfigMapCount: 1}
	w.Known = recordsFact(w.Run, w.Known, 0, data)
	w.Now = w.Now.Add(24 * time.Hour)
	p := decide(w)
	if len(p.missing) > 0 {
		t.Fatalf("asks for %v", p.missing)
	}
	if last := p.last(); last.condition != concluding || len(last.changes) == 0 {
		t.Fatalf("the run does not end: %s, %+v", last.condition, last.state)
	}
	conditions := conditionsOf(&v1alpha1.BenchmarkRun{Status: status(w, p.steps)})
	if conditions[v1alpha1.ConditionFailed] != "True/DeadlineExceeded" || strings.HasSuffix(conditions[v1alpha1.ConditionValid], v1alpha1.ReasonTampered) {
		t.Errorf("the run ends with %v", conditions)
	}
}
