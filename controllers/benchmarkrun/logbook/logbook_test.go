package logbook

import (
	"slices"
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

// Each round of questions decides anew: what is needed of earlier parts is asked for in one round, or in few, and no more than that.
func TestEarlierPartsAreAskedForTogether(t *testing.T) {
	const parts = 12
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "run", UID: "1"}}
	run.Status.Plan = &v1alpha1.PlanStatus{TrialCount: parts * journal.PerPart}
	// Of each part one record: its block is the number of the part, or 5 from there on.
	book := func(number int32) Book {
		rec := contract.Record{Final: true, State: contract.Succeeded, Target: "db", Index: number, Block: min(number, 5)}
		return Book{Exists: true, Records: journal.Records{Part: number, Records: []contract.Record{rec}}}
	}
	stored := func(name string) decision.Part {
		for number := range int32(parts) {
			if contract.RecordsName("run", number) == name {
				data, err := book(number).Encode()
				if err != nil {
					t.Fatal(err)
				}
				cm := &corev1.ConfigMap{BinaryData: map[string][]byte{contract.KeyRecords: data}}
				cm.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("BenchmarkRun"))}
				return decision.PartIn(cm)
			}
		}
		t.Fatalf("%s was asked for", name)
		return decision.Part{}
	}
	for name, tt := range map[string]struct {
		read   func(ask *decision.Asking) ([]contract.Record, decision.State)
		rounds []int
		got    int
	}{
		"all":                                   {func(ask *decision.Asking) ([]contract.Record, decision.State) { return All(run, book(parts-1), ask) }, []int{parts - 1}, parts},
		"the first":                             {func(ask *decision.Asking) ([]contract.Record, decision.State) { return First(run, book(parts-1), ask) }, []int{1}, 1},
		"the first, of one part":                {func(ask *decision.Asking) ([]contract.Record, decision.State) { return First(run, book(0), ask) }, nil, 1},
		"a block of one part":                   {func(ask *decision.Asking) ([]contract.Record, decision.State) { return OfBlock(run, book(3), 4, ask) }, nil, 1},
		"a block that began in the part before": {func(ask *decision.Asking) ([]contract.Record, decision.State) { return OfBlock(run, book(4), 4, ask) }, []int{1}, 2},
		"a block of seven parts":                {func(ask *decision.Asking) ([]contract.Record, decision.State) { return OfBlock(run, book(11), 5, ask) }, []int{1, 4, 4}, 8},
	} {
		t.Run(name, func(t *testing.T) {
			known, rounds := decision.Known{}, []int(nil)
			for {
				ask := known.Ask()
				records, state := tt.read(ask)
				if ask.Complete() {
					if !decision.IsDone(state) || len(records) != tt.got {
						t.Errorf("%d records and %+v, want %d", len(records), state, tt.got)
					}
					break
				}
				rounds = append(rounds, len(ask.Missing()))
				for _, query := range ask.Missing() {
					known = known.With(query, stored(query.(decision.GetRecords).Name))
				}
			}
			if !slices.Equal(rounds, tt.rounds) {
				t.Errorf("parts asked for in each round: %v, want %v", rounds, tt.rounds)
			}
		})
	}
}
