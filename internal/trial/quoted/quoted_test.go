package quoted

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/runners"
	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func ycsb(t testing.TB) runner.Runner {
	t.Helper()
	r, ok := runners.Find("ycsb")
	if !ok {
		t.Fatal("there is no runner ycsb")
	}
	return r
}

// The published run of Azure SQL: an asterisk before a name, no garbage collection, and
// nothing at all of the load.
func TestReadKeepsWhatWasPublished(t *testing.T) {
	text, err := os.ReadFile("testdata/azure-run.txt")
	if err != nil {
		t.Fatal(err)
	}
	tool := ycsb(t)
	got, err := Read(tool.Quote, map[string][]byte{"run": text, "note": []byte("ignored")})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Phases) != 1 || got.Phases[0].Phase != "run" {
		t.Fatalf("phases %+v, want the run alone", got.Phases)
	}
	values := got.Values(tool.Summary)
	want := v1alpha1.QuotedValue{Stage: v1alpha1.QuotedRun, Name: "throughput", Value: "9175.170520544125", Unit: "ops/s"}
	if diff := cmp.Diff(want, values[0]); diff != "" {
		t.Errorf("the first value (-want +got):\n%s", diff)
	}
	for _, v := range values {
		if strings.HasPrefix(v.Name, "gc.") {
			t.Errorf("%s was not published", v.Name)
		}
	}
	if data, err := got.Encode(); err != nil || !strings.Contains(string(data), "9175.170520544125") {
		t.Errorf("encoded: %s, %v", data, err)
	}
}

func TestReadRefusesTextWithoutNumbers(t *testing.T) {
	_, err := Read(ycsb(t).Quote, map[string][]byte{"load": []byte("unknown\n")})
	if err == nil || !strings.Contains(err.Error(), "key load: no number can be read") {
		t.Errorf("error %v", err)
	}
	quote := func([]byte) runner.Report {
		return runner.Report{
			Failure:  &contract.Failure{Message: "broken"},
			Problems: []contract.Problem{{Line: 3, Text: "x"}, {Line: 4, Text: "y"}},
		}
	}
	if _, err := Read(quote, map[string][]byte{"run": nil}); err == nil || err.Error() != "key run: no number can be read from its text: broken; line 3: x" {
		t.Errorf("error %v", err)
	}
}

func TestValuesShowTheMainOnesFirst(t *testing.T) {
	number := func(name, operation string, v float64) contract.Measurement {
		m := contract.Measurement{Name: name, Unit: "ms", Value: &v}
		if operation != "" {
			m.Labels = map[string]string{contract.LabelOperation: operation}
		}
		return m
	}
	n := Numbers{Phases: []Phase{
		{Phase: "run", Measurements: []contract.Measurement{number("events", "", 1), number("latency.avg", "read", 2), {Name: "latency.max"}, number("throughput", "", 3)}},
		{Phase: "load", Measurements: []contract.Measurement{number("throughput", "", 4.25)}},
	}}
	want := []v1alpha1.QuotedValue{
		{Stage: v1alpha1.QuotedRun, Name: "throughput", Value: "3", Unit: "ms"},
		{Stage: v1alpha1.QuotedLoad, Name: "throughput", Value: "4.25", Unit: "ms"},
		{Stage: v1alpha1.QuotedRun, Name: "latency.avg", Labels: map[string]string{"operation": "read"}, Value: "2", Unit: "ms"},
		{Stage: v1alpha1.QuotedRun, Name: "events", Value: "1", Unit: "ms"},
	}
	if diff := cmp.Diff(want, n.Values([]string{"throughput", "latency.avg"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for range 2 * MaxValues {
		n.Phases[1].Measurements = append(n.Phases[1].Measurements, number("more", "", 5))
	}
	if got := len(n.Values(nil)); got != MaxValues {
		t.Errorf("%d values, want %d", got, MaxValues)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("[OVERALL], *Throughput(ops/sec), 9175.170520544125", "YCSB")
	f.Add("    transactions:                        3014   (1027.80 per sec.)", "Sysbench")
	f.Add("{", "YCSB")
	f.Fuzz(func(t *testing.T, text, format string) {
		name := "sysbench"
		if format == "YCSB" {
			name = "ycsb"
		}
		tool, _ := runners.Find(name)
		n, err := Read(tool.Quote, map[string][]byte{"run": []byte(text)})
		if err != nil {
			return
		}
		if len(n.Values(tool.Summary)) == 0 {
			t.Fatal("taken, and without a value")
		}
		if _, err := n.Encode(); err != nil {
			t.Fatal(err)
		}
	})
}
