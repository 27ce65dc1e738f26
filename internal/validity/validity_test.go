package validity

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

// run is a real run of sysbench on MySQL 9.7: 10 s, 4 threads, oltp_read_write.
func run(t *testing.T) result.Result { return load(t, "run.json") }

func load(t *testing.T, name string) result.Result {
	t.Helper()
	data, err := os.ReadFile("../result/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var r result.Result
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

var facts = runner.Facts{
	DurationSeconds: 10, Threads: 4, QueriesPerOperation: 20, ReportIntervalSeconds: 1, QuantileError: 0.0182,
}

// set changes the value of a measurement; edit changes anything of it.
func set(name string, v float64) func(*result.Result, *runner.Facts) {
	return edit(name, func(m *result.Measurement) { m.Value = &v })
}

func setN(name string, n int64) func(*result.Result, *runner.Facts) {
	return edit(name, func(m *result.Measurement) { m.N = &n })
}

func edit(name string, change func(*result.Measurement)) func(*result.Result, *runner.Facts) {
	return func(r *result.Result, _ *runner.Facts) {
		for i := range r.Measurements {
			if r.Measurements[i].Name == name {
				change(&r.Measurements[i])
				return
			}
		}
		panic("no measurement " + name)
	}
}

func all(changes ...func(*result.Result, *runner.Facts)) func(*result.Result, *runner.Facts) {
	return func(r *result.Result, f *runner.Facts) {
		for _, change := range changes {
			change(r, f)
		}
	}
}

func withErrors(name string, n int64) func(*result.Result, *runner.Facts) {
	return func(r *result.Result, _ *runner.Facts) { r.Errors = []result.ErrorCount{{Name: name, Count: n}} }
}

func withTLS(accepts map[string]float64) func(*result.Result, *runner.Facts) {
	return func(r *result.Result, f *runner.Facts) {
		f.TLSRequired = true
		r.Server = &result.Server{StatusDelta: accepts}
	}
}

func throttled(n int64, seconds float64) func(*result.Result, *runner.Facts) {
	return func(r *result.Result, _ *runner.Facts) { r.Client.Throttled, r.Client.ThrottledSeconds = &n, &seconds }
}

func zeroInterval(at int) func(*result.Result, *runner.Facts) {
	return edit(result.NameThroughput, func(m *result.Measurement) { m.Intervals[at].Value = new(float64) })
}

// cases change a real result so that exactly one check has something to say, or
// so that it is close to having it; message is a part of what it says.
var cases = map[string]struct {
	change  func(*result.Result, *runner.Facts)
	check   string
	message string
}{
	"a throughput that is absent": {
		edit(result.NameThroughput, func(m *result.Measurement) { m.Value = nil }), "headline", "no throughput"},
	"a run that did nothing": {doNothing, "nothing-done", "not one operation"},
	"a throughput that is 1 % too high": {
		set(result.NameThroughput, 1073.5), "throughput", "throughput is 1073.5 tx/s, but 10636 in 10.0060 s are 1062.96 tx/s"},
	"a throughput of 0 with operations": {
		set(result.NameThroughput, 0), "throughput", "throughput is 0 tx/s, but 10636 were counted"},
	"a throughput that is 0.1 % beside the time": {set(result.NameThroughput, 1064), "", ""},
	"a query rate of another run": {
		set(result.NameQueries, 20000), "query-rate", "queries is 20000 queries/s, but 212720 in 10.0060 s"},
	"a query rate that is 0.1 % beside the time": {set(result.NameQueries, 21270), "", ""},
	"an event more than transactions": {
		set(result.NameEvents, 10637), "event-count", "10636 operations were counted, but 10637 events"},
	"no events counted": {edit(result.NameEvents, func(m *result.Measurement) { m.Value = nil }), "", ""},
	"a read that is not in the total": {
		set(result.NameQueryCount, 148905), "query-kinds", "add up to 212721, but 212720"},
	"no kinds of queries": {func(r *result.Result, _ *runner.Facts) { drop(r, result.NameQueryCount) }, "", ""},
	"queries of a workload without transactions": {
		func(_ *result.Result, f *runner.Facts) { f.QueriesPerOperation = 18 }, "queries-per-operation", "191448 to 191448 queries, but 212720"},
	"queries of a workload that is not known": {
		func(_ *result.Result, f *runner.Facts) { f.QueriesPerOperation = 0 }, "", ""},
	"an operation that is not in the histogram": {
		edit(result.NameLatencyAvg, func(m *result.Measurement) { m.Histogram.Buckets[0].Count-- }), "histogram", "holds 10635 operations, but 10636"},
	"no histogram": {edit(result.NameLatencyAvg, func(m *result.Measurement) { m.Histogram = nil }), "", ""},
	"a shortest latency above the longest": {
		set(result.NameLatencyMin, 200), "latency-order", "shortest latency is 200 ms, the longest 104.13 ms"},
	"a mean below the shortest": {
		set(result.NameLatencyMin, 3.77), "latency-order", "mean latency 3.76 ms is not between"},
	"a percentile above the longest": {
		set(result.NameLatencyPercentile, 107), "latency-order", "95% latency 107 ms is not between"},
	"a percentile below the shortest": {
		set(result.NameLatencyPercentile, 1.04), "latency-order", "95% latency 1.04 ms is not between"},
	"a percentile in the bucket of the longest": {set(result.NameLatencyPercentile, 104.84), "", ""},
	"a sum of latencies of another run": {
		set(result.NameLatencySum, 31980.96), "latency-sum", "10636 operations of 3.76 ms are 39991.36 ms, but the sum of latencies is 31980.96 ms"},
	"a sum within the rounding of the mean": {set(result.NameLatencySum, 40040), "", ""},
	"latencies that fill more than the time": {
		func(_ *result.Result, f *runner.Facts) { f.Threads = 3 }, "little", "fill 1.332 of the time of 3 threads"},
	"latencies that leave the client time to idle": {
		func(_ *result.Result, f *runner.Facts) { f.Threads = 5 }, "little", "fill only 0.799"},
	"a loop that is open": {func(_ *result.Result, f *runner.Facts) { f.Threads = 0 }, "", ""},
	"a window that is too short": {
		func(_ *result.Result, f *runner.Facts) { f.DurationSeconds = 11 }, "duration", "was 10.0060 s, but 11 s were asked for"},
	"a window that is too long": {
		func(_ *result.Result, f *runner.Facts) { f.DurationSeconds = 8 }, "duration", "was 10.0060 s, but 8 s"},
	"a window that is 1 s longer": {func(_ *result.Result, f *runner.Facts) { f.DurationSeconds = 9 }, "", ""},
	"two intervals that are missing": {
		edit(result.NameThroughput, func(m *result.Measurement) { m.Intervals = m.Intervals[:8] }), "intervals", "has 8 intervals of 1 s, but 10.0060 s have 10"},
	"the last interval that is missing": {
		edit(result.NameThroughput, func(m *result.Measurement) { m.Intervals = m.Intervals[:9] }), "", ""},
	"a server that completed no TLS handshake": {
		withTLS(map[string]float64{tlsAccepts: 0}), "tls", "completed 0 TLS handshakes"},
	"a server that completed those of other connections": {
		withTLS(map[string]float64{tlsAccepts: 3}), "tls", "completed 3 TLS handshakes (Ssl_finished_accepts) for 4 connections"},
	"a server that completed all TLS handshakes": {withTLS(map[string]float64{tlsAccepts: 5}), "", ""},
	"a server that does not count them":          {withTLS(nil), "", ""},
	"intervals without throughput": {
		all(zeroInterval(3), zeroInterval(4)), "stall", "2 of 10 intervals had no throughput, the first one at 4 s"},
	"an interval of which nothing is known": {
		edit(result.NameThroughput, func(m *result.Measurement) { m.Intervals[3].Value = nil }), "", ""},
	"a percentile of too few operations": {
		edit(result.NameLatencyPercentile, func(m *result.Measurement) { m.Labels = map[string]string{"p": "99.95"} }),
		"percentile-sample", "only 5.3 of 10636 operations lie beyond the 99.95% latency"},
	"the longest latency as a percentile": {
		edit(result.NameLatencyPercentile, func(m *result.Measurement) { m.Labels = map[string]string{"p": "100"} }), "", ""},
	"errors that were ignored": {
		withErrors(result.ErrorIgnored, 2), "ignored-errors", "2 errors were ignored, one per 5318 operations"},
	"connections that were lost": {
		withErrors(result.ErrorReconnects, 1), "reconnects", "1 connections were lost and made again, one per 10636"},
	"a client that was throttled": {
		throttled(12, 0.25), "client-throttled", "throttled 12 times for 0.250 s in all"},
	"a client that was not throttled": {throttled(0, 0), "", ""},
	"a line that was not understood": {
		func(r *result.Result, _ *runner.Facts) {
			r.Problems = []result.Problem{{Source: "run/stdout", Line: 12, Text: "WARNING: something new"}}
		}, "problems", "1 lines of output were not understood, the first one in run/stdout, line 12: WARNING: something new"},
}

func TestCheck(t *testing.T) {
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r, f := run(t), facts
			tc.change(&r, &f)
			got := Check(r, f)
			if tc.check == "" {
				if len(got) > 0 {
					t.Errorf("got %+v, want no finding", got)
				}
				return
			}
			if len(got) != 1 || got[0].Check != tc.check || !strings.Contains(got[0].Message, tc.message) {
				t.Errorf("got %+v, want one of %s with %q", got, tc.check, tc.message)
			}
		})
	}
}

