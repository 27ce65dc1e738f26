package trial

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestLoadFigures(t *testing.T) {
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	loaded := func(client int, from, to float64, ms ...contract.Measurement) contract.Result {
		res := contract.Result{
			Version: contract.ResultVersion, State: contract.Succeeded, Trial: contract.TrialRef{Phase: string(contract.PhasePrepare), Target: "db", Client: client}, Measurements: ms,
		}
		if to > 0 {
			res.Times.MeasureStarted = new(at.Add(time.Duration(from * float64(time.Second))))
			res.Times.MeasureEnded = new(at.Add(time.Duration(to * float64(time.Second))))
		}
		if client == 0 {
			res.Data = &contract.Data{Tables: []contract.Table{{Name: "other", Rows: 7}, {Name: "sbtest1", Rows: 100}, {Name: "sbtest2", Rows: 100}}}
		}
		return res
	}
	own := func(contract.Trial) (map[string]int64, error) {
		return map[string]int64{"sbtest1": 100, "sbtest2": 100}, nil
	}
	value := func(name, v, unit, better string) v1alpha1.Value {
		return v1alpha1.Value{Name: name, Value: v, Unit: unit, Direction: better}
	}
	tests := map[string]struct {
		rows     func(contract.Trial) (map[string]int64, error)
		external bool
		results  []contract.Result
		want     []v1alpha1.Value
	}{
		"one client, and tables of somebody else": {
			rows: own, external: true, results: []contract.Result{loaded(0, 0, 4)},
			want: []v1alpha1.Value{value("time.load", "4", "s", "LowerIsBetter"), value("rows.loaded", "200", "1", ""), value("throughput.rows", "50", "rows/s", "HigherIsBetter")},
		},
		"a tool that does not say what it makes, on a server of its own": {
			results: []contract.Result{loaded(0, 0, 2)},
			want:    []v1alpha1.Value{value("time.load", "2", "s", "LowerIsBetter"), value("rows.loaded", "207", "1", ""), value("throughput.rows", "103.5", "rows/s", "HigherIsBetter")},
		},
		"the same on somebody's server: its rows may be anybody's": {
			external: true, results: []contract.Result{loaded(0, 0, 2)},
			want: []v1alpha1.Value{value("time.load", "2", "s", "LowerIsBetter")},
		},
		"several clients: from the first start to the last end, and one that had no share": {
			rows: own, results: []contract.Result{loaded(0, 1, 3), loaded(1, 0.5, 4.5), loaded(2, 0, 0)},
			want: []v1alpha1.Value{value("time.load", "4", "s", "LowerIsBetter"), value("rows.loaded", "200", "1", ""), value("throughput.rows", "50", "rows/s", "HigherIsBetter")},
		},
		"the tool's own figures": {
			rows: own, results: []contract.Result{loaded(0, 0, 4, contract.Measurement{Name: "throughput", Unit: "ops/s", Direction: contract.HigherIsBetter, Value: new(55.5)})},
			want: []v1alpha1.Value{
				value("time.load", "4", "s", "LowerIsBetter"), value("rows.loaded", "200", "1", ""), value("throughput.rows", "50", "rows/s", "HigherIsBetter"),
				value("throughput", "55.5", "ops/s", "HigherIsBetter"),
			},
		},
		"nothing to load": {results: []contract.Result{loaded(0, 0, 0)}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			target := v1alpha1.Target{Name: "db", MySQL: &v1alpha1.MySQLTarget{}}
			if tc.external {
				target.MySQL, target.External = nil, &v1alpha1.ExternalTarget{Host: "db.example"}
			}
			in := Input{Run: loadedRun(target), Work: experiment.Work{Tool: runner.Runner{Summary: []string{"throughput"}, Data: runner.Data{Rows: tc.rows}}}, Now: at}
			e := Execution{Name: "run-db-load", Ref: contract.TrialRef{Phase: string(contract.PhasePrepare), Target: "db"}, Clients: len(tc.results)}
			got, err := LoadFigures(in, e, tc.results)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	in := Input{
		Run:  loadedRun(v1alpha1.Target{Name: "db", MySQL: &v1alpha1.MySQLTarget{}}),
		Work: experiment.Work{Tool: runner.Runner{Data: runner.Data{Rows: func(contract.Trial) (map[string]int64, error) { return nil, errors.New("no such test") }}}}, Now: at,
	}
	if _, err := LoadFigures(in, Execution{Ref: contract.TrialRef{Target: "db"}}, []contract.Result{loaded(0, 0, 4)}); err == nil {
		t.Error("rows that cannot be told are no error")
	}
}

// loadedRun has one target.
func loadedRun(target v1alpha1.Target) *v1alpha1.BenchmarkRun {
	run := &v1alpha1.BenchmarkRun{
		Spec:   v1alpha1.BenchmarkRunSpec{Targets: []v1alpha1.Target{target}},
		Status: v1alpha1.BenchmarkRunStatus{Resolved: &v1alpha1.Resolved{}},
	}
	run.Spec.SetDefaults()
	return run
}
