package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/stored"
)

// Quoted numbers stand beside the measured ones of the same place, and are marked.
func TestTable(t *testing.T) {
	at := func(threads int32) map[string]intstr.IntOrString {
		return map[string]intstr.IntOrString{"threads": intstr.FromInt32(threads)}
	}
	run := &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "run"},
		Status: v1alpha1.BenchmarkRunStatus{
			Summary: []v1alpha1.SummaryEntry{
				{Name: "throughput", Target: "mysql", Parameters: at(2), Unit: "tx/s", Direction: "HigherIsBetter", Median: "326.9", Min: "310.1", Max: "340.2", TrialCount: 5, PlannedTrialCount: 6},
				{Name: "throughput", Target: "mysql", Parameters: at(64), Unit: "tx/s", Direction: "HigherIsBetter", TrialCount: 0, PlannedTrialCount: 6},
				{Name: "latency.avg", Target: "mysql", Parameters: at(2), Unit: "ms", Median: "6", Min: "5", Max: "7", TrialCount: 6, PlannedTrialCount: 6},
			},
			Sweeps: []v1alpha1.SweepEntry{{Name: "throughput", Text: "threads of mysql: knee at 5.2 (4.6 to 5.9), peak at 16"}}, Results: &v1alpha1.ResultsStatus{SweepCount: 3},
			Targets: []v1alpha1.TargetStatus{{Name: "mysql"}, {Name: "paper", Source: "a paper", Quoted: []v1alpha1.QuotedValue{
				{Stage: v1alpha1.QuotedRun, Name: "throughput", Labels: map[string]string{"threads": "2"}, Value: "500", Unit: "ops/s"},
				{Stage: v1alpha1.QuotedLoad, Name: "throughput", Labels: map[string]string{"threads": "2"}, Value: "9", Unit: "ops/s"},
				{Stage: v1alpha1.QuotedRun, Name: "throughput", Labels: map[string]string{"threads": "8"}, Value: "700", Unit: "ops/s"},
			}}},
		},
	}
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	api := fake.NewClientBuilder().WithScheme(scheme).WithObjects(run).Build()
	show := func(name, against string) (string, error) {
		var out bytes.Buffer
		err := showTable(t.Context(), stored.InCluster(api, client.ObjectKeyFromObject(run)), tableView{name, against}, &out)
		return out.String(), err
	}
	want := `WHERE       TARGET  VALUE  UNIT   SPREAD           TRIALS
threads=2   mysql   326.9  tx/s   310.1 to 340.2   5 of 6
threads=2   paper   500    ops/s  quoted: a paper  -
threads=64  mysql   -      tx/s   -                0 of 6
threads=8   paper   700    ops/s  quoted: a paper  -
sweeps:
  threads of mysql: knee at 5.2 (4.6 to 5.9), peak at 16
  and 2 more in the ConfigMaps of the summary
`
	got, err := show("", "")
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, table (-want +got):\n%s", err, diff)
	}
	if got, err := show("latency.avg", ""); err != nil || strings.Contains(got, "sweeps") || !strings.Contains(got, "threads=2  mysql   6      ms") {
		t.Errorf("error %v, table\n%s", err, got)
	}
	if got, err := show("", "threads=2"); err != nil || !strings.Contains(got, "1.40x threads=2, quoted: a paper") || strings.Count(got, "x threads=2") != 2 {
		t.Errorf("error %v, table\n%s", err, got)
	}
	if _, err := show("nothing", ""); err == nil || !strings.Contains(err.Error(), `no number of "nothing"`) {
		t.Errorf("error %v", err)
	}
}
