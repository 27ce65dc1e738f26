package drivers

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

const atOnce = `{
	"drivers": [{"language": "Node", "name": "mysql2"}],
	"benchmarks": [
		{"operation": "Insert", "rows": [10], "concurrency": [1, 4]},
		{"operation": "Delete", "rows": [10], "concurrency": [4]},
		{"operation": "SelectByKey", "rows": [10], "measure": "Time", "sessions": ["Pool"], "concurrency": [1, 4]},
		{"operation": "Connect", "concurrency": [3]}
	],
	"baseline": {"concurrency": 1}
}`

// Of several operations at once each has rows of its own, what the server has to hold is that of all, and how many were under way
// stands beside the rate.
func TestConcurrency(t *testing.T) {
	got := parse(trial(atOnce), contract.PhaseRun, answered(t, trial(atOnce), nil))
	if got.Failure != nil {
		t.Fatalf("%+v", got.Failure)
	}
	find := func(name, operation, concurrency string) *contract.Measurement {
		for _, m := range got.Measurements {
			if m.Name == name && m.Labels[contract.LabelOperation] == operation && m.Labels[contract.LabelConcurrency] == concurrency {
				return &m
			}
		}
		return nil
	}
	for _, tc := range []struct {
		name, operation, concurrency string
		want                         float64 // NaN: it is not there
	}{
		{contract.NameThroughput, "Insert", "", 500},
		{contract.NameThroughput, "Insert", "4", 2000},
		{contract.NameSpeedUp, "Insert", "4", 4},
		{contract.NameThroughput, "Delete", "4", 2000},
		{contract.NameSpeedUp, "Delete", "4", math.NaN()},
		{contract.NameThroughput, "Connect", "3", 1500},
		{contract.NameLatencyAvg, "SelectByKey", "4", 2},
		{NameUnderWay, "SelectByKey", "4", 4},
		{NameUnderWay, "SelectByKey", "", math.NaN()},
		{NameUnderWay, "Connect", "3", 3},
	} {
		m := find(tc.name, tc.operation, tc.concurrency)
		switch {
		case m == nil:
			if !math.IsNaN(tc.want) {
				t.Errorf("no %s of %s with %q at once", tc.name, tc.operation, tc.concurrency)
			}
		case m.Absent != nil || !(math.Abs(*m.Value/tc.want-1) < 0.001):
			t.Errorf("%s of %s with %q at once: %+v, want %v", tc.name, tc.operation, tc.concurrency, m, tc.want)
		}
	}
}

// A harness that does another number of operations in a round, or fewer than at once in a time, has no number.
func TestConcurrencyIsThatOfTheRequest(t *testing.T) {
	for name, tc := range map[string]struct {
		operation string
		done      int64
		want      string
	}{
		"fewer in a round": {"Delete", 1, "4 operations were asked for, and 1 were done"},
		"more in a round":  {"Delete", 5, "4 operations were asked for, and 5 were done"},
		"fewer in a time":  {"Connect", 2, "3 operations were asked for, and 2 were done"},
	} {
		out := answered(t, trial(atOnce), func(c cell, a *answer, _ *runner.Exchange) {
			if c.operation.name == tc.operation {
				a.Operations, a.Histogram = tc.done, [][2]int64{{9, tc.done}}
			}
		})
		got := parse(trial(atOnce), contract.PhaseRun, out)
		m, _ := contract.Find(got.Measurements, contract.NameThroughput, map[string]string{contract.LabelOperation: tc.operation})
		if m.Absent == nil || !strings.Contains(m.Absent.Reason, tc.want) {
			t.Errorf("%s: %+v, want %q", name, m, tc.want)
		}
	}
}

