package benchmarkrun

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// loadsRows is a client whose loads take a second for each thousand rows of the two tables, and leave them.
func loadsRows(trial contract.Trial) *contract.Result {
	res := delivers(always(0))(trial)
	res.Measurements = nil
	if trial.Ref.Phase == string(contract.PhasePrepare) {
		res.Data = &contract.Data{}
		return res
	}
	rows := map[bool]int64{true: 1000, false: 3000}[*trial.Ref.Cell == 0]
	began := time.Now().UTC()
	ended := began.Add(time.Duration(rows/1000) * time.Second)
	res.Times.MeasureStarted, res.Times.MeasureEnded = &began, &ended
	res.Measurements = []contract.Measurement{
		{Name: contract.NameLoadTime, Unit: "s", Direction: contract.LowerIsBetter, Value: new(float64(rows) / 1000)},
		{Name: contract.NameWritingTime, Unit: "s", Direction: contract.LowerIsBetter, Value: new(0.5)},
	}
	res.Data = &contract.Data{Loaded: &contract.LoadReport{
		StatisticsSeconds: new(0.1), FlushSeconds: new(0.7), Tables: []contract.Table{{Name: "sbtest1", Rows: rows / 2}, {Name: "sbtest2", Rows: rows / 2}},
	}}
	return res
}

// Each trial is a load: nothing is loaded before, what decides the rows varies, and the rate is that of the rows that were counted.
func TestLoadsAreMeasured(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	var told diary
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(loadsRows)})
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Workload.Sysbench.Tables = 2
		r.Spec.Matrix = []v1alpha1.Axis{{Name: "tableSize", Values: []intstr.IntOrString{intstr.FromInt32(500), intstr.FromInt32(1500)}}}
		r.Spec.Design.Measures, r.Spec.Design.DataReset, r.Spec.Design.Warmup, r.Spec.Design.Blocks = v1alpha1.MeasuresLoad, v1alpha1.ResetPerTrial, nil, 2
	})
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	if before := told.phase(contract.PhasePrepare); len(before) != 1 || !before[0].Snapshot || !before[0].Loads {
		t.Errorf("before the trials: %+v", before)
	}
	for i, trial := range told.phase(contract.PhaseRun) {
		if !trial.Loads || trial.WarmupSeconds != 0 || (trial.Reset != nil) != (i > 0) || i > 0 && (trial.Reset.Method != contract.ResetSnapshot || len(trial.Reset.Tables) != 0) {
			t.Errorf("trial %d: %+v", i, trial)
		}
	}
	want := map[string][]string{
		contract.NameRowRate: {"1000", "1000"}, contract.NameLoadTime: {"1", "3"}, contract.NameRowsLoaded: {"1000", "3000"},
		contract.NameWritingTime: {"0.5", "0.5"}, contract.NameStatisticsTime: {"0.1", "0.1"}, contract.NameFlushTime: {"0.7", "0.7"},
	}
	seen := map[string][]string{}
	for _, entry := range got.Status.Summary {
		seen[entry.Name] = append(seen[entry.Name], string(entry.Median))
	}
	for name, medians := range want {
		if !slices.Equal(seen[name], medians) {
			t.Errorf("%s: %v, want %v", name, seen[name], medians)
		}
	}
	if len(got.Status.Targets[0].Load) != 0 {
		t.Errorf("before the trials, the load took %+v", got.Status.Targets[0].Load)
	}
}
