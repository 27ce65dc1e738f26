package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/cluster"
	"github.com/assay-bench/assay/test/helpers/fullsize"
	"github.com/assay-bench/assay/test/helpers/plays"
)

// The gate of S2 (published/s2-python), which is that of pytest-benchmark: what its manifest compares, with its 25 %, of one driver and one server of
// the small form. A run like the one before it passes, and a server with a fraction of the CPU fails it, by the mean times that are compared.
func TestTheGateOfS2(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	full, spec := specOf(t, "published/s2-python/full.yaml"), specOf(t, "drivers-python-small.yaml")
	if full.Gate == nil || full.Gate.Baseline != "s2-python" || full.Gate.Threshold != "25%" {
		t.Fatalf("the gate of S2 is %+v", full.Gate)
	}
	spec.Analysis, spec.Gate, spec.Targets = full.Analysis, full.Gate, spec.Targets[:1]
	spec.Gate.Health = v1alpha1.HealthRequired // awaitRun looks at what GitOps controllers see
	w := spec.Workload.Drivers
	w.Baseline = nil
	w.Drivers = slices.DeleteFunc(w.Drivers, func(d v1alpha1.Driver) bool { return d.Name != "mysql-connector-python-pure" })
	w.Benchmarks = []v1alpha1.DriverBenchmark{
		{Operation: "SelectOne", Sessions: []v1alpha1.DriverSession{"Pool", "New"}},
		{Operation: "Insert", Schemes: []v1alpha1.DriverScheme{"Prepared"}, Transactions: []v1alpha1.DriverTransaction{"Autocommit", "One"}, Rows: []int32{1000}},
	}
	// As the three runs of make reproduce: the quota of a client has periods of 100 ms.
	spec.Design.Blocks, spec.Design.Duration, spec.Design.Rounds = 8, &metav1.Duration{Duration: 2 * time.Second}, new(int32(5))
	s := newShell(t, cluster.Namespace(t))
	play := func(name string, want metav1.ConditionStatus, reason string) *v1alpha1.BenchmarkRun {
		text, err := fullsize.Manifest(name, spec)
		if err != nil {
			t.Fatal(err)
		}
		return s.awaitRun(name, text, want, reason)
	}

	play("s2-1", metav1.ConditionUnknown, v1alpha1.ReasonBaselineNotFound)
	if out, err := s.run(`kubectl assay baseline promote s2-1 --name s2-python --reason "the first run" > baseline.yaml && kubectl create -f baseline.yaml`); err != nil || !strings.Contains(out, "s2-python") {
		t.Fatalf("%v: %s", err, out)
	}
	again := play("s2-2", metav1.ConditionTrue, v1alpha1.ReasonSucceeded)
	// Four mean times are compared: of each comparison its baseline, too.
	if b := again.Status.Gate.Baselines; len(b) != 1 || b[0].JudgedCount != 4 || b[0].MissingCount+b[0].NewCount != 0 {
		t.Errorf("judged: %+v", b)
	}
	spec.Targets[0].Shape = &v1alpha1.ShapeRef{}
	if err := yaml.UnmarshalStrict([]byte(slow), spec.Targets[0].Shape); err != nil {
		t.Fatal(err)
	}
	slower := play("s2-3", metav1.ConditionFalse, v1alpha1.ReasonSlower)
	if message := apimeta.FindStatusCondition(slower.Status.Conditions, v1alpha1.ConditionPassed).Message; !strings.Contains(message, "latency.avg") {
		t.Errorf("the message: %s", message)
	}
}

// specOf the run of a sample, with its defaults.
func specOf(t *testing.T, file string) v1alpha1.BenchmarkRunSpec {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(samples, file))
	if err != nil {
		t.Fatal(err)
	}
	run, _, err := plays.Manifest(data)
	if err != nil {
		t.Fatal(err)
	}
	run.Spec.SetDefaults()
	return run.Spec
}
