package trial

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/runner"
)

// sizesRun has one server and one client of 2 CPUs each.
func sizesRun(cpus v1alpha1.ShapeCPUs) Input {
	shape := v1alpha1.InstanceShapeSpec{CPU: resource.MustParse("2"), Memory: resource.MustParse("1Gi"), CPUs: cpus}
	in := Input{
		Run: &v1alpha1.BenchmarkRun{
			Spec: v1alpha1.BenchmarkRunSpec{Targets: []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{}}}},
			Status: v1alpha1.BenchmarkRunStatus{
				Resolved: &v1alpha1.Resolved{ClientShape: shape, Targets: []v1alpha1.ResolvedTarget{{Name: "db", Shape: &shape}}},
				Targets:  []v1alpha1.TargetStatus{{Name: "db", LoadResult: "run-db-load-result-0"}},
			},
		},
		Now:  time.Unix(1000, 0),
		Work: experiment.Work{Tool: runner.Runner{Expectations: func(contract.Trial) (runner.Expectations, error) { return runner.Expectations{}, nil }}},
		Plan: &plan.Plan{Targets: []string{"db"}, Cells: []plan.Cell{{}}, Trials: []plan.Trial{{}}},
	}
	in.Run.Spec.SetDefaults()
	return in
}

// sizedResult is one of a server with so many CPUs, and of a tool with 2, which may run on all CPUs of their machines.
func sizedResult(cpus float64) contract.Result {
	of := func(cpus float64, boot string) contract.Environment {
		return contract.Environment{
			Machine: contract.Machine{BootID: boot, CPUs: new(int64(8))},
			Limits:  contract.Limits{CPUs: &cpus, CPUGroup: &contract.CPUGroup{CPUs: "0-7", Cores: "0-7", Nodes: "0"}},
		}
	}
	return contract.Result{State: contract.Succeeded, Target: new(of(cpus, "a")), Client: contract.Client{Environment: of(2, "b")}}
}

// sizesFound are the findings of a trial whose data was loaded with a server of 2 CPUs, without the numbers of others.
func sizesFound(in Input, res contract.Result, pods ...*corev1.Pod) map[string]string {
	known := decision.Known{}.With(decision.GetResult{Name: "run-db-load-result-0"}, decision.Delivered{Result: sizedResult(2)})
	at := journal.Position{}
	rec := Record(in, Measurement(in, at, nil, nil, runner.Length{}), at, End{Results: []contract.Result{res}, Pods: pods}, known.Ask())
	found := map[string]string{}
	for _, f := range rec.Findings {
		found[f.Check] = f.Severity
	}
	return found
}

// What the shapes of a run ask for is what its trials are checked against.
func TestExclusiveCPUsAreChecked(t *testing.T) {
	for cpus, want := range map[v1alpha1.ShapeCPUs]map[string]string{
		v1alpha1.ShapeCPUsExclusive: {"cpu-not-exclusive": "Warning"},
		v1alpha1.ShapeCPUsShared:    {},
		"":                          {},
	} {
		if diff := cmp.Diff(want, sizesFound(sizesRun(cpus), sizedResult(2))); diff != "" {
			t.Errorf("cpus: %q (-want +got):\n%s", cpus, diff)
		}
	}
}

