package stored_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/test/helpers/finished"
)

// inCluster serves the objects of a run.
func inCluster(t *testing.T, run *finished.Run) stored.Source {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return stored.InCluster(fake.NewClientBuilder().WithScheme(scheme).WithObjects(run.Objects()...).Build(), client.ObjectKeyFromObject(run.Object))
}

func read(t *testing.T, from stored.Source) *stored.Run {
	t.Helper()
	run, err := stored.Read(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// All that a run has stored is read from a cluster, in its order.
func TestReadFromACluster(t *testing.T) {
	made := finished.New(t, finished.Options{Blocks: 30}) // records of two parts
	from := inCluster(t, made)
	run := read(t, from)
	type counts struct {
		Name                                           string
		Planned, Records, Entries, Comparisons, Quoted int
		Last                                           int32
		First                                          contract.State
	}
	want := counts{"BenchmarkRun ns/run", 120, 121, 12, len(made.Object.Status.Comparisons), 1, 119, contract.Failed}
	got := counts{
		run.String(), len(run.Plan.Trials), len(run.Records), len(run.Summary.Entries), len(run.Summary.Comparisons), len(run.Quoted),
		run.Records[len(run.Records)-1].Index, run.Records[1].State,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if want.Comparisons == 0 || *run.Quoted[0].Phases[0].Measurements[0].Value != 250.5 || len(run.Ran().Trials) != 120 {
		t.Errorf("comparisons %d, quoted %+v", want.Comparisons, run.Quoted)
	}
	report, err := stored.Verify(t.Context(), from, run.Object, nil)
	if err != nil || len(report.Findings) > 0 || report.Results != 2*121 {
		t.Errorf("verified: %+v, %v", report, err)
	}
	if _, err := run.Analysis(); err != nil {
		t.Errorf("for the analysis over runs: %v", err)
	}
}

// A run that was refused has neither plan nor records, and one without a stored summary shows that
// of its status.
func TestReadWhatThereIs(t *testing.T) {
	made := finished.New(t, finished.Options{})
	st := &made.Object.Status
	st.Plan, st.Results, made.Maps = nil, nil, nil
	run := read(t, made)
	if run.Plan != nil || run.Ran() != nil || run.Records != nil || len(run.Quoted) != 0 || len(run.Summary.Entries) != len(st.Summary) || len(st.Summary) == 0 {
		t.Errorf("%+v", run)
	}
	if _, err := run.Analysis(); err == nil {
		t.Error("a run without a plan is analysed")
	}
}

// The results of an attempt come in the order of the clients, with their time series and histograms.
func TestResults(t *testing.T) {
	made := finished.New(t, finished.Options{})
	run := read(t, made)
	var got []string
	for res, err := range run.Results(t.Context(), run.Records[0]) {
		if err != nil {
			t.Fatal(err)
		}
		ms := res.Result.Measurements
		got = append(got, fmt.Sprintf("%s client %d: %d intervals, %d buckets, %d bytes", res.ConfigMap, res.Result.Trial.Client, len(ms[0].Intervals), len(ms[1].Histogram.Buckets), len(res.Raw)))
	}
	want := []string{
		"run-trial-00000-result-0 client 0: 30 intervals, 40 buckets, 17 bytes",
		"run-trial-00000-result-1 client 1: 30 intervals, 40 buckets, 17 bytes",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if res, ok, err := run.Result(t.Context(), "run-trial-00000-result-1"); err != nil || !ok || res.Result.Trial.Client != 1 {
		t.Errorf("%v %v", ok, err)
	}
	for _, err := range run.Results(t.Context(), run.Records[0]) {
		if err != nil {
			t.Error(err)
		}
		break // it does not go on, which would panic
	}
}

// All variables of a server are in the result of loading, and a report compares them.
func TestVariables(t *testing.T) {
	made := finished.New(t, finished.Options{})
	run := read(t, made)
	for i := range run.Object.Status.Targets {
		run.Object.Status.Targets[i].LoadResult = ""
	}
	if got, err := run.Variables(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("of a run that has loaded nothing: %v, %v", got, err)
	}
	run.Object.Status.Targets = []v1alpha1.TargetStatus{{Name: "a", LoadResult: "run-a-load-result-0"}}
	if _, err := run.Variables(t.Context()); err == nil {
		t.Error("a result that is gone is no error")
	}
}

// A failed attempt may lack results; an attempt that has measured may not.
func TestResultsThatAreMissing(t *testing.T) {
	made := finished.New(t, finished.Options{})
	for _, name := range []string{"run-trial-00000-result-1", "run-trial-00001-result-1"} {
		delete(made.Maps[name].BinaryData, contract.KeyResult)
	}
	run := read(t, made)
	results, failure := collect(t.Context(), run, run.Records[1])
	if results != 1 || failure != nil {
		t.Errorf("of the failed attempt: %d results, %v", results, failure)
	}
	if results, failure = collect(t.Context(), run, run.Records[0]); results != 1 || failure == nil || !strings.Contains(failure.Error(), "run-trial-00000-result-1 holds no result") {
		t.Errorf("of the other one: %d results, %v", results, failure)
	}
}

func collect(ctx context.Context, run *stored.Run, rec contract.Record) (n int, failure error) {
	for _, err := range run.Results(ctx, rec) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// What somebody else wrote in the place of an object is refused, and named.
func TestHostileObjects(t *testing.T) {
	zipped := func(plain string) []byte {
		var out bytes.Buffer
		zip := gzip.NewWriter(&out)
		if _, err := zip.Write([]byte(plain)); err != nil {
			t.Fatal(err)
		}
		if err := zip.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	bomb := zipped(`{"version":"assay.dev/journal/v1","entries":[` + strings.Repeat("{},", 1<<20) + `{}]}`)
	const trial = "run-trial-00000-result-0"
	tests := map[string]struct {
		change func(*finished.Run)
		want   string
	}{
		"records of another object": {func(r *finished.Run) { r.Maps["run-records-0000"].OwnerReferences = nil }, "ConfigMap run-records-0000 belongs to another object"},
		"a plan that is gone":       {func(r *finished.Run) { delete(r.Maps, "run-plan-0000") }, "ConfigMap run-plan-0000 is gone"},
		"more parts than there are": {func(r *finished.Run) { r.Object.Status.Results.RecordConfigMapCount = 1 << 30 }, "ConfigMap run-records-0001 is gone"},
		"a summary that explodes":   {func(r *finished.Run) { r.Maps["run-summary-0000"].BinaryData[contract.KeySummary] = bomb }, "of memory"},
		"summaries that add up to too much": {func(r *finished.Run) {
			r.Object.Status.Results.SummaryConfigMapCount = 40
			part := zipped(`{"version":"assay.dev/journal/v1","entries":[` + strings.Repeat(`{"name":"n"},`, 40000) + `{}]}`)
			for i := range int32(40) {
				r.Maps[contract.SummaryName("run", i)] = r.Maps["run-summary-0000"].DeepCopy()
				r.Maps[contract.SummaryName("run", i)].BinaryData = map[string][]byte{contract.KeySummary: part}
			}
		}, "takes more than 256 MiB of memory"},
		"quoted numbers of an unknown format": {func(r *finished.Run) { r.Maps["run-theirs-quoted"].Data[contract.KeyQuoted] = `{"version":"x"}` }, `version: got "x"`},
		"quoted numbers that explode": {func(r *finished.Run) {
			r.Maps["run-theirs-quoted"].Data[contract.KeyQuoted] = `{"phases":[` + strings.Repeat("{},", 1<<20) + `{}]}`
		}, "takes more than 256 MiB of memory"},
		"the result of another client": {func(r *finished.Run) { r.Maps[trial].BinaryData = r.Maps["run-trial-00000-result-1"].BinaryData }, "of another trial or client"},
		"the result of another trial":  {func(r *finished.Run) { r.Maps[trial].BinaryData = r.Maps["run-trial-00002-result-0"].BinaryData }, "of another trial or client"},
		"the result of another run": {func(r *finished.Run) {
			r.Maps[trial].BinaryData = finished.New(t, finished.Options{Name: "other"}).Maps["other-trial-00000-result-0"].BinaryData
		}, "has the result of another run"},
		"a result of another object": {func(r *finished.Run) {
			r.Maps[trial].OwnerReferences = []metav1.OwnerReference{{UID: "other", Controller: new(true)}}
		}, "belongs to another object"},
		"a result that explodes": {func(r *finished.Run) {
			r.Maps[trial].BinaryData[contract.KeyResult] = zipped(`{"version":"assay.dev/result/v1","problems":[` + strings.Repeat("{},", 1<<20) + `{}]}`)
		}, "too large"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			made := finished.New(t, finished.Options{})
			tc.change(made)
			run, err := stored.Read(t.Context(), made)
			if err == nil {
				_, err = collect(t.Context(), run, run.Records[0])
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "BenchmarkRun ns/run: ") {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

// The largest plan with its records fits.
func TestTheLargestRunFits(t *testing.T) {
	shared, memory := journal.Shared{}, 0
	values := make([]contract.RecordedValue, 40)
	for i := range values {
		values[i] = contract.RecordedValue{Name: fmt.Sprintf("latency.%d", i), Unit: "ms"}
	}
	part := journal.BeginChain("")
	for i := range int32(journal.PerPart) {
		part = part.Add(contract.Record{Index: i, Target: "a", State: contract.Succeeded, Values: values, ClientNodeNames: []string{"node"}})
	}
	memory = shared.Compact(part).Memory()
	if all := memory * 20000 / journal.PerPart; all > stored.MaxMemory*2/5 {
		t.Errorf("20,000 trials take %d MiB of %d", all>>20, stored.MaxMemory>>20)
	}
}
