package trial

import (
	"slices"
	"testing"
	"time"

	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/trial/validity"
	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// steps is the result of a client whose rate changes from 500 to the given one after 40 of 60 s.
func steps(client int, late time.Duration, to float64) contract.Result {
	from := time.Unix(1000, 0).Add(late)
	m := contract.Measurement{Name: contract.NameThroughput, Unit: "tx/s", N: new(int64(30000)), Value: new(500.0), Direction: contract.HigherIsBetter}
	for i := range 60 {
		v := 500.0 + float64(i%2)
		if i >= 40 {
			v += to - 500
		}
		m.Intervals = append(m.Intervals, contract.Interval{AtSeconds: float64(i + 1), Value: &v})
	}
	res := contract.Result{
		Version: contract.ResultVersion, State: contract.Succeeded, Trial: contract.TrialRef{Phase: string(contract.PhaseRun), Client: client},
		Measurements: []contract.Measurement{m, {Name: contract.NameTotalTime, Unit: "s", Value: new(60.0)}},
		Times:        contract.Times{MeasureStarted: &from, MeasureEnded: new(from.Add(60 * time.Second))},
	}
	res.Client.Machine.BootID = "one"
	return res
}

// oneTrial is the least that a record is made of: one trial of an external server, by a tool without expectations.
func oneTrial() Input {
	in := Input{
		Run: &v1alpha1.BenchmarkRun{Spec: v1alpha1.BenchmarkRunSpec{Targets: []v1alpha1.Target{{Name: "db", External: &v1alpha1.ExternalTarget{Host: "a.example", Port: 3306}}}}},
		Now: time.Unix(2000, 0),
		Work: experiment.Work{Tool: runner.Runner{
			Summary:      []string{contract.NameThroughput},
			Expectations: func(contract.Trial) (runner.Expectations, error) { return runner.Expectations{}, nil },
		}},
		Plan: &plan.Plan{Targets: []string{"db"}, Cells: []plan.Cell{{}}, Trials: []plan.Trial{{}}},
	}
	in.Run.Spec.SetDefaults()
	in.Limits.ResultMemory.Set(1 << 28)
	return in
}

func TestSteadinessIsRecorded(t *testing.T) {
	in := oneTrial()
	invalid := steps(0, 0, 700)
	invalid.Measurements[0].N = new(int64(3))
	plain := steps(0, 0, 500)
	plain.Measurements[0].Intervals = nil
	tests := map[string]struct {
		results []contract.Result
		want    stats.SteadyState
		warns   bool
	}{
		"constant":                               {[]contract.Result{steps(0, 0, 500)}, stats.Steady, false},
		"a step":                                 {[]contract.Result{steps(0, 0, 700)}, stats.NotSteady, true},
		"two clients that make up for another":   {[]contract.Result{steps(0, 0, 700), steps(1, 0, 300)}, stats.Steady, false},
		"two clients with a step":                {[]contract.Result{steps(0, 0, 700), steps(1, 0, 500)}, stats.NotSteady, true},
		"two clients that began one by one":      {[]contract.Result{steps(0, 0, 500), steps(1, 20*time.Second, 500)}, stats.Steady, false},
		"a trial that does not count needs none": {[]contract.Result{invalid}, stats.NotSteady, false},
		"without a series nobody knows":          {[]contract.Result{plain}, "", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			at := journal.Position{}
			rec := Record(in, Measurement(in, at, nil, nil, runner.Length{}), at, End{Results: tc.results}, decision.Known{}.Ask())
			if rec.Steadiness != string(tc.want) || Shown(rec).Steadiness != v1alpha1.SteadyState(tc.want) {
				t.Errorf("steadiness %q, shown %q, want %q", rec.Steadiness, Shown(rec).Steadiness, tc.want)
			}
			warns := slices.ContainsFunc(rec.Findings, func(f contract.RecordedFinding) bool {
				return f.Check == validity.CheckNotSteady && f.Severity == string(validity.Warning)
			})
			if warns != tc.warns {
				t.Errorf("warns: %v, want %v; findings %+v", warns, tc.warns, rec.Findings)
			}
			if tc.want != "" && (rec.State != contract.Succeeded || rec.Disturbed || *rec.Valid != (name != "a trial that does not count needs none")) {
				t.Errorf("state %s, valid %v, disturbed %v: a trial counts whatever its steadiness", rec.State, *rec.Valid, rec.Disturbed)
			}
		})
	}
}
