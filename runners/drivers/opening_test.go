package drivers

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// A harness warms up in the process that measures, by rounds or for a time, unless the design
// says that there is no warm-up.
func TestWarmsUp(t *testing.T) {
	const rounds, timed = `{"operation": "Insert"}`, `{"operation": "SelectOne"}`
	tests := map[string]struct {
		benchmarks string
		design     *contract.Measuring
		want       bool
	}{
		"rounds":                       {rounds, &contract.Measuring{WarmupRounds: 2, Rounds: 1, DurationSeconds: 1}, true},
		"a time":                       {timed, &contract.Measuring{WarmupSeconds: 1, Rounds: 1, DurationSeconds: 1}, true},
		"one of two":                   {rounds + "," + timed, &contract.Measuring{WarmupSeconds: 1, Rounds: 1, DurationSeconds: 1}, true},
		"rounds, and a time for none":  {rounds, &contract.Measuring{WarmupSeconds: 1, Rounds: 1, DurationSeconds: 1}, false},
		"neither":                      {rounds + "," + timed, &contract.Measuring{Rounds: 1, DurationSeconds: 1}, false},
		"a trial that does not say it": {timed, nil, false},
	}
	for name, tc := range tests {
		tr := trial(`{"drivers": [{"language": "Go", "name": "go-sql-driver"}], "benchmarks": [` + tc.benchmarks + `]}`)
		tr.Measurement = tc.design
		if got := opening(tr); got.WarmsUp != tc.want {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	if o := opening(contract.Trial{}); o != (runner.Opening{}) {
		t.Errorf("a workload that cannot be read opens with %+v", o)
	}
}

// A trial lasts as long as its windows at least, and how long at most follows from what it does.
func TestLength(t *testing.T) {
	const one, rows = `{"operation": "SelectOne"}`, `{"operation": "Insert", "rows": [1000]}`
	design := contract.Measuring{WarmupSeconds: 0.5, DurationSeconds: 2, WarmupRounds: 1, Rounds: 3}
	tests := map[string]struct {
		workload string
		design   contract.Measuring
		want     runner.Length
	}{
		"for a time": {one, design, runner.Length{Least: 2500 * time.Millisecond, Most: time.Minute + 2500*time.Millisecond + 2*10005*time.Millisecond}},
		"without a warm-up": {one, contract.Measuring{DurationSeconds: 2, Rounds: 1},
			runner.Length{Least: 2 * time.Second, Most: time.Minute + 2*time.Second + 10005*time.Millisecond}},
		"by rounds":           {rows, design, runner.Length{Most: time.Minute + 4*15*time.Second}},
		"several at once":     {strings.Replace(rows, "[1000]", "[250], \"concurrency\": [4]", 1), design, runner.Length{Most: time.Minute + 4*(15*time.Second+3*perOpen)}},
		"over a delayed line": {rows + `], "delay": "1ms", "drivers": [{"language": "Go", "name": "go-sql-driver"}`, design, runner.Length{Most: time.Minute + 4*17*time.Second}},
		"both": {strings.Replace(rows, "[1000]", "[250], \"concurrency\": [4]", 1) + `], "delay": "1ms", "drivers": [{"language": "Go", "name": "go-sql-driver"}`, design,
			runner.Length{Most: time.Minute + 4*(17*time.Second+3*(perOpen+runner.ConnectTrips*time.Millisecond))}},
	}
	for name, tc := range tests {
		tr := trial(`{"drivers": [{"language": "Go", "name": "go-sql-driver"}], "benchmarks": [` + tc.workload + `]}`)
		tr.Measurement = &tc.design
		if got, err := length(tr); err != nil || got != tc.want {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, tc.want)
		}
	}
}
