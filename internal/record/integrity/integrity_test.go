package integrity

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
)

func TestARunThatNobodyChangedHolds(t *testing.T) {
	s := newStore(t)
	s.maps["run-trial-00007-result-0"].Data = map[string]string{contract.KeyLog: "the manager adds it"}
	got := s.report()
	if len(got.Findings) > 0 || !got.Chained || got.Plan != 2 || got.Records != 2 || got.Summary != 4 || got.Trials != attempts || got.Results != 2*attempts {
		t.Errorf("%+v", got)
	}
	s.run.Status.Integrity = nil
	if got := s.report(); got.Chained || len(got.Findings) > 0 {
		t.Errorf("a run without a plan: %+v", got)
	}
}

// What each change of the stored objects is called: "kind object", in the order of the report.
func TestEveryChangeIsNamed(t *testing.T) {
	const first, second = "run-records-0000", "run-records-0001"
	tests := map[string]struct {
		change func(*store)
		want   []string
	}{
		"a byte of a result": {func(s *store) {
			b := s.maps["run-trial-00003-result-1"].BinaryData
			b[contract.KeyResult] = flipped(b[contract.KeyResult], 4)
		}, []string{"tampered run-trial-00003-result-1"}},
		"a byte of raw output": {func(s *store) {
			b := s.maps["run-trial-00026-result-0"].BinaryData
			b[contract.KeyRaw] = flipped(b[contract.KeyRaw], 0)
		}, []string{"tampered run-trial-00026-result-0"}},
		"raw output that is removed": {func(s *store) {
			delete(s.maps["run-trial-00003-result-1"].BinaryData, contract.KeyRaw)
		}, []string{"tampered run-trial-00003-result-1"}},
		"two results that are swapped": {func(s *store) { swap(s, "run-trial-00001-result-0", "run-trial-00002-result-0") },
			[]string{"tampered run-trial-00001-result-0", "tampered run-trial-00001-result-0", "tampered run-trial-00002-result-0", "tampered run-trial-00002-result-0"}},
		"a result that is deleted": {func(s *store) { delete(s.maps, "run-trial-00003-result-1") }, []string{"lost run-trial-00003-result-1"}},
		"a result of somebody else in its place": {func(s *store) { s.maps["run-trial-00003-result-1"].OwnerReferences = nil },
			[]string{"lost run-trial-00003-result-1"}},
		"a byte of the plan":            {func(s *store) { s.set("run-plan-0000", flipped(s.data("run-plan-0000"), 20)) }, []string{"tampered run-plan-0000"}},
		"a byte of its last part":       {func(s *store) { s.set("run-plan-0001", flipped(s.data("run-plan-0001"), 20)) }, []string{"tampered run-plan-0001"}},
		"a part of the plan is deleted": {func(s *store) { delete(s.maps, "run-plan-0000") }, []string{"lost run-plan-0000"}},
		"all of the plan is deleted":    {func(s *store) { delete(s.maps, "run-plan-0000"); delete(s.maps, "run-plan-0001") }, []string{"lost run-plan-0001", "lost run-plan-0000"}},
		"a byte of the summary":         {func(s *store) { s.set("run-summary-0001", flipped(s.data("run-summary-0001"), 20)) }, []string{"tampered run-summary-0001"}},
		"a byte of its first part":      {func(s *store) { s.set("run-summary-0000", flipped(s.data("run-summary-0000"), 20)) }, []string{"tampered run-summary-0000"}},
		"a sweep in the status":         {func(s *store) { s.run.Status.Sweeps[0].Peak = "128" }, []string{"tampered status"}},
		"a comparison in the status":    {func(s *store) { s.run.Status.Comparisons[0].Ratio = "15" }, []string{"tampered status"}},
		"the inputs":                    {func(s *store) { s.set("run-inputs", []byte("y")) }, []string{"tampered run-inputs"}},
		"the inputs are deleted":        {func(s *store) { delete(s.maps, "run-inputs") }, []string{"lost run-inputs"}},
		"a byte of the records":         {func(s *store) { s.set(second, flipped(s.data(second), 40)) }, []string{"tampered " + second, "tampered " + second}},
		"a byte beside the records":     {func(s *store) { s.set(first, flipped(s.data(first), 4)) }, []string{"tampered " + first}},
		"a part of the records is gone": {func(s *store) { delete(s.maps, first) }, []string{"lost " + first}},
		"the last record is dropped":    {func(s *store) { s.rewrite(1, func(f map[string]any) { f["records"] = f["records"].([]any)[:2] }) }, []string{"tampered " + second, "tampered " + second}},
		"a record in the middle is gone": {func(s *store) {
			s.rewrite(0, func(f map[string]any) { f["records"] = slices.Delete(f["records"].([]any), 12, 13) })
		}, []string{"tampered " + first, "tampered " + first}},
		"a number in a record": {func(s *store) {
			s.rewrite(0, func(f map[string]any) { f["records"].([]any)[7].(map[string]any)["index"] = 77 })
		}, []string{"tampered " + first, "tampered " + first}},
		"a record that is written anew, with the same meaning": {func(s *store) {
			plain := plainOf(t, s.data(second))
			s.set(second, zipped(t, []byte(strings.Replace(string(plain), `"target":"db"`, `"target": "db"`, 1))))
		}, []string{"tampered " + second, "tampered " + second}},
		"a part that is compressed anew": {func(s *store) { s.set(second, append(zipped(t, nil), zipped(t, plainOf(t, s.data(second)))...)) }, []string{"tampered " + second}},
		"the totals of a part": {func(s *store) {
			s.rewrite(1, func(f map[string]any) { f["before"].(map[string]any)["done"] = 24 })
		}, []string{"tampered " + second, "tampered " + second}},
		"two parts that are swapped":          {func(s *store) { swap(s, first, second) }, []string{"tampered " + first, "tampered " + second}},
		"an older part comes back":            {func(s *store) { s.set(second, s.earlier) }, []string{"tampered " + second, "tampered status"}},
		"the head in the status":              {func(s *store) { s.run.Status.Integrity.Head = "f00" }, []string{"tampered status"}},
		"the number of records in the status": {func(s *store) { s.run.Status.Integrity.RecordCount-- }, []string{"tampered status"}},
		"the number of trials in the status":  {func(s *store) { s.run.Status.Progress.Succeeded-- }, []string{"tampered status"}},
		"a value that the status shows":       {func(s *store) { s.run.Status.Summary[1].Labels["p"] = "99" }, []string{"tampered status"}},
		"fewer parts in the status":           {func(s *store) { s.run.Status.Results.RecordConfigMapCount-- }, []string{"tampered " + first, "tampered status"}},
		"no parts of the plan in the status":  {func(s *store) { s.run.Status.Plan.ConfigMapCount = 0 }, []string{"tampered status"}},
		"no parts of the summary":             {func(s *store) { s.run.Status.Results.SummaryConfigMapCount = 0 }, []string{"tampered status"}},
		"no parts in the status":              {func(s *store) { s.run.Status.Results = nil }, []string{"tampered status"}},
		"links that are taken out": {func(s *store) {
			s.rewrite(0, func(f map[string]any) { delete(f, "minReader") })
		}, []string{"tampered " + first, "tampered " + first}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			tt.change(s)
			got := s.report()
			var names []string
			for _, f := range got.Findings {
				names = append(names, string(f.Kind)+" "+f.Object)
				if f.Message == "" || !strings.Contains(f.String(), f.Message) {
					t.Errorf("%s has no message", names[len(names)-1])
				}
			}
			slices.Sort(names)
			slices.Sort(tt.want)
			if !slices.Equal(names, tt.want) {
				t.Errorf("got  %q\nwant %q\n%v", names, tt.want, got.Findings)
			}
		})
	}
}

