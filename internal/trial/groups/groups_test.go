package groups

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

var tool = runner.Runner{Name: "sysbench", Headline: contract.NameThroughput, Summary: []string{
	contract.NameThroughput, contract.NameQueries, contract.NameLatencyAvg, contract.NameLatencyPercentile,
}}

// result of a client with this throughput; none where it is negative.
func result(client int, rate float64) contract.Result {
	r := contract.Result{State: contract.Succeeded, Tool: contract.Tool{Name: "sysbench"}, Trial: contract.TrialRef{RunUID: "u", Phase: "Run", Client: client}}
	if rate < 0 {
		return r
	}
	percentile := runner.Number(contract.NameLatencyPercentile, "ms", contract.LowerIsBetter, 5)
	percentile.Labels = map[string]string{contract.LabelPercentile: "95"}
	reads := runner.Number(contract.NameLatencyAvg, "ms", contract.LowerIsBetter, 2)
	reads.Labels = map[string]string{contract.LabelOperation: "read"}
	r.Measurements = []contract.Measurement{
		runner.Number(contract.NameThroughput, "tx/s", contract.HigherIsBetter, rate), runner.Number(contract.NameQueries, "queries/s", contract.HigherIsBetter, 20*rate),
		percentile, reads,
	}
	return r
}

// value that Apart gives.
type value struct {
	Name   string
	Labels map[string]string
	Value  float64
}

func apart(t *testing.T, trial contract.Trial, results ...contract.Result) (out []value) {
	t.Helper()
	all, err := Apart(trial, results, tool)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		out = append(out, value{m.Name, m.Labels, *m.Value})
	}
	return out
}

func tenants(rates ...float64) (trial contract.Trial, results []contract.Result) {
	for i, rate := range rates {
		trial.Groups = append(trial.Groups, contract.Group{Tenant: i + 1, Clients: 1})
		results = append(results, result(i, rate))
	}
	return trial, results
}

func TestTenantsApart(t *testing.T) {
	trial, results := tenants(100, 300)
	of := func(tenant string, more ...string) map[string]string {
		labels := map[string]string{contract.LabelTenant: tenant}
		if len(more) > 0 {
			labels[more[0]] = more[1]
		}
		return labels
	}
	want := []value{
		{contract.NameThroughput, of("1"), 100}, {contract.NameLatencyPercentile, of("1", "p", "95"), 5},
		{contract.NameThroughput, of("2"), 300}, {contract.NameLatencyPercentile, of("2", "p", "95"), 5},
		{Fairness, nil, 400. * 400 / (2 * (100*100 + 300*300))}, {Ratio, nil, 1. / 3},
	}
	if diff := cmp.Diff(want, apart(t, trial, results...), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Error(diff)
	}
	if results[0].Measurements[0].Labels != nil {
		t.Error("the labels of the client's own measurement were changed")
	}
}

func TestHowUnequalTenantsAre(t *testing.T) {
	for name, tc := range map[string]struct {
		rates           []float64
		fairness, ratio float64 // NaN: none
	}{
		"all the same":          {[]float64{7, 7, 7, 7}, 1, 1},
		"one of four has all":   {[]float64{8, 0, 0, 0}, 0.25, 0},
		"large numbers":         {[]float64{1e300, 1e300}, 1, 1},
		"nobody has anything":   {[]float64{0, 0}, math.NaN(), math.NaN()},
		"one without a value":   {[]float64{7, -1}, math.NaN(), math.NaN()},
		"the example of Jain's": {[]float64{50, 30, 50}, 130. * 130 / (3 * (2500 + 900 + 2500)), 0.6},
	} {
		t.Run(name, func(t *testing.T) {
			trial, results := tenants(tc.rates...)
			for _, pair := range []value{{Name: Fairness, Value: tc.fairness}, {Name: Ratio, Value: tc.ratio}} {
				all := apart(t, trial, results...)
				i := slices.IndexFunc(all, func(v value) bool { return v.Name == pair.Name })
				switch {
				case math.IsNaN(pair.Value) && i >= 0:
					t.Errorf("%s is %g, want none", pair.Name, all[i].Value)
				case !math.IsNaN(pair.Value) && (i < 0 || math.Abs(all[i].Value-pair.Value) > 1e-12):
					t.Errorf("%s: %v, want %g", pair.Name, all, pair.Value)
				}
			}
		})
	}
}

func TestASecondLoadApart(t *testing.T) {
	trial := contract.Trial{Groups: []contract.Group{{Clients: 1}, {Background: true, Clients: 1}, {Background: true, Idle: true, Clients: 1}}}
	results := []contract.Result{result(0, 100), result(1, 40), result(2, -1)}
	background := map[string]string{contract.LabelLoad: contract.LoadBackground}
	want := []value{
		{contract.NameThroughput, background, 40}, {contract.NameQueries, background, 800},
		{contract.NameLatencyPercentile, map[string]string{contract.LabelLoad: contract.LoadBackground, "p": "95"}, 5},
	}
	if diff := cmp.Diff(want, apart(t, trial, results...)); diff != "" {
		t.Error(diff)
	}
	clients := func(results []contract.Result) (out []int) {
		for _, r := range results {
			out = append(out, r.Trial.Client)
		}
		return out
	}
	if got := clients(Measuring(trial, results)); !slices.Equal(got, []int{0}) {
		t.Errorf("clients %v measure", got)
	}
	if got := clients(Working(trial, results)); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("clients %v work", got)
	}
	if !Shared(trial) || Shared(contract.Trial{Groups: trial.Groups[2:]}) || Shared(contract.Trial{}) {
		t.Error("whether a second load is at work")
	}
	if got := clients(Measuring(contract.Trial{Clients: 3}, results)); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("without groups clients %v measure", got)
	}
}

// Of a time less is better, so that it is no share: how unequal tenants are is that of their throughput, where there is one.
func TestTenantsWhoseMainMeasurementIsATime(t *testing.T) {
	timed := runner.Runner{Headline: contract.NameQueryMean, Summary: []string{contract.NameQueryMean}}
	for name, tc := range map[string]struct {
		rates bool
		want  float64 // 0: none
	}{"with a throughput": {true, 0.5}, "without one": {false, 0}} {
		t.Run(name, func(t *testing.T) {
			trial, results := tenants(1, 2)
			for i := range results {
				mean := runner.Number(contract.NameQueryMean, "s", contract.LowerIsBetter, float64(1+3*i))
				results[i].Measurements = append([]contract.Measurement{mean}, results[i].Measurements...)
				if !tc.rates {
					results[i].Measurements = results[i].Measurements[:1]
				}
			}
			all, err := Apart(trial, results, timed)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(all, func(m contract.Measurement) bool { return m.Name == Ratio })
			if (i >= 0) != (tc.want > 0) || i >= 0 && *all[i].Value != tc.want {
				t.Errorf("%+v", all)
			}
		})
	}
}
