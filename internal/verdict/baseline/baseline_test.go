package baseline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// recorded is a run of the targets db and control in cells of threads: the value is 100 times the cell's
// number, plus the block.
func recorded(blocks, cells int) analysis.Run {
	p := &plan.Plan{Targets: []string{"db", "control"}, Axes: []string{"threads"}}
	run := analysis.Run{Name: "r", Input: analysis.Input{Names: []string{"throughput", "latency.percentile"}, Limit: 1000, Layout: analysis.Layout{Plan: p}}}
	for c := range cells {
		p.Cells = append(p.Cells, plan.Cell{"threads": intstr.FromInt(c + 1)})
	}
	for b := range blocks {
		for c := range cells {
			for target := range p.Targets {
				i := int32(len(p.Trials))
				p.Trials = append(p.Trials, plan.Trial{Index: i, Block: int32(b), Cell: int32(c), Target: int32(target)})
				run.Records = append(run.Records, contract.Record{
					Final: true, Index: i, Block: int32(b), Cell: int32(c), Target: p.Targets[target], State: contract.Succeeded, Valid: new(true),
					Facts:        contract.NewFacts(map[string]string{"target/cpu": "X", "log_bin": []string{"ON", "OFF"}[b%2]}),
					MachineSpeed: []contract.RecordedSpeed{{Side: "Target", Kernel: "Integer", Seconds: 0.001 * float64(b+1)}, {Side: "Target", Kernel: "Fsync"}},
					Values: []contract.RecordedValue{
						{Name: "throughput", Value: 100*float64(c+1) + float64(b) + 1/3., Unit: "tx/s", Direction: contract.HigherIsBetter},
						{Name: "latency.percentile", Labels: map[string]string{"p": "95"}, Value: 2, Unit: "ms", Direction: contract.LowerIsBetter},
						{Name: "latency.percentile", Labels: map[string]string{"p": "99"}, Value: 3, Unit: "ms", Direction: contract.LowerIsBetter},
					},
				})
			}
		}
	}
	return run
}

var by = v1alpha1.Promotion{Time: metav1.NewTime(time.Unix(1e9, 0)), Author: "ada", Reason: "release"}

func made(t *testing.T, s Source) v1alpha1.BenchmarkBaselineSpec {
	t.Helper()
	s.Run = &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "r", UID: "u"}}
	s.Run.Spec.Clients.Count = 1
	s.Run.Status.Headline, s.Run.Status.SpecHash, s.Promotion = "db 100", "abc", by
	spec, err := Make(s)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// The whole of a small baseline: values of every block, without the control, with the circumstances.
