package baseline

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
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
		"other tables": {func(r *v1alpha1.BenchmarkRun) { r.Spec.Workload.Sysbench.Tables = 20 }, []string{"sysbench.tables (10 became 20)"}},
		"more clients": {func(r *v1alpha1.BenchmarkRun) { r.Spec.Clients.Count = 2 }, []string{"clients.count (1 became 2)"}},
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
