package benchmarkrun

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/runners"
)

// plannedRun is what the first pass of a run plans.
func plannedRun(t *testing.T) experiment.Planned {
	t.Helper()
	return placedWorld(t, decision.Known{}).Planned
}

// What is kept has a bound, and a run that is gone leaves nothing.
func TestPlansAreEvicted(t *testing.T) {
	var p plans
	one := plannedRun(t)
	most := int64(3*one.Memory() + 1)
	for _, uid := range []types.UID{"a", "b", "c", "d"} {
		p.keep(uid, one, most)
	}
	if int64(p.bytes) > most || len(p.entries) != 3 {
		t.Errorf("%d bytes of %d plans are kept, want at most %d", p.bytes, len(p.entries), most)
	}
	if planned, seen := p.of("a"); planned.Plan != nil || !seen {
		t.Error("the plan that was used first is kept, or was forgotten to have been complete")
	}
	for _, uid := range []types.UID{"a", "b", "c", "d"} {
		p.forget(uid)
	}
	if p.bytes != 0 || len(p.entries)+len(p.seen)+len(p.waiting) != 0 {
		t.Errorf("something stays of runs that are gone: %+v", &p)
	}
}

// One run at a time is planned over several passes, and one that stops makes room.
func TestOnePlanner(t *testing.T) {
	var p plans
	now := time.Unix(0, 0)
	for _, uid := range []types.UID{"a", "b"} {
		p.keep(uid, experiment.Planned{}, 1<<20) // not complete
	}
	if p.hasToWait("a", now) || !p.hasToWait("b", now) || p.hasToWait("a", now) {
		t.Error("not the first alone is planned")
	}
	if p.hasToWait("b", now.Add(plannerTime)) {
		t.Error("a planner that does nothing keeps the others waiting")
	}
	p.forget("b")
	if p.hasToWait("a", now.Add(plannerTime)) {
		t.Error("a planner that is gone keeps the others waiting")
	}
	if p.hasToWait("small", now) {
		t.Error("a run that was never planned in part has to wait")
	}
}

// A plan of many cells takes several passes, and the same comes out.
func TestALargePlanTakesTurns(t *testing.T) {
	run := newRun(t, "ns", func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Design.Blocks = 1
		r.Spec.Deadline.Duration = 24 * time.Hour
		for _, name := range []string{"threads", "percentile"} {
			axis := v1alpha1.Axis{Name: name}
			for i := range map[string]int{"threads": 28, "percentile": 25}[name] {
				axis.Values = append(axis.Values, intstr.FromInt(i+1))
			}
			r.Spec.Matrix = append(r.Spec.Matrix, axis)
		}
	})
	run.Spec.SetDefaults()
	run.Spec.Workload.Sysbench.Percentile = 95
	run.Spec.Targets[0].MySQL.StorageEngine = "InnoDB"
	run.Spec.Design.Order, run.Spec.Design.DataReset = v1alpha1.OrderSequential, v1alpha1.ResetPerRun
	in := accept.Input{Run: run, Now: time.Now(), Catalogue: experiment.Catalogue{Tool: runners.Find, Engine: engines.Find, Config: testConfig()}}
	passes := 0
	for !in.Planned.Complete() {
		res := accept.Decide(in, decision.Known{}.Ask())
		if wait, waits := res.State.(decision.Waiting); !res.Planned.Complete() && (!waits || wait.Message != accept.Planning(700).Message) {
			t.Fatalf("pass %d: %+v", passes, res.State)
		}
		in.Planned, in.Turn = res.Planned, true
		if passes++; passes > 10 {
			t.Fatal("it does not end")
		}
	}
	if passes != 4 || len(in.Planned.Lengths) != 700 {
		t.Errorf("%d passes for %d cells, want 1 to see that it is large, and 3 of 256 cells", passes, len(in.Planned.Lengths))
	}
}