// No byte of the journal is left out: whichever is changed, something is found.
func TestEveryByteCounts(t *testing.T) {
	s := newStore(t)
	for _, name := range []string{"run-plan-0001", "run-records-0001", "run-summary-0001", "run-trial-00009-result-0"} {
		data := s.data(name)
		for i := 0; i < len(data); i += 1 + len(data)/40 {
			s.set(name, flipped(data, i))
			if !slices.ContainsFunc(s.report().Findings, func(f Finding) bool { return f.Kind == Tampered }) {
				t.Errorf("%s: byte %d of %d was changed, and nobody saw it", name, i, len(data))
			}
		}
		s.set(name, data)
	}
}

// A status that counts two thousand million parts costs no more than what is there.
func TestCountsOfTheStatusAreBounded(t *testing.T) {
	tests := map[string]func(*v1alpha1.BenchmarkRunStatus){
		"run-plan-0101":    func(st *v1alpha1.BenchmarkRunStatus) { st.Plan.ConfigMapCount = math.MaxInt32 },
		"run-records-0101": func(st *v1alpha1.BenchmarkRunStatus) { st.Results.RecordConfigMapCount = math.MaxInt32 },
		"run-summary-0103": func(st *v1alpha1.BenchmarkRunStatus) { st.Results.SummaryConfigMapCount = math.MaxInt32 },
	}
	for last, change := range tests {
		t.Run(last, func(t *testing.T) {
			s := newStore(t)
			change(&s.run.Status)
			looked := 0
			got, err := Run(s.run, func(name string) (*corev1.ConfigMap, error) {
				if looked++; looked > 1000 {
					return nil, errors.New("it looks for ever")
				}
				return s.maps[name].DeepCopy(), nil
			}, Scope{})
			said := slices.ContainsFunc(got.Findings, func(f Finding) bool { return f.Object == last && strings.Contains(f.Message, "are not looked for") })
			if err != nil || !said || len(got.Findings) > 2*mostLost {
				t.Errorf("%v, %d findings: %v", err, len(got.Findings), got.Findings)
			}
		})
	}
}