func TestMake(t *testing.T) {
	got := made(t, Source{Recorded: recorded(2, 1), More: []analysis.Measurement{{Name: "latency.percentile", Labels: map[string]string{"p": "99"}}}})
	key := func(name, unit string, labels map[string]string) v1alpha1.MeasurementKey {
		return v1alpha1.MeasurementKey{Target: "db", Parameters: map[string]string{"threads": "1"}, Name: name, Unit: unit, Labels: labels}
	}
	want := v1alpha1.BenchmarkBaselineSpec{
		Run: v1alpha1.BaselineRun{Name: "r", UID: "u", SpecHash: "abc", Workload: "clients.count=1", Headline: "db 100"}, Promotion: by,
		Measurements: []v1alpha1.ExpectedMeasurement{
			{MeasurementKey: key("throughput", "tx/s", nil), Direction: "HigherIsBetter", Blocks: []string{"100.333", "101.333"}},
			{MeasurementKey: key("latency.percentile", "ms", map[string]string{"p": "95"}), Direction: "LowerIsBetter", Blocks: []string{"2", "2"}},
			{MeasurementKey: key("latency.percentile", "ms", map[string]string{"p": "99"}), Direction: "LowerIsBetter", Blocks: []string{"3", "3"}},
		},
		Environments: []v1alpha1.BaselineEnvironment{{Target: "db", Facts: "log_bin=ON\ntarget/cpu=X"}, {Target: "db", Facts: "log_bin=OFF\ntarget/cpu=X"}},
		MachineSpeed: []v1alpha1.BaselineSpeed{{Target: "db", Side: "Target", Kernel: "Integer", Seconds: []string{"0.001", "0.002"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	records := Records(got, "db")
	if len(records) != 3 || records[1].Facts.Map()["log_bin"] != "OFF" || len(records[2].MachineSpeed) != 2 || records[2].MachineSpeed[1].Seconds != 0.002 || len(Records(got, "other")) != 0 {
		t.Errorf("read back: %+v", records)
	}
}

// A baseline stays within the bounds of the API, however long the run was.
func TestMakeIsBounded(t *testing.T) {
	got := made(t, Source{Recorded: recorded(100, 30)})
	if n := len(got.MachineSpeed[0].Seconds); n != mostTimes {
		t.Errorf("%d times of a loop", n)
	}
	if first, last := got.MachineSpeed[0].Seconds[0], got.MachineSpeed[0].Seconds[mostTimes-1]; first != "0.001" || last != "0.1" {
		t.Errorf("times from %s to %s: not those of the whole run", first, last)
	}
	if len(got.Measurements) != 60 || len(got.Measurements[0].Blocks) != 100 {
		t.Errorf("%d measurements of %d blocks", len(got.Measurements), len(got.Measurements[0].Blocks))
	}
	if _, err := Make(Source{Run: &v1alpha1.BenchmarkRun{}, Recorded: recorded(1, 300)}); err == nil || !strings.Contains(err.Error(), "at most 512 measurements") {
		t.Errorf("600 measurements: %v", err)
	}
	if _, err := Make(Source{Run: &v1alpha1.BenchmarkRun{}, Recorded: recorded(0, 1)}); err == nil || !strings.Contains(err.Error(), "no number to expect") {
		t.Errorf("a run without values: %v", err)
	}
	before := made(t, Source{Recorded: recorded(1, 1)})
	for i := range 20 {
		next := made(t, Source{Recorded: recorded(1, 1), Before: &before})
		if want := min(i+1, maxHistory); len(next.History) != want {
			t.Fatalf("a history of %d, want %d", len(next.History), want)
		}
		before = next
	}
}

func TestReadRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		change  func(*v1alpha1.BenchmarkBaselineSpec)
		refused string
	}{
		"a measurement twice":             {func(s *v1alpha1.BenchmarkBaselineSpec) { s.Measurements[1] = s.Measurements[0] }, "spec.measurements[1] is spec.measurements[0] once more (db threads=1 throughput)"},
		"a value that is no number":       {func(s *v1alpha1.BenchmarkBaselineSpec) { s.Measurements[1].Blocks[1] = "x" }, `spec.measurements[1].blocks[1]: "x" is no decimal number`},
		"a value beyond all":              {func(s *v1alpha1.BenchmarkBaselineSpec) { s.Measurements[1].Blocks[1] = "1e999" }, "is no decimal number"},
		"a tolerance without a unit":      {func(s *v1alpha1.BenchmarkBaselineSpec) { s.Measurements[1].Tolerance = "5" }, `spec.measurements[1].tolerance: "5" is no percentage`},
		"a tolerance that no rate misses": {func(s *v1alpha1.BenchmarkBaselineSpec) { s.Measurements[0].Tolerance = "100%" }, "spec.measurements[0].tolerance: 100% allows a rate of 0"},
		"a speed that is no number":       {func(s *v1alpha1.BenchmarkBaselineSpec) { s.MachineSpeed[0].Seconds[0] = "-" }, "spec.machineSpeed[0].seconds[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := made(t, Source{Recorded: recorded(2, 1)})
			tt.change(&spec)
			if _, err := Read(spec); err == nil || !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("got %v, want %q", err, tt.refused)
			}
		})
	}
}

// Texts that would join to the same are different keys.
func TestKeysDiffer(t *testing.T) {
	seen := map[string]int{}
	for i, k := range []v1alpha1.MeasurementKey{
		{}, {Target: "a", Name: "b"}, {Target: "a b"}, {Name: "a"}, {Unit: "a"}, {Target: `a" "b`}, {Parameters: map[string]string{"a": "b"}}, {Labels: map[string]string{"a": "b"}},
		{Labels: map[string]string{"a": "b", "c": "d"}}, {Labels: map[string]string{"a": `b","c":"d`}}, {Labels: map[string]string{`a":"b`: ""}},
	} {
		key := Key(k)
		if other, is := seen[key]; is {
			t.Errorf("%d and %d have one key %s", other, i, key)
		}
		seen[key] = i
	}
}

func TestDecimal(t *testing.T) {
	for v, want := range map[float64]string{100.0 / 3: "33.3333", 1e15: "1000000000000000", 1.23456789e-18: "0.00000000000000000123", 0: "0", 585.25: "585.25"} {
		if got := decimal(v); got != want {
			t.Errorf("%v: got %s, want %s", v, got, want)
		}
	}
}

