package runners

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/apischema"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/runner"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// What a tool calls its offered rate is a field of its workload, and sets the rate that its results
// are checked against.
func TestOfferedRates(t *testing.T) {
	got := map[string]runner.Offered{}
	for _, r := range All() {
		offered, err := r.Offers(workloadOf(t, r))
		if err != nil {
			t.Fatalf("%s: %v", r.Name, err)
		}
		got[r.Name] = offered
		if offered.Field == "" {
			continue
		}
		tool, err := apischema.ForTool(r.Name)
		if err != nil {
			t.Fatal(err)
		}
		trial := trialOf(t, r, contract.TLSDisabled)
		if trial.Workload, err = plan.Apply(json.RawMessage(workloads[r.Name]), plan.Cell{offered.Field: intstr.FromInt32(321)}, tool); err != nil {
			t.Fatalf("%s: %v", r.Name, err)
		}
		expected, err := r.Expectations(trial)
		if err != nil || expected.Rate != 321 {
			t.Errorf("%s with %s=321 expects a rate of %v, %v", r.Name, offered.Field, expected.Rate, err)
		}
	}
	want := map[string]runner.Offered{
		"sysbench": {Field: "rate", Percentiles: []string{"95"}},
		"ycsb":     {Field: "target", Percentiles: []string{"50", "95", "99", "99.9"}},
		"tpcc":     {}, "tpch": {}, "drivers": {}, "custom": {},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("offered rates (-want +got):\n%s", diff)
	}
}
