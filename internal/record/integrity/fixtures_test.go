package integrity

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// store is a run that has ended, with all its ConfigMaps: two parts of the plan, of the records
// and of the summary, and two results of each of 103 attempts.
type store struct {
	t    *testing.T
	run  *v1alpha1.BenchmarkRun
	maps map[string]*corev1.ConfigMap
	// earlier is the last part of the records as it was one record before.
	earlier []byte
}

const attempts = journal.PerPart + 3

func newStore(t *testing.T) *store {
	t.Helper()
	s := &store{t: t, maps: map[string]*corev1.ConfigMap{}, run: &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "run", Namespace: "ns", UID: "1"}}}
	p := &plan.Plan{Targets: []string{"db"}, Cells: []plan.Cell{{}}}
	for i := range int32(5001) {
		p.Trials = append(p.Trials, plan.Trial{Index: i, Block: i})
	}
	parts, err := journal.SplitPlan(p)
	s.must(err)
	s.putAll(parts, contract.KeyPlan, contract.PlanName)
	s.run.Status.Plan = &v1alpha1.PlanStatus{ConfigMapCount: int32(len(parts))}
	anchor := &v1alpha1.IntegrityStatus{PlanSHA256: contract.Digest(parts[len(parts)-1])}
	last := s.record(journal.BeginChain(anchor.PlanSHA256))
	entries := make([]v1alpha1.SummaryEntry, 2001)
	for i := range entries {
		entries[i] = v1alpha1.SummaryEntry{Cell: int32(i), Target: "db", Name: "throughput", Labels: map[string]string{"p": "95"}}
	}
	comparisons := make([]v1alpha1.ComparisonEntry, 2)
	for i := range comparisons {
		comparisons[i] = v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyPrimary, Factor: "target", Value: "a", Baseline: "db", Cell: int32(i), Name: "throughput", Ratio: "1.5"}
	}
	sweeps := []v1alpha1.SweepEntry{{Axis: "threads", Target: "db", Name: "throughput", Knee: "5.2"}, {Axis: "threads", Target: "db", Cell: 1, Name: "throughput", Peak: "64"}}
	summary, err := journal.SplitSummary(journal.Summary{Entries: entries, Comparisons: comparisons, Sweeps: sweeps})
	s.must(err)
	s.putAll(summary, contract.KeySummary, contract.SummaryName)
	s.put("run-inputs", map[string][]byte{"my.lua": []byte("x")})
	anchor.Head, anchor.RecordCount, anchor.RecordsSHA256 = last.Head(), last.Count(), contract.Digest(s.data(contract.RecordsName("run", last.Part)))
	anchor.SummarySHA256 = contract.Digest(summary[len(summary)-1])
	s.run.Status.Integrity = anchor
	s.run.Status.Results = &v1alpha1.ResultsStatus{RecordConfigMapCount: last.Part + 1, SummaryConfigMapCount: int32(len(summary))}
	s.run.Status.Progress.Totals = v1alpha1.Totals(last.Totals())
	s.run.Status.Summary = []v1alpha1.SummaryEntry{*entries[0].DeepCopy(), *entries[2000].DeepCopy()}
	s.run.Status.Comparisons = []v1alpha1.ComparisonEntry{*comparisons[1].DeepCopy()}
	s.run.Status.Sweeps = []v1alpha1.SweepEntry{*sweeps[1].DeepCopy()}
	s.run.Status.Resolved = &v1alpha1.Resolved{Inputs: &v1alpha1.ResolvedInputs{ConfigMap: "run-inputs", SHA256: resources.FilesDigest(s.maps["run-inputs"])}}
	return s
}

// record all attempts, part after part.
func (s *store) record(part journal.Records) journal.Records {
	s.t.Helper()
	for i := range int32(attempts) {
		var delivered []contract.RecordedDelivery
		for client := range 2 {
			name := contract.ResultName(contract.TrialName("run", i, 0), client)
			s.put(name, map[string][]byte{contract.KeyResult: fmt.Appendf(nil, "result %d %d", i, client), contract.KeyRaw: fmt.Appendf(nil, "raw %d %d", i, client)})
			delivered = append(delivered, contract.RecordedDelivery{ConfigMap: name, Digests: DigestsIn(s.maps[name])})
		}
		if part.Full() {
			s.putRecords(part)
			part = part.Next()
		}
		if i == attempts-1 {
			s.earlier = s.putRecords(part)
		}
		part = part.Add(contract.Record{Index: i, Block: i, Target: "db", State: contract.Succeeded, Final: true, Delivered: delivered})
	}
	s.putRecords(part)
	return part
}

func (s *store) putRecords(part journal.Records) []byte {
	data, err := part.Encode()
	s.must(err)
	s.put(contract.RecordsName("run", part.Part), map[string][]byte{contract.KeyRecords: data})
	return data
}

func (s *store) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *store) put(name string, data map[string][]byte) {
	cm := &corev1.ConfigMap{ObjectMeta: resources.Meta(s.run, name, nil), BinaryData: data}
	s.maps[name] = cm
}

func (s *store) putAll(parts [][]byte, key string, name func(string, int32) string) {
	for i, data := range parts {
		s.put(name("run", int32(i)), map[string][]byte{key: data})
	}
}

// data of a part of the journal.
func (s *store) data(name string) []byte {
	for _, data := range s.maps[name].BinaryData {
		return data
	}
	s.t.Fatalf("%s holds nothing", name)
	return nil
}

// set the only data of a ConfigMap.
func (s *store) set(name string, data []byte) {
	s.t.Helper()
	for key := range s.maps[name].BinaryData {
		s.maps[name].BinaryData[key] = data
		return
	}
	s.t.Fatalf("%s holds nothing", name)
}

// rewrite the JSON of a part of the records.
func (s *store) rewrite(part int32, change func(map[string]any)) {
	s.t.Helper()
	name := contract.RecordsName("run", part)
	fields := map[string]any{}
	s.must(json.Unmarshal(plainOf(s.t, s.data(name)), &fields))
	change(fields)
	plain, err := json.Marshal(fields)
	s.must(err)
	s.set(name, zipped(s.t, plain))
}

func plainOf(t *testing.T, gz []byte) []byte {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func zipped(t *testing.T, plain []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if _, err := zip.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func (s *store) report() Report {
	s.t.Helper()
	r, err := Run(s.run, func(name string) (*corev1.ConfigMap, error) { return s.maps[name].DeepCopy(), nil }, Scope{})
	s.must(err)
	return r
}

func flipped(data []byte, i int) []byte {
	out := bytes.Clone(data)
	out[i] ^= 1
	return out
}

func swap(s *store, a, b string) {
	s.maps[a].BinaryData, s.maps[b].BinaryData = maps.Clone(s.maps[b].BinaryData), maps.Clone(s.maps[a].BinaryData)
}