func TestWhatCannotBeReadIsAnError(t *testing.T) {
	s := newStore(t)
	denied := errors.New("forbidden")
	_, err := Run(s.run, func(name string) (*corev1.ConfigMap, error) {
		if name == "run-trial-00005-result-0" {
			return nil, denied
		}
		return s.maps[name], nil
	}, Scope{})
	if !errors.Is(err, denied) || !strings.Contains(err.Error(), "run-trial-00005-result-0") {
		t.Errorf("%v", err)
	}
}

// The head of the journal against that of the status, while the run goes on.
func TestHead(t *testing.T) {
	s := newStore(t)
	last, err := journal.DecodeRecords(s.data("run-records-0001"))
	s.must(err)
	now := *s.run.Status.Integrity
	before, err := journal.DecodeRecords(s.earlier)
	s.must(err)
	behind := v1alpha1.IntegrityStatus{PlanSHA256: now.PlanSHA256, Head: before.Head(), RecordsSHA256: before.Stored()}
	tests := map[string]struct {
		anchor v1alpha1.IntegrityStatus
		last   journal.Records
		ok     bool
	}{
		"the status is up to date":                       {now, last, true},
		"the manager died before the status":             {behind, last, true},
		"the status is two records behind":               {v1alpha1.IntegrityStatus{Head: before.Last().Previous}, last, false},
		"an older part of the records comes back":        {now, before, false},
		"the bytes beside the records differ":            {v1alpha1.IntegrityStatus{Head: now.Head, RecordsSHA256: "f00"}, last, false},
		"no record yet":                                  {v1alpha1.IntegrityStatus{Head: "plan"}, journal.BeginChain("plan"), true},
		"no record, and the status has some":             {now, journal.BeginChain(now.PlanSHA256), false},
		"the first record, and a status that has none":   {v1alpha1.IntegrityStatus{Head: "plan"}, journal.BeginChain("plan").Add(contract.Record{Final: true}), true},
		"the first record is behind another plan's head": {v1alpha1.IntegrityStatus{Head: "plan"}, journal.BeginChain("another").Add(contract.Record{Final: true}), false},
	}
	for name, tt := range tests {
		if err := Head(tt.anchor, tt.last); (err == nil) != tt.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Two attempts have two records, also when they say the same: a record can be nobody else's.
func TestRecordsOfOneMeaningDiffer(t *testing.T) {
	same := contract.Record{Index: 1, Final: true, State: contract.Failed}
	r := journal.BeginChain("plan").Add(same)
	one := r.Head()
	if two := r.Add(same).Head(); one == two {
		t.Error("two records have one digest")
	}
	if data, err := json.Marshal(r.Records[0]); err != nil || contract.Digest(data) != one {
		t.Errorf("the head is not that of the record: %v", err)
	}
}
