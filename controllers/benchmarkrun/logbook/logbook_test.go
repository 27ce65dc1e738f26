package logbook

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
)

// A record of a trial that the plan does not have would be looked up in the plan.
func TestRecordsOutsideThePlanAreRefused(t *testing.T) {
	final := func(index, attempt int32) contract.Record {
		return contract.Record{Index: index, Attempt: attempt, Final: true, State: contract.Failed, Target: "db"}
	}
	decides := func(d contract.Decision) contract.Record {
		rec := final(0, 0)
		rec.Decision = &d
		return rec
	}
	for name, c := range map[string]struct {
		part journal.Records
		want string
	}{
		"a decision":            {journal.Records{Records: []contract.Record{decides(contract.Decision{Next: new(int32(2))})}}, ""},
		"a decision to go back": {journal.Records{Records: []contract.Record{decides(contract.Decision{Next: new(int32(-1))})}}, v1alpha1.ReasonTampered},
		"a decision to leave":   {journal.Records{Records: []contract.Record{decides(contract.Decision{Next: new(int32(3))})}}, v1alpha1.ReasonTampered},
		"a trial of the plan":   {journal.Records{Records: []contract.Record{final(2, 0)}}, ""},
		"behind the plan":       {journal.Records{Records: []contract.Record{final(3, 0)}}, v1alpha1.ReasonTampered},
		"before the plan":       {journal.Records{Records: []contract.Record{final(-5, 0)}}, v1alpha1.ReasonTampered},
		"before the first try":  {journal.Records{Records: []contract.Record{final(0, -1)}}, v1alpha1.ReasonTampered},
		"no record":             {journal.Records{Before: contract.Totals{Done: 3}}, v1alpha1.ReasonTampered},
	} {
		run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "run", UID: "1"}}
		run.Status.Placement, run.Status.Plan = &v1alpha1.Placement{}, &v1alpha1.PlanStatus{TrialCount: 3}
		data, err := c.part.Encode()
		if err != nil {
			t.Fatal(err)
		}
		cm := &corev1.ConfigMap{BinaryData: map[string][]byte{contract.KeyRecords: data}}
		cm.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("BenchmarkRun"))}
		known := decision.Known{}.With(decision.GetRecords{Name: contract.RecordsName("run", 0)}, decision.PartIn(cm))
		_, state := Read(run, &v1alpha1.IntegrityStatus{}, known.Ask())
		got := ""
		if failed, is := state.(decision.Failed); is {
			got = failed.Reason
		}
		if got != c.want {
			t.Errorf("%s: %+v, want the reason %q", name, state, c.want)
		}
	}
}

// A run that was refused before its plan was written down has nothing to compare.
func TestNothingIsComparedWithoutAPlan(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "run", UID: "1"}}
	anchor := &v1alpha1.IntegrityStatus{PlanSHA256: "f00", Head: "f00"}
	if found := Check(run, anchor, Empty(), decision.Known{}.Ask()); len(found) > 0 {
		t.Errorf("findings %v", found)
	}
}

// A run that gave its nodes back and ends before it has others has measured what its records say.
func TestRecordsOfARunThatGaveItsNodesBack(t *testing.T) {
	rec := contract.Record{Final: true, State: contract.Succeeded, Target: "db"}
	data, err := journal.Records{Records: []contract.Record{rec}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "run", UID: "1"}}
	run.Status.Plan = &v1alpha1.PlanStatus{TrialCount: 3}
	cm := &corev1.ConfigMap{BinaryData: map[string][]byte{contract.KeyRecords: data}}
	cm.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("BenchmarkRun"))}
	known := decision.Known{}.With(decision.GetRecords{Name: contract.RecordsName("run", 0)}, decision.PartIn(cm))
	for releases, want := range []int32{0, 1} {
		run.Status.Releases = int32(releases)
		book, state := Read(run, &v1alpha1.IntegrityStatus{}, known.Ask())
		if done := book.Totals().Done; !decision.IsDone(state) || done != want {
			t.Errorf("after %d releases: %d trials and %+v, want %d", releases, done, state, want)
		}
	}
}
