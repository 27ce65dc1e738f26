package analysis

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/costs"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// driversOver so many blocks, of two targets, with their costs or without.
func driversOver(blocks int32, withCosts bool) Input {
	l := drivers()
	l.Plan.Targets, l.Plan.Trials = []string{"a", "b"}, nil
	var records []contract.Record
	for n := range blocks * 4 {
		at := plan.Trial{Index: n, Block: n / 4, Cell: n % 2, Target: n / 2 % 2}
		l.Plan.Trials = append(l.Plan.Trials, at)
		rec := contract.Record{Final: true, Index: n, Block: at.Block, Cell: at.Cell, Target: l.Plan.Targets[at.Target], State: contract.Succeeded, Valid: new(true)}
		for i, one := range l.Combinations {
			if !one.in(l.Plan.Cells[at.Cell]) {
				continue
			}
			v := float64(100*(i+1)) * (1 + 0.001*float64((at.Block*7+at.Target*3)%5))
			rec.Values = append(rec.Values, contract.RecordedValue{Name: "throughput", Labels: one.Labels, Value: v, Unit: "ops/s", Direction: contract.HigherIsBetter})
			if withCosts {
				rec.Values = append(rec.Values, contract.RecordedValue{Name: costs.ClientCPU, Labels: one.Labels, Value: 1e4 / v, Unit: "s/Mop", Direction: contract.LowerIsBetter})
			}
		}
		records = append(records, rec)
	}
	return Input{Layout: l, Records: records, Names: []string{"throughput", costs.ClientCPU}, Limit: 100}
}

// concludeDrivers as a run of them with this analysis does.
func concludeDrivers(t *testing.T, in Input, a *v1alpha1.Analysis) []v1alpha1.ComparisonEntry {
	t.Helper()
	spec := specOf(2, a)
	spec.Workload = v1alpha1.Workload{Drivers: &v1alpha1.DriversWorkload{}}
	var err error
	if in.Declaration, err = Declare(spec, in.Names); err != nil {
		t.Fatal(err)
	}
	out, err := Conclude(in)
	if err != nil {
		t.Fatal(err)
	}
	return out.Entries
}

// What an operation costs a driver is in no family of tests, unless it was declared: with it, every comparison of a run
// is the same as without it, and the costs stand behind them, by themselves.
func TestCostsOfDriversAreNotDeclared(t *testing.T) {
	byDriver := v1alpha1.Comparison{Factor: "driver", Baseline: value(intstr.FromString("x"))}
	for name, a := range map[string]*v1alpha1.Analysis{"by default": nil, "drivers, without measurements": analysisOf(byDriver)} {
		t.Run(name, func(t *testing.T) {
			without, with := concludeDrivers(t, driversOver(12, false), a), concludeDrivers(t, driversOver(12, true), a)
			if len(without) == 0 || without[0].AdjustedP == "" || len(with) != 2*len(without) {
				t.Fatalf("%d comparisons with costs, and %d without: %+v", len(with), len(without), without)
			}
			if diff := cmp.Diff(without, with[:len(without)]); diff != "" {
				t.Errorf("costs change what is compared (-without +with):\n%s", diff)
			}
			for _, e := range with[len(without):] {
				if e.Name != costs.ClientCPU || e.Family != v1alpha1.FamilyExploratory || e.AdjustedP != "" {
					t.Errorf("%+v", e)
				}
			}
		})
	}
	byDriver.Measurements = []v1alpha1.MeasurementRef{{Name: "throughput"}, {Name: costs.ClientCPU}}
	declared := concludeDrivers(t, driversOver(12, true), analysisOf(byDriver))
	if n := slices.IndexFunc(declared, func(e v1alpha1.ComparisonEntry) bool { return e.Name == costs.ClientCPU }); n < 0 || declared[n].Family != v1alpha1.FamilyPrimary || declared[n].Verdict != v1alpha1.VerdictLower {
		t.Errorf("costs that were declared: %+v", declared)
	}
}
