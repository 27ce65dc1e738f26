package trial

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/runner"
)

// What an operation costs stands among the values of a trial, behind those of the tool. The price is
// that of all servers of the target.
func TestCostsAreRecorded(t *testing.T) {
	price := &v1alpha1.Price{PerHour: "0.18", Currency: "EUR"}
	in := Input{
		Run: &v1alpha1.BenchmarkRun{
			Spec: v1alpha1.BenchmarkRunSpec{Targets: []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{Replication: &v1alpha1.Replication{Replicas: 1}}}}},
			Status: v1alpha1.BenchmarkRunStatus{
				Resolved: &v1alpha1.Resolved{Targets: []v1alpha1.ResolvedTarget{{Name: "db", Shape: &v1alpha1.InstanceShapeSpec{Price: price}}}},
			},
		},
		Now: time.Unix(1000, 0),
		Work: experiment.Work{Tool: runner.Runner{
			Summary:      []string{contract.NameThroughput, contract.NameLatencyAvg},
			Expectations: func(contract.Trial) (runner.Expectations, error) { return runner.Expectations{}, nil },
		}},
		Plan: &plan.Plan{Targets: []string{"db"}, Cells: []plan.Cell{{}}, Trials: []plan.Trial{{}}},
	}
	in.Run.Spec.SetDefaults()
	in.Limits.ResultMemory.Set(1 << 28)
	from, to := time.Unix(100, 0), time.Unix(110, 0)
	used := func(seconds float64) contract.Environment {
		return contract.Environment{Before: &contract.Usage{At: from, CPUSeconds: new(1.0)}, After: &contract.Usage{At: to, CPUSeconds: new(1 + seconds)}}
	}
	res := contract.Result{
		State: contract.Succeeded, Times: contract.Times{WindowStarted: &from, WindowEnded: &to}, Target: new(used(10)), Client: contract.Client{Environment: used(5)},
		Measurements: []contract.Measurement{
			{Name: contract.NameThroughput, Unit: "tx/s", Value: new(1000.0), Direction: contract.HigherIsBetter}, {Name: contract.NameLatencyAvg, Unit: "ms", Value: new(1.0)},
			{Name: contract.NameCPUTime, Labels: map[string]string{"driver": "mysql2"}, Unit: "s", N: new(int64(2000)), Value: new(0.1)},
		},
	}
	at := journal.Position{}
	rec := Record(in, Measurement(in, at, nil, nil, runner.Length{}), at, End{Results: []contract.Result{res}}, decision.Known{}.Ask())
	var got []string
	for _, v := range rec.Values {
		got = append(got, strings.TrimSpace(v.Name+" "+v1alpha1.FourDigits(v.Value)+" "+v.Unit+" "+string(v.Direction)))
	}
	want := []string{
		"throughput 1000 tx/s HigherIsBetter", "latency.avg 1 ms", "cost.cpu.server 1000 s/Mop LowerIsBetter", "cost.cpu.client 500 s/Mop LowerIsBetter",
		"cost.cpu.client 50 s/Mop LowerIsBetter",
		"cost.price 0.1 EUR/Mop LowerIsBetter",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if slices.ContainsFunc(rec.Findings, func(f contract.RecordedFinding) bool { return f.Check == "values-cut" }) {
		t.Errorf("findings %+v", rec.Findings)
	}
	in.Run.Status.Resolved.Targets[0].Shape.Price = nil
	rec = Record(in, Measurement(in, at, nil, nil, runner.Length{}), at, End{Results: []contract.Result{res}}, decision.Known{}.Ask())
	if slices.ContainsFunc(rec.Values, func(v contract.RecordedValue) bool { return v.Name == "cost.price" }) {
		t.Error("a shape without a price has one")
	}
	// A server that Assay did not start has the price that the spec says, and replicas of its own in it.
	in.Run.Spec.Targets[0] = v1alpha1.Target{Name: "db", External: &v1alpha1.ExternalTarget{Price: price}}
	in.Run.Status.Resolved.Targets[0].Shape = nil
	rec = Record(in, Measurement(in, at, nil, nil, runner.Length{}), at, End{Results: []contract.Result{res}}, decision.Known{}.Ask())
	i := slices.IndexFunc(rec.Values, func(v contract.RecordedValue) bool { return v.Name == "cost.price" })
	if i < 0 || v1alpha1.FourDigits(rec.Values[i].Value) != "0.05" || rec.Values[i].Unit != "EUR/Mop" {
		t.Errorf("the price of an external server is not in %+v", rec.Values)
	}
}
