package gate

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/internal/verdict/baseline"
)

// experiment is a run of one target in cells of threads.
type experiment struct {
	blocks, cells int
	// level of the throughput, 100 for 0; spread of its logarithm, and the seed of its noise.
	level, spread float64
	seed          uint64
	facts         map[string]string
	// speed of the machine: how long the reference loop takes.
	speed float64
}

var names = []string{"throughput", "latency.avg", "latency.percentile"}

// run of an experiment: throughput, and a latency that is its inverse.
func (x experiment) run(t testing.TB, name string) analysis.Run {
	t.Helper()
	p := &plan.Plan{Targets: []string{"db"}, Axes: []string{"threads"}}
	for c := range max(x.cells, 1) {
		p.Cells = append(p.Cells, plan.Cell{"threads": intstr.FromInt(8 << c)})
	}
	random, level := rand.New(rand.NewPCG(x.seed, 9)), x.level
	if level == 0 {
		level = 100
	}
	var records []contract.Record
	for b := range x.blocks {
		for c := range p.Cells {
			i := int32(len(p.Trials))
			p.Trials = append(p.Trials, plan.Trial{Index: i, Block: int32(b), Cell: int32(c)})
			v := level * math.Exp(x.spread*random.NormFloat64())
			rec := contract.Record{
				Final: true, Index: i, Block: int32(b), Cell: int32(c), Target: "db", State: contract.Succeeded, Valid: new(true),
				Values: []contract.RecordedValue{
					{Name: "throughput", Value: v, Unit: "tx/s", Direction: contract.HigherIsBetter},
					{Name: "latency.percentile", Labels: map[string]string{"p": "95"}, Value: 1000 / v, Unit: "ms", Direction: contract.LowerIsBetter},
					{Name: "latency.percentile", Labels: map[string]string{"p": "99"}, Value: 2000 / v, Unit: "ms", Direction: contract.LowerIsBetter},
				},
			}
			if x.facts != nil {
				rec.Facts = contract.NewFacts(x.facts)
			}
			if x.speed > 0 {
				rec.MachineSpeed = []contract.RecordedSpeed{{Side: "Target", Kernel: "Integer", Seconds: x.speed * math.Exp(0.001*random.NormFloat64())}}
			}
			records = append(records, rec)
		}
	}
	spec := v1alpha1.BenchmarkRunSpec{
		Workload: v1alpha1.Workload{Sysbench: &v1alpha1.SysbenchWorkload{}}, Targets: []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{}}},
	}
	spec.SetDefaults()
	d, err := analysis.Declare(spec, names)
	if err != nil {
		t.Fatal(err)
	}
	return analysis.Run{Name: name, Spec: spec, Input: analysis.Input{Layout: analysis.Layout{Plan: p}, Names: names, Limit: 1000, Records: records, Declaration: d}}
}

// promoted is the baseline of a run.
func promoted(t testing.TB, run analysis.Run) *v1alpha1.BenchmarkBaseline {
	t.Helper()
	spec, err := baseline.Make(baseline.Source{
		Run: &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: run.Name}}, Recorded: run,
		Promotion: v1alpha1.Promotion{Time: metav1.NewTime(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)), Author: "ada", Reason: "release 1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &v1alpha1.BenchmarkBaseline{ObjectMeta: metav1.ObjectMeta{Name: "release", UID: "u", ResourceVersion: "7"}, Spec: spec}
}
