package baseline

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/config/crd"
	"github.com/assay-bench/assay/internal/ground/apischema"
)

// A workload is what the clients do. Where, how often and in which cells it is measured is none of it.
func TestWorkloadOf(t *testing.T) {
	run := func(change ...func(*v1alpha1.BenchmarkRun)) *v1alpha1.BenchmarkRun {
		r := &v1alpha1.BenchmarkRun{}
		r.Spec.Clients.Count = 1
		r.Spec.Workload.Sysbench = &v1alpha1.SysbenchWorkload{Tables: 10}
		for _, f := range change {
			f(r)
		}
		return r
	}
	text := func(r *v1alpha1.BenchmarkRun) string {
		t.Helper()
		out, err := WorkloadOf(r)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	before := text(run())
	if !strings.Contains("\n"+before+"\n", "\nsysbench.tables=10\n") || !strings.Contains(before, "clients.count=1") {
		t.Errorf("the workload:\n%s", before)
	}
	long := strings.Repeat("x", 500)
	tests := map[string]struct {
		change func(*v1alpha1.BenchmarkRun)
		want   []string
	}{
		"the same": {func(*v1alpha1.BenchmarkRun) {}, nil},
		"more blocks on another target": {func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Design.Blocks, r.Spec.Targets = 20, []v1alpha1.Target{{Name: "db"}}
			r.Spec.Gate = &v1alpha1.Gate{Baseline: "b"}
		}, nil},
		"other tables":  {func(r *v1alpha1.BenchmarkRun) { r.Spec.Workload.Sysbench.Tables = 20 }, []string{"sysbench.tables (10 became 20)"}},
		"a load":        {func(r *v1alpha1.BenchmarkRun) { r.Spec.Design.Measures = v1alpha1.MeasuresLoad }, []string{"design.measures (absent became Load)"}},
		"the run, said": {func(r *v1alpha1.BenchmarkRun) { r.Spec.Design.Measures = v1alpha1.MeasuresRun }, nil},
		"more clients":  {func(r *v1alpha1.BenchmarkRun) { r.Spec.Clients.Count = 2 }, []string{"clients.count (1 became 2)"}},
		"other files": {func(r *v1alpha1.BenchmarkRun) {
			r.Status.Resolved = &v1alpha1.Resolved{Inputs: &v1alpha1.ResolvedInputs{SHA256: "s"}}
		}, []string{"files (absent became s)"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Differing(before, text(run(tt.change)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	image := func(name string) string {
		return text(run(func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Workload = v1alpha1.Workload{Custom: &v1alpha1.CustomWorkload{Image: name, ImagePullSecrets: []corev1.LocalObjectReference{{Name: name}}}}
		}))
	}
	if diff := Differing(image("a"), image("b")); diff != nil {
		t.Errorf("another image is another workload: %v", diff)
	}
	custom := func(args ...string) string {
		return text(run(func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Workload = v1alpha1.Workload{Custom: &v1alpha1.CustomWorkload{Run: v1alpha1.CustomPhase{Command: args}}}
		}))
	}
	if got := custom(long); strings.Contains(got, long) || Differing(got, custom(long+"y")) == nil || Differing(got, custom(long)) != nil {
		t.Errorf("a long value:\n%s", got)
	}
	var many []string
	for range 1000 {
		many = append(many, long)
	}
	if got := custom(many...); len(got) > maxWorkload || Differing(got, custom(many[1:]...)) == nil {
		t.Errorf("%d bytes", len(got))
	}
	if got := Differing("", before); got != nil {
		t.Errorf("against what is not known: %v", got)
	}
}

// specs of one run each tool, as a tenant writes them.
var specs = map[string]string{
	"sysbench": `{"workload": {"sysbench": {"test": "oltp_read_write"}}}`,
	"ycsb":     `{"workload": {"ycsb": {}}}`,
	"tpcc":     `{"workload": {"tpcc": {}}}`,
	"tpch":     `{"workload": {"tpch": {}}}`,
	"drivers":  `{"workload": {"drivers": {"drivers": [{"language": "Node", "name": "mysql2"}], "benchmarks": [{"operation": "SelectOne"}]}}}`,
	"custom":   `{"workload": {"custom": {"image": "i", "format": "Result", "run": {"command": ["t"]}}}}`,
	"script":   `{"workload": {"sysbench": {"script": {"configMap": {"name": "s"}}}}}`,
	"a search": `{"workload": {"tpcc": {}}, "search": {"objectives": [{"measurement": {"name": "latency.avg"}, "atMost": "5"}]}}`,
}

// runBy an API server with a CRD: the tool of the spec has its defaults.
func runBy(t *testing.T, manifest []byte, text string) *v1alpha1.BenchmarkRun {
	t.Helper()
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(manifest, &definition); err != nil {
		t.Fatal(err)
	}
	props := definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["workload"]
	schema, err := apischema.New(field.NewPath("spec", "workload"), &props)
	if err != nil {
		t.Fatal(err)
	}
	var spec struct {
		v1alpha1.BenchmarkRunSpec
		Workload json.RawMessage `json:"workload"`
	}
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		t.Fatal(err)
	}
	object, err := schema.Read(spec.Workload)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.CompleteObject(object); err != nil && !strings.Contains(err.Error(), "script") { // its rules want more than this test
		t.Fatal(err)
	}
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	run := &v1alpha1.BenchmarkRun{Spec: spec.BenchmarkRunSpec}
	run.Spec.Clients.Count = 1
	if err := json.Unmarshal(data, &run.Spec.Workload); err != nil {
		t.Fatal(err)
	}
	return run
}

func workloadOf(t *testing.T, run *v1alpha1.BenchmarkRun) string {
	t.Helper()
	out, err := WorkloadOf(run)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A baseline of a release that did not have some field is that of the same workload: of each field with a default, one
// after the other. Any other value is another workload.
func TestABaselineThatLacksAField(t *testing.T) {
	tried := 0
	for name, spec := range specs {
		now := workloadOf(t, runBy(t, crd.BenchmarkRuns, spec))
		written := apischema.Flatten(treeOf(t, spec))
		for _, line := range slices.Sorted(maps.Keys(linesOf(now))) {
			if _, is := written[pathOf(line)]; is || line == "clients.count" {
				continue
			}
			tried++
			field, _, list := strings.Cut(line, "[")
			var before []string
			for text := range strings.Lines(now) {
				if !strings.HasPrefix(text, line+"=") && (!list || !strings.HasPrefix(text, field+"[")) {
					before = append(before, strings.TrimSuffix(text, "\n"))
				}
			}
			without := strings.Join(before, "\n")
			if got := Differing(without, now); got != nil {
				t.Errorf("%s: without %s: %v", name, line, got)
			}
			if got := Differing(now, without); got != nil {
				t.Errorf("%s: a run without %s: %v", name, line, got)
			}
			if list {
				continue
			}
			other := without + "\n" + line + "=something"
			if got := Differing(without, other); len(got) != 1 || !strings.HasPrefix(got[0], line+" (") || !strings.HasSuffix(got[0], " became something)") {
				t.Errorf("%s: another %s: %v", name, line, got)
			}
		}
	}
	if tried < 30 {
		t.Errorf("only %d fields were tried: has the API lost its defaults?", tried)
	}
	if got := Differing("clients.count=1\ntpcc.warehouses=1", "clients.count=1\nycsb.threads=1"); len(got) < 2 {
		t.Errorf("a tool that is not there has got defaults: %v", got)
	}
}

func treeOf(t *testing.T, text string) (tree any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}
