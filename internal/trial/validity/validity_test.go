package validity

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestUntouchedResultsHaveTheseFindings(t *testing.T) {
	tests := map[string]struct {
		file     string
		expected runner.Expectations
		want     []Finding
	}{
		"a sound run": {"run.json", expected, nil},
		"a run with many errors that were ignored": {
			"run-ignored-errors.json", runner.Expectations{DurationSeconds: 8, Threads: 4, QueriesPerOperation: 20, QuantileError: 0.0182},
			[]Finding{{"ignored-errors", Warning, "1292 errors were ignored, one per 12 operations: their transactions were begun again"}},
		},
		"a run that failed is no measurement":               {"run-failed.json", expected, nil},
		"loading data is no measurement":                    {"prepare.json", expected, nil},
		"nothing is expected of a tool nothing is known of": {"run.json", runner.Expectations{QuantileError: 0.0182}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Check(load(t, tc.file), tc.expected)); diff != "" {
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
			setN(contract.NameQueries, tc.queries)(&r, nil)
			if got := queriesPerOperation(r, expected) == ""; got != tc.want {
				t.Errorf("plausible = %v, want %v", got, tc.want)
			}
		})
	}
}

// What a trial did to itself is never a reason to leave it out, and numbers that contradict
// each other only by what a busy machine explains are none either.
func TestSeverity(t *testing.T) {
	tests := map[string]struct {
		change func(*contract.Result, *runner.Expectations)
		want   Severity
	}{
		"a client that is throttled always":              {onClient(waited(1000)), Warning},
		"a target that is throttled, with CPU left":      {all(onTarget(waited(900)), ofCPU(5, 1)), Warning},
		"a target that is as busy as its machine allows": {all(onTarget(waited(900)), ofCPU(9.6, 1)), Warning},
		"periods nobody counted":                         {onTarget(func(b, a *contract.Usage) { waited(500)(b, a); a.Periods = nil }), Warning},
		"a target that waits for its own memory":         {onTarget(waitedFor("memory.full", 5)), Warning},
		"a client that waits for its own memory":         {onClient(waitedFor("memory.full", 5)), Warning},
		"a client that is the bottleneck":                {func(_ *contract.Result, e *runner.Expectations) { e.Threads = 40 }, Warning},
		"more latency than there was time":               {func(_ *contract.Result, e *runner.Expectations) { e.Threads = 3 }, Invalid},
		"a server that stalled at the end":               {func(_ *contract.Result, e *runner.Expectations) { e.DurationSeconds = 5 }, Warning},
		"a window that is too short":                     {func(_ *contract.Result, e *runner.Expectations) { e.DurationSeconds = 20 }, Warning},
		"a rate that was computed 0.1 s late":            {set(contract.NameThroughput, 1052.5), Warning},
		"a rate of another window":                       {set(contract.NameThroughput, 1116), Invalid},
		"a stall of 1 s":                                 {zeroInterval(4), Warning},
		"points that the client skipped":                 {edit(contract.NameThroughput, func(m *contract.Measurement) { m.Intervals = m.Intervals[:7] }), Warning},
		"operations for which there was no time":         {asked(20000), Warning},
		"operations that nobody asked for":               {asked(5000), Invalid},
		"a clock that was set":                           {clockBy(1), Disturbed},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r, f := run(t), expected
			tc.change(&r, &f)
			if got := Check(r, f); len(got) != 1 || got[0].Severity != tc.want {
				t.Errorf("got %+v, want one finding that is %s", got, tc.want)
			}
		})
	}
}
