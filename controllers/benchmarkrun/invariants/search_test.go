package invariants

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment/search"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/sysbench"
)

// searching looks for the highest rate that two clients achieve.
func searching(run *v1alpha1.BenchmarkRun) {
	run.Spec.Design.Blocks = 1
	run.Spec.Search = &v1alpha1.Search{Low: 100, High: 3200, Precision: "50%", Trials: 1, MaxErrors: "0%"}
}

// TestInvariantsOfASearch plays runs whose trials decide what follows, with crashes between any two
// actions, stale caches and two managers.
func TestInvariantsOfASearch(t *testing.T) {
	var found atomic.Int64
	t.Cleanup(func() {
		if found.Load() == 0 {
			t.Error("no search of any run found a rate")
		}
	})
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, 1000+seed)
			c.capacity = 500
			playOn(t, c, seed, searching)
			for _, e := range c.run().Status.Searches {
				if e.Outcome == v1alpha1.SearchFound {
					found.Add(1)
				}
			}
		})
	}
}

// openLoop is what a tool prints that offers a rate.
func (c kubelet) openLoop(trial contract.Trial) []contract.Measurement {
	var w v1alpha1.SysbenchWorkload
	c.must(json.Unmarshal(trial.Workload, &w))
	rate := float64(w.Rate)
	return []contract.Measurement{
		{Name: contract.NameThroughput, Unit: "tx/s", Direction: contract.HigherIsBetter, Value: new(min(rate, c.capacity))},
		{Name: contract.NameOffered, Unit: "tx/s", Value: &rate}, {Name: contract.NameErrorRate, Unit: "errors/s", Value: new(0.0)},
		{Name: contract.NameTotalTime, Unit: "s", Value: new(10.0)},
	}
}

// judgeSearch: every decision is the one that follows from the spec and the records before it, so that
// no manager decided otherwise, and no search has an answer that is not so.
func (c *cluster) judgeSearch(run *v1alpha1.BenchmarkRun) {
	spec := *run.Spec.DeepCopy()
	spec.SetDefaults()
	s, err := search.Of(spec, runner.Offered{Field: "rate"}, sysbench.Runner().Summary)
	c.must(err)
	p, err := plan.New(spec, nil, plan.Largest())
	c.must(err)
	records := c.records().Records
	for i, rec := range records {
		if !rec.Final || rec.Decision == nil {
			continue
		}
		want, err := s.After(p, records[:i+1])
		c.must(err)
		if diff := cmp.Diff(want, *rec.Decision); diff != "" {
			c.t.Errorf("the decision after record %d (-want +got):\n%s", i, diff)
		}
	}
	if run.HasFailed() {
		if failed := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed); failed.Reason == v1alpha1.ReasonInvalidSpec {
			c.t.Errorf("the run was refused: %s", failed.Message)
		}
		return
	}
	if n := len(run.Status.Searches); n != 2 {
		c.t.Errorf("%d searches, want one for each target", n)
	}
	for _, e := range run.Status.Searches {
		switch known := e.Outcome == v1alpha1.SearchFound; {
		case known && (e.Held > 500 || e.Failed <= 500 || float64(e.Failed) > 1.5*float64(e.Held)), !known && e.Outcome != v1alpha1.SearchUnknown:
			c.t.Errorf("a capacity of 500 is %+v", e)
		}
	}
}