// What webhooks make of a pod is in its QoS class. Of several clients it is told of the one that is not Guaranteed.
func TestPodsThatAreNotGuaranteedHaveNoCPUsOfTheirOwn(t *testing.T) {
	alone := sizedResult(2)
	alone.Target.Limits.CPUGroup = &contract.CPUGroup{CPUs: "2-3", Cores: "2-3", Nodes: "0"}
	alone.Client.Limits.CPUGroup = alone.Target.Limits.CPUGroup
	pod := func(class corev1.PodQOSClass) *corev1.Pod {
		return &corev1.Pod{Status: corev1.PodStatus{QOSClass: class}}
	}
	found := map[string]string{"cpu-not-exclusive": "Warning"}
	tests := map[string]struct {
		server  string
		clients []*corev1.Pod
		want    map[string]string
	}{
		"all are Guaranteed":    {"Guaranteed", []*corev1.Pod{pod("Guaranteed"), pod("Guaranteed")}, map[string]string{}},
		"nobody knows":          {"", []*corev1.Pod{pod("")}, map[string]string{}},
		"the server is not":     {"Burstable", []*corev1.Pod{pod("Guaranteed")}, found},
		"the first client":      {"Guaranteed", []*corev1.Pod{pod("Burstable"), pod("Guaranteed")}, found},
		"the last client":       {"Guaranteed", []*corev1.Pod{pod("Guaranteed"), pod("Burstable")}, found},
		"one that nobody knows": {"Guaranteed", []*corev1.Pod{pod("Burstable"), pod("")}, found},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			in := sizesRun(v1alpha1.ShapeCPUsExclusive)
			in.Run.Status.Targets[0].QOSClass = tc.server
			if diff := cmp.Diff(tc.want, sizesFound(in, alone, tc.clients...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A server that has another size than when its data was loaded disturbs the trial, so that it does not count. One that never had the size
// of its shape does not: all trials have it.
func TestAnotherSizeIsFound(t *testing.T) {
	if diff := cmp.Diff(map[string]string{"resized": "Disturbed", "size-not-given": "Warning"}, sizesFound(sizesRun(""), sizedResult(4))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	smaller := sizesRun("")
	smaller.Run.Status.Resolved.Targets[0].Shape = &v1alpha1.InstanceShapeSpec{CPU: resource.MustParse("4"), Memory: resource.MustParse("1Gi")}
	if diff := cmp.Diff(map[string]string{"size-not-given": "Warning"}, sizesFound(smaller, sizedResult(2))); diff != "" {
		t.Errorf("4 CPUs that were 2 from the beginning (-want +got):\n%s", diff)
	}
	external := sizesRun("")
	external.Run.Status.Targets[0].LoadResult, external.Run.Status.Resolved.Targets = "", nil
	if diff := cmp.Diff(map[string]string{}, sizesFound(external, sizedResult(4))); diff != "" {
		t.Errorf("nothing says what it had (-want +got):\n%s", diff)
	}
}

// A server that was to use huge pages, in all trials or in those of some cells, is checked in these.
func TestLargePagesAreChecked(t *testing.T) {
	ordinary := sizedResult(2)
	ordinary.Target.After = &contract.Usage{HugePagesBytes: new(int64(0))}
	found := map[string]string{"large-pages-not-used": "Warning"}
	tests := map[string]struct {
		setting string // of the target; empty for none
		cell    string // of the trial; empty for none
		want    map[string]string
	}{
		"nobody asked":     {"", "", map[string]string{}},
		"it is on":         {"ON", "", found},
		"it is off":        {"OFF", "", map[string]string{}},
		"on in this cell":  {"", "ON", found},
		"off in this cell": {"", "OFF", map[string]string{}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			in := sizesRun("")
			if tc.setting != "" {
				in.Run.Status.Resolved.Targets[0].Settings = []v1alpha1.ServerSetting{{Name: "large_pages", Value: tc.setting}}
			}
			if tc.cell != "" {
				in.Run.Spec.Matrix = []v1alpha1.Axis{{Name: "config.large_pages", Values: []intstr.IntOrString{intstr.FromString(tc.cell)}}}
				in.Plan.Cells = []plan.Cell{{"config.large_pages": intstr.FromString(tc.cell)}}
			}
			if diff := cmp.Diff(tc.want, sizesFound(in, ordinary)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}

	for name, want := range map[string]map[string]string{"large_pages": found, "enable_large_pages": found, "skip_large_pages": {}, "loose_disable_large_pages": {}} {
		in := sizesRun("")
		in.Run.Status.Resolved.Targets[0].Settings = []v1alpha1.ServerSetting{{Name: name}}
		if diff := cmp.Diff(want, sizesFound(in, ordinary)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}

	in := sizesRun("")
	in.Run.Status.Resolved.Targets[0].Settings = []v1alpha1.ServerSetting{{Name: "large_pages", Value: "ON"}, {Name: "innodb_buffer_pool_size", Value: "512M"}}
	part := sizedResult(2)
	part.Target.After = &contract.Usage{HugePagesBytes: new(int64(2 << 20)), HugePagesReservedBytes: new(int64(256 << 20))}
	if diff := cmp.Diff(found, sizesFound(in, part)); diff != "" {
		t.Errorf("a part of the pool (-want +got):\n%s", diff)
	}
}
