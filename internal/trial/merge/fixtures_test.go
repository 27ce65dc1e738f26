package merge

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-bench/assay/internal/ground/contract"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// within allows for the rounding of sums in another order.
var within = cmpopts.EquateApprox(1e-9, 0)

// clientResult is a result of 3 s by one client that began some seconds late. Its process
// was started 0.2 s before the tool began to count.
func clientResult(client int, late float64, change func(*contract.Result)) contract.Result {
	began := noon.Add(time.Duration(late * float64(time.Second)))
	started, planned := began.Add(-200*time.Millisecond), noon
	ended := began.Add(3010 * time.Millisecond)
	n := int64(100 * (client + 1))
	rate := func(name, unit string, perSecond float64) contract.Measurement {
		m := contract.Measurement{Name: name, Unit: unit, N: new(n), Value: new(perSecond)}
		for i := range 3 {
			m.Intervals = append(m.Intervals, contract.Interval{AtSeconds: float64(i + 1), Value: new(perSecond + float64(i-1))})
		}
		return m
	}
	latency := func(name string, v float64) contract.Measurement {
		return contract.Measurement{Name: name, Unit: "ms", N: new(n), Value: &v}
	}
	avg := latency(contract.NameLatencyAvg, 2)
	avg.Histogram = &contract.Histogram{Unit: "ms", Buckets: []contract.Bucket{{Value: 1, Count: n / 2}, {Value: float64(client + 2), Count: n - n/2}}}
	percentile := latency(contract.NameLatencyPercentile, 1)
	percentile.Labels = map[string]string{contract.LabelPercentile: "95"}
	percentile.Intervals = []contract.Interval{{AtSeconds: 1, Value: new(1.0)}}
	r := contract.Result{
		Version: contract.ResultVersion, State: contract.Succeeded, Tool: contract.Tool{Name: "sysbench"}, RawSHA256: strings.Repeat("0a", 32),
		Trial:  contract.TrialRef{RunUID: "u", Phase: "Run", Index: new(7), Block: new(2), Target: "innodb", Client: client},
		Client: contract.Client{Environment: contract.Environment{Machine: contract.Machine{BootID: "one"}}},
		Times:  contract.Times{Planned: &planned, MeasureStarted: &started, MeasureEnded: &ended},
		Measurements: []contract.Measurement{
			rate(contract.NameThroughput, "tx/s", float64(10*(client+1))), latency(contract.NameLatencyMin, float64(client+1)), avg,
			latency(contract.NameLatencyMax, float64(client+5)), percentile,
			{Name: contract.NameLatencySum, Unit: "ms", Value: new(float64(1000 * (client + 1)))},
			{Name: contract.NameTotalTime, Unit: "s", Value: new(3 + float64(client)/1000)},
			{Name: "threads.events", Labels: map[string]string{contract.LabelStat: "avg"}, Unit: "1", Value: new(float64(client))},
		},
	}
	if change != nil {
		change(&r)
	}
	if m, ok := r.Find(contract.NameTotalTime, nil); ok && r.Times.MeasureStarted != nil { // the process ends with the window
		*r.Times.MeasureEnded = began.Add(time.Duration(*m.Value * float64(time.Second)))
	}
	return r
}

func measurement(r *contract.Result, name string) *contract.Measurement {
	for i := range r.Measurements {
		if r.Measurements[i].Name == name {
			return &r.Measurements[i]
		}
	}
	panic("no " + name)
}

func without(name string) func(*contract.Result) {
	return func(r *contract.Result) {
		r.Measurements = slices.DeleteFunc(r.Measurements, func(m contract.Measurement) bool { return m.Name == name })
	}
}

func merge(t *testing.T, results ...contract.Result) (contract.Result, Skew) {
	t.Helper()
	merged, skew, err := Results(results)
	if err != nil {
		t.Fatal(err)
	}
	return merged, skew
}