func TestEveryCheckHasACase(t *testing.T) {
	tested := map[string]bool{}
	for _, tc := range cases {
		tested[tc.check] = true
	}
	names := map[string]bool{}
	for _, c := range checks {
		if !tested[c.name] {
			t.Errorf("no case makes %s speak", c.name)
		}
		if names[c.name] || c.severity != Invalid && c.severity != Warning {
			t.Errorf("%s: a name twice, or no severity", c.name)
		}
		names[c.name] = true
	}
}

func TestUntouchedResultsHaveTheseFindings(t *testing.T) {
	tests := map[string]struct {
		file  string
		facts runner.Facts
		want  []Finding
	}{
		"a sound run": {"run.json", facts, nil},
		"a run with many errors that were ignored": {
			"run-ignored-errors.json", runner.Facts{DurationSeconds: 8, Threads: 4, QueriesPerOperation: 20, QuantileError: 0.0182},
			[]Finding{{"ignored-errors", Warning, "1292 errors were ignored, one per 12 operations: their transactions were begun again"}},
		},
		"a run that failed is no measurement":               {"run-failed.json", facts, nil},
		"loading data is no measurement":                    {"prepare.json", facts, nil},
		"nothing is expected of a tool nothing is known of": {"run.json", runner.Facts{QuantileError: 0.0182}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Check(load(t, tc.file), tc.facts)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// Ignored errors repeat transactions, so they explain more queries, up to a point
// and never fewer.
func TestIgnoredErrorsExplainMoreQueries(t *testing.T) {
	tests := map[string]struct {
		queries int64
		want    bool
	}{
		"one query fewer":                         {305079, false},
		"no query more":                           {305080, true},
		"every repeated transaction as a whole":   {305080 + 1292*20, true},
		"more than all transactions could repeat": {305080 + 1292*20 + 1, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := load(t, "run-ignored-errors.json")
			setN(result.NameQueries, tc.queries)(&r, nil)
			if got := queriesPerOperation(r, facts) == ""; got != tc.want {
				t.Errorf("plausible = %v, want %v", got, tc.want)
			}
		})
	}
}

func TestIsValid(t *testing.T) {
	tests := map[string]struct {
		findings []Finding
		want     bool
	}{
		"no finding":          {nil, true},
		"a warning":           {[]Finding{{Severity: Warning}}, true},
		"a warning and worse": {[]Finding{{Severity: Warning}, {Severity: Invalid}}, false},
	}
	for name, tc := range tests {
		if got := IsValid(tc.findings); got != tc.want {
			t.Errorf("%s: got %v, want %v", name, got, tc.want)
		}
	}
}

// doNothing makes the result one that sysbench prints when no transaction ended:
// all zeros.
func doNothing(r *result.Result, _ *runner.Facts) {
	for i := range r.Measurements {
		m := &r.Measurements[i]
		if m.N != nil {
			m.N = new(int64)
		}
		if m.Value != nil && m.Name != result.NameTotalTime {
			m.Value = new(float64)
		}
		m.Histogram = nil
	}
}

func drop(r *result.Result, name string) {
	kept := r.Measurements[:0]
	for _, m := range r.Measurements {
		if m.Name != name {
			kept = append(kept, m)
		}
	}
	r.Measurements = kept
}
