package validity

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// run is a real run of sysbench on MySQL 9.7: 10 s, 4 threads, oltp_read_write.
func run(t *testing.T) contract.Result { return load(t, "run.json") }

func load(t *testing.T, name string) contract.Result {
	t.Helper()
	data, err := os.ReadFile("../../ground/contract/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var r contract.Result
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

var expected = runner.Expectations{
	DurationSeconds: 10, Threads: 4, QueriesPerOperation: 20, ReportIntervalSeconds: 1, QuantileError: 0.0182,
}

// set changes the value of a measurement; edit changes anything of it.
func set(name string, v float64) func(*contract.Result, *runner.Expectations) {
	return edit(name, func(m *contract.Measurement) { m.Value = &v })
}

func setN(name string, n int64) func(*contract.Result, *runner.Expectations) {
	return edit(name, func(m *contract.Measurement) { m.N = &n })
}

func edit(name string, change func(*contract.Measurement)) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		for i := range r.Measurements {
			if r.Measurements[i].Name == name {
				change(&r.Measurements[i])
				return
			}
		}
		panic("no measurement " + name)
	}
}

func all(changes ...func(*contract.Result, *runner.Expectations)) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, e *runner.Expectations) {
		for _, change := range changes {
			change(r, e)
		}
	}
}

func withErrors(name string, n int64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		r.Errors = []contract.ErrorCount{{Name: name, Count: n}}
	}
}

func withTLS(accepts map[string]float64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, e *runner.Expectations) {
		e.TLSRequired = true
		r.Server = &contract.Server{Cipher: "TLS_AES_256_GCM_SHA384", TLSVersion: "TLSv1.3", StatusDelta: accepts}
	}
}

// another server answered after the window.
func another(r *contract.Result, _ *runner.Expectations) {
	r.Server = &contract.Server{
		Variables: map[string]string{"hostname": "a"}, VariablesChanged: map[string]string{"hostname": "b"}, StatusDelta: map[string]float64{"Uptime": -90_000},
	}
}

// onClient and onTarget set the counters of a side before and after 10 s.
func onClient(change func(before, after *contract.Usage)) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) { r.Client.Environment = used(change) }
}

func onTarget(change func(before, after *contract.Usage)) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) { e := used(change); r.Target = &e }
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func used(change func(before, after *contract.Usage)) contract.Environment {
	before, after := contract.Usage{At: noon}, contract.Usage{At: noon.Add(10 * time.Second)}
	change(&before, &after)
	return contract.Environment{Before: &before, After: &after}
}

// ofCPU lets the target use so many seconds of a limit of so many CPUs.
func ofCPU(seconds, limit float64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		r.Target.Limits.CPUs = &limit
		r.Target.Before.CPUSeconds, r.Target.After.CPUSeconds = new(0.0), &seconds
	}
}

// waited makes a container wait in some of 1000 periods.
func waited(times int64) func(before, after *contract.Usage) {
	return func(before, after *contract.Usage) {
		before.Periods, after.Periods = new(int64(500)), new(int64(1500))
		before.Throttled, after.Throttled = new(int64(40)), new(40+times)
		before.ThrottledSeconds, after.ThrottledSeconds = new(1.5), new(1.75)
	}
}

func waitedFor(key string, seconds float64) func(before, after *contract.Usage) {
	return func(before, after *contract.Usage) {
		before.Pressure, after.Pressure = map[string]float64{key: 3}, map[string]float64{key: 3 + seconds}
	}
}

func booted(at time.Time) func(*contract.Result, *runner.Expectations) {
	return all(onTarget(func(_, _ *contract.Usage) {}), func(r *contract.Result, _ *runner.Expectations) { r.Target.Machine.BootTime = &at })
}

func clockBy(seconds float64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) { r.Client.ClockStepSeconds = &seconds }
}

// stretched is a window of 1000 s, for checks that depend on its length.
func stretched(r *contract.Result, e *runner.Expectations) {
	for _, name := range []string{contract.NameThroughput, contract.NameQueries} {
		edit(name, func(m *contract.Measurement) { m.Value = new(float64(*m.N) / 1000); m.Intervals = nil })(r, e)
	}
	set(contract.NameTotalTime, 1000)(r, e)
	e.DurationSeconds, e.Threads, e.ReportIntervalSeconds = 1000, 0, 0
}

func atRate(rate float64) func(*contract.Result, *runner.Expectations) {
	return func(_ *contract.Result, e *runner.Expectations) { e.Rate, e.Threads = rate, 0 }
}

// atRandom draws the times of the operations.
func atRandom(rate float64) func(*contract.Result, *runner.Expectations) {
	return all(atRate(rate), func(_ *contract.Result, e *runner.Expectations) { e.RandomArrivals = true })
}

func withoutSeries(r *contract.Result, e *runner.Expectations) {
	edit(contract.NameThroughput, func(m *contract.Measurement) { m.Intervals = nil })(r, e)
	e.ReportIntervalSeconds = 0
}

// queued operations at the end of each second.
func queued(lengths ...float64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		m := contract.Measurement{Name: contract.NameQueueLength, Unit: "1"}
		for i, n := range lengths {
			m.Intervals = append(m.Intervals, contract.Interval{AtSeconds: float64(i + 1), Value: &n})
		}
		r.Measurements = append(r.Measurements, m)
	}
}

func asked(operations int64) func(*contract.Result, *runner.Expectations) {
	return func(_ *contract.Result, e *runner.Expectations) { e.Operations = operations }
}

func changedTo(variables ...string) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		r.Server = &contract.Server{VariablesChanged: map[string]string{}}
		for _, name := range variables {
			r.Server.VariablesChanged[name] = "1"
		}
	}
}

// clockBeside gives the target's clock an offset to the client's.
func clockBeside(seconds, uncertainty float64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		r.Client.Clock = &contract.ClockOffset{Reference: contract.ReferenceAgent, OffsetSeconds: seconds, UncertaintySeconds: uncertainty, Exchanges: 8}
	}
}

func zeroInterval(at int) func(*contract.Result, *runner.Expectations) {
	return edit(contract.NameThroughput, func(m *contract.Measurement) { m.Intervals[at].Value = new(float64) })
}

// gapOfTarget is a gap in the samples of a target of half a CPU.
func gapOfTarget(g contract.Gap) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		g.From = noon.Add(3 * time.Second)
		r.Target.Gap, r.Target.Limits.CPUs = &g, new(0.5)
	}
}

func slowInterval(at int, share float64) func(*contract.Result, *runner.Expectations) {
	return edit(contract.NameThroughput, func(m *contract.Measurement) { m.Intervals[at].Value = new(share * 1060) })
}

// fewer makes the intervals those of a slower server.
func fewer(by float64) func(*contract.Result, *runner.Expectations) {
	return edit(contract.NameThroughput, func(m *contract.Measurement) {
		for i := range m.Intervals {
			m.Intervals[i].Value = new(*m.Intervals[i].Value / by)
		}
	})
}

// doNothing makes the result one that sysbench prints when no transaction ended:
// all zeros.
func doNothing(r *contract.Result, _ *runner.Expectations) {
	for i := range r.Measurements {
		m := &r.Measurements[i]
		if m.N != nil {
			m.N = new(int64)
		}
		if m.Value != nil && m.Name != contract.NameTotalTime {
			m.Value = new(float64)
		}
		m.Histogram = nil
	}
}

func drop(r *contract.Result, name string) {
	kept := r.Measurements[:0]
	for _, m := range r.Measurements {
		if m.Name != name {
			kept = append(kept, m)
		}
	}
	r.Measurements = kept
}