// A run has rows for all its operations, and as many of them as there are connections.
func TestRequestsOfConcurrency(t *testing.T) {
	p, err := decode(json.RawMessage(atOnce))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range converse(p, trial(atOnce)).runs {
		var sent runRequest
		c := converse(p, trial(atOnce))
		if err := json.Unmarshal(c.turns[r.turn].Request, &sent); err != nil {
			t.Fatal(err)
		}
		if sent.Concurrency != r.cell.concurrency {
			t.Errorf("%s: %d at once are asked for", r.cell.name(), sent.Concurrency)
		}
		if r.cell.measure == measureRounds && sent.Operations != r.cell.concurrency {
			t.Errorf("%s: a round of %d operations", r.cell.name(), sent.Operations)
		}
		if r.cell.measure == measureRounds && r.cell.dataRows() != 10*r.cell.concurrency {
			t.Errorf("%s: %d rows for all", r.cell.name(), r.cell.dataRows())
		}
	}
}

// A driver keeps the connection of its login, which is one of its workers', and those of its pool at once; beside them are those of operations
// that open their own, twice, that of the agent, and two to spare.
func TestDemandOfConcurrency(t *testing.T) {
	const two = `"drivers": [{"language": "Node", "name": "mysql2"}, {"language": "Node", "name": "mariadb"}]`
	for name, tc := range map[string]struct {
		workload string
		want     int64
	}{
		"all kinds":                     {atOnce, 4 + 4 + 2*3 + 3},
		"workers and pools of both":     {`{` + two + `, "benchmarks": [{"operation": "SelectOne", "sessions": ["Dedicated", "Pool"], "concurrency": [1, 100]}]}`, 2*(100+100) + 3},
		"operations that open":          {`{` + two + `, "benchmarks": [{"operation": "SelectOne", "sessions": ["New"], "concurrency": [100]}, {"operation": "Connect", "concurrency": [1, 50]}]}`, 2 + 2*100 + 3},
		"one at a time":                 {`{` + two + `, "benchmarks": [{"operation": "SelectOne", "sessions": ["Dedicated", "Pool", "New"]}]}`, 2*(1+1) + 2 + 3},
		"the same driver, two pools":    {`{` + two + `, "benchmarks": [{"operation": "SelectOne", "sessions": ["Pool"], "concurrency": [4, 8]}]}`, 2*(1+8) + 3},
		"a pool that ends with its run": {`{"drivers": [{"language": "Python", "name": "PyMySQL"}, {"language": "Python", "name": "mariadb"}], "benchmarks": [{"operation": "SelectOne", "sessions": ["Dedicated", "Pool"], "concurrency": [1, 10]}]}`, 2*10 + 10 + 3},
		"a login that is no worker's":   {`{"drivers": [{"language": "Rust", "name": "sqlx"}], "benchmarks": [{"operation": "SelectOne", "sessions": ["Dedicated", "Pool"], "concurrency": [1, 10]}]}`, 1 + 10 + 10 + 3},
	} {
		p, err := decode(json.RawMessage(tc.workload))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.demand(contract.Trial{}).Connections; got != tc.want {
			t.Errorf("%s: %d connections, want %d", name, got, tc.want)
		}
		if n, cells := p.cellCount(), len(p.cells()); n != cells {
			t.Errorf("%s: %d combinations are counted, and %d made", name, n, cells)
		}
	}
}

// Lists of the longest that the schema allows are refused. They are counted before they are made, of which there would be millions.
func TestTooManyCombinations(t *testing.T) {
	var p Params
	for range 64 {
		p.Benchmarks = append(p.Benchmarks, v1alpha1.DriverBenchmark{
			Operation: "Insert", Rows: make([]int32, 8), Concurrency: make([]int32, 8),
			Schemes:      []v1alpha1.DriverScheme{singleRow, prepared, executeMany, pipelined, multiRow, multiStatement, batch},
			Transactions: []v1alpha1.DriverTransaction{autocommit, oneTransaction}, Sessions: []v1alpha1.DriverSession{dedicated, pooled, newSession},
		})
	}
	for i := range 32 {
		p.Drivers = append(p.Drivers, v1alpha1.Driver{Language: "Node", Name: "mysql2", As: fmt.Sprint(i)})
	}
	if err := p.validate(); err == nil || !strings.Contains(err.Error(), "5505024 combinations of driver and benchmark") {
		t.Errorf("got %v", err)
	}
}