// Whatever a tenant writes into a manifest is read or refused, and what is read can be written and read
// again.
func FuzzRead(f *testing.F) {
	spec, err := Make(Source{Run: &v1alpha1.BenchmarkRun{}, Recorded: recorded(2, 2), Promotion: by})
	if err != nil {
		f.Fatal(err)
	}
	data, err := yaml.Marshal(spec)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	f.Add("measurements: [{target: a, name: b, blocks: [\"-0\", \"1e400\"], tolerance: \"1e5%\", labels: {a: null}}]")
	f.Add("machineSpeed: [{target: a, seconds: [\"NaN\"]}]\nenvironments: [{target: a, facts: \"=\\n=x\\ny\"}]")
	f.Fuzz(func(t *testing.T, text string) {
		var spec v1alpha1.BenchmarkBaselineSpec
		if yaml.Unmarshal([]byte(text), &spec) != nil {
			return
		}
		all, err := Read(spec)
		for _, m := range spec.Measurements {
			_ = Words(m.MeasurementKey)
			_ = Records(spec, m.Target)
		}
		if err != nil {
			return
		}
		if len(all) != len(spec.Measurements) {
			t.Fatalf("%d of %d measurements are read", len(all), len(spec.Measurements))
		}
		for i, one := range all {
			for j, v := range one.Blocks {
				if v != v || v-v != 0 {
					t.Fatal(fmt.Sprint("not finite: ", i, j, v))
				}
			}
		}
	})
}

func TestFits(t *testing.T) {
	long := strings.Repeat("x", 254)
	for name, tt := range map[string]struct {
		key  v1alpha1.MeasurementKey
		want bool
	}{
		"a measurement":    {v1alpha1.MeasurementKey{Target: "db", Name: "latency", Unit: "ms", Labels: map[string]string{"p": "95"}, Parameters: map[string]string{"threads": "8"}}, true},
		"no target":        {v1alpha1.MeasurementKey{Name: "latency"}, false},
		"a long name":      {v1alpha1.MeasurementKey{Target: "db", Name: long}, false},
		"a long unit":      {v1alpha1.MeasurementKey{Target: "db", Name: "n", Unit: long}, false},
		"a long label":     {v1alpha1.MeasurementKey{Target: "db", Name: "n", Labels: map[string]string{long: "x"}}, false},
		"a long parameter": {v1alpha1.MeasurementKey{Target: "db", Name: "n", Parameters: map[string]string{"x": strings.Repeat("x", 513)}}, false},
	} {
		if got := Fits(tt.key); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// A baseline of several runs has the median of each, the promoted one first; a measurement that one of them lacks has none.
func TestRepetitions(t *testing.T) {
	repetition := func(name string, scale float64) Repetition {
		run := recorded(3, 2)
		for i := range run.Records {
			run.Records[i].Values[0].Value *= scale
		}
		return Repetition{&v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "u-" + types.UID(name)}}, run}
	}
	lacking := repetition("c", 3)
	for i := range lacking.Recorded.Records {
		if lacking.Recorded.Records[i].Cell == 1 {
			lacking.Recorded.Records[i].State = contract.Failed
		}
	}
	spec := made(t, Source{Recorded: recorded(3, 2), Repetitions: []Repetition{repetition("b", 2), lacking}})
	if diff := cmp.Diff([]v1alpha1.RepeatedRun{{Name: "r", UID: "u"}, {Name: "b", UID: "u-b"}, {Name: "c", UID: "u-c"}}, spec.Runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	want := map[string][]string{"1 throughput": {"101.333", "202.667", "304"}, "2 throughput": nil, "1 latency.percentile": {"2", "2", "2"}, "2 latency.percentile": nil}
	for _, m := range spec.Measurements {
		if diff := cmp.Diff(want[m.Parameters["threads"]+" "+m.Name], m.Runs); diff != "" {
			t.Errorf("%s (-want +got):\n%s", Words(m.MeasurementKey), diff)
		}
	}
	read, err := Read(spec)
	if err != nil || len(read[0].Runs) != 3 || read[0].Runs[2] != 304 {
		t.Errorf("read: %v, %+v", err, read)
	}
	spec.Measurements[0].Runs = spec.Measurements[0].Runs[:2]
	if _, err := Read(spec); err == nil || !strings.Contains(err.Error(), "spec.measurements[0].runs: it has 2 medians, and spec.runs has 3 runs: give one for each, or none") {
		t.Errorf("too few medians: %v", err)
	}
	for n, want := range map[int]string{1: "taken from at least 3 runs, and there are 2", 32: "at most 32 runs, and there are 33"} {
		all := Source{Run: &v1alpha1.BenchmarkRun{}, Recorded: recorded(3, 1)}
		for range n {
			all.Repetitions = append(all.Repetitions, repetition("b", 2))
		}
		if _, err := Make(all); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d repetitions: %v, want %q", n, err, want)
		}
	}
}
