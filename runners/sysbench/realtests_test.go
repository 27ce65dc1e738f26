package sysbench

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/trial/validity"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// realCase is a workload, and how it differs from the usual one.
type realCase struct {
	test   string
	change func(*Params)
}

// Every bundled test, with options that change its statements: load, warm-up, run and
// cleanup go well, the numbers of statements and of prepared statements are those that
// the adapter foretells, and the tables have the rows.
func TestRealTests(t *testing.T) {
	s := startServer(t)
	cases := map[string]realCase{
		"without transactions":        {TestReadOnly, func(p *Params) { p.SkipTrx = true }},
		"without prepared statements": {TestReadWrite, func(p *Params) { p.DBPSMode = psDisable }},
		"with other numbers": {TestReadWrite, func(p *Params) {
			p.Options = map[string]string{"point-selects": "3", "sum_ranges": "0", "order-ranges": "2", "delete_inserts": "4", "index-updates": "2"}
		}},
		"without ranges":       {TestReadWrite, func(p *Params) { p.Options = map[string]string{"range-selects": "off"} }},
		"with several updates": {TestUpdateNonIndex, func(p *Params) { p.Options = map[string]string{"non-index-updates": "3"} }},
		"with other tables": {TestDelete, func(p *Params) {
			p.Options = map[string]string{"auto_inc": "off", "create-secondary": "off", "secondary": "on"}
		}},
		"with wider ranges":           {TestRandomRanges, func(p *Params) { p.Options = map[string]string{"delta": "9", "number-of-ranges": "3"} }},
		"with a distribution of keys": {TestPointSelect, func(p *Params) { p.RandType, p.Options = "pareto", map[string]string{"mysql-compression": "on"} }},
	}
	for test := range bundled {
		cases[test] = realCase{test, func(*Params) {}}
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) { s.goesWell(t, cases[name]) })
	}
}

func (s realServer) goesWell(t *testing.T, c realCase) {
	must(t, s.client("DROP DATABASE IF EXISTS sbtest; CREATE DATABASE sbtest"))
	f := measured(c.test, false)
	f.params.Tables, f.params.Threads, f.params.TableSize = 3, 2, 500
	if bundled[c.test].oneTable {
		f.params.Tables = 1
	}
	c.change(&f.params)
	trial := f.trial(t)
	trial.Clients, trial.WarmupSeconds, trial.DurationSeconds = 1, 1, 3
	trial.Endpoint.Host, trial.Endpoint.Port = "127.0.0.1", int32(s.port)

	did(t, trial, contract.PhasePrepare)
	want, err := Runner().Data.Rows(trial)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, s.rows(t)); diff != "" {
		t.Errorf("rows of the tables (-want +got):\n%s", diff)
	}
	did(t, trial, contract.PhaseWarmup)
	stop := s.watch(t)
	before := s.status(t)
	report, text := did(t, trial, contract.PhaseRun)
	server := &contract.Server{Version: "10.11-MariaDB", StatusDelta: map[string]float64{}}
	for name, n := range s.status(t) {
		server.StatusDelta[name] = n - before[name]
	}
	asked, err := Runner().Connection.Demand(trial)
	if err != nil {
		t.Fatal(err)
	}
	if most := stop(); most != asked.PreparedStatements {
		t.Errorf("%d prepared statements were open, want %d", most, asked.PreparedStatements)
	}
	expected, err := Runner().Expectations(trial)
	if err != nil {
		t.Fatal(err)
	}
	made := asResult(f, report)
	made.Server = server
	// 500 rows are soon gone, and nothing else may be said of the rows that changed.
	dry := c.test == TestDelete
	for _, finding := range validity.Check(made, expected) {
		if noOp := finding.Check == "no-op-writes"; noOp && dry {
			dry = false
		} else if noOp || finding.Severity == validity.Invalid && finding.Check != "data-ran-dry" {
			t.Errorf("%+v; it said:\n%s", finding, text)
		}
	}
	if dry {
		t.Errorf("nobody noticed that the rows were gone; it said:\n%s", text)
	}
	queries, _ := contract.Find(report.Measurements, contract.NameQueries, nil)
	events, _ := contract.Find(report.Measurements, contract.NameThroughput, nil)
	if per := int64(expected.QueriesPerOperation); per > 0 && *queries.N != per**events.N && len(report.Errors) == 0 {
		t.Errorf("%d statements of %d events, want %d of each", *queries.N, *events.N, per)
	}
	did(t, trial, contract.PhaseCleanup)
	if left := s.rows(t); len(left) > 0 {
		t.Errorf("tables are left: %v", left)
	}
}

// rows of the tables, by name.
func (s realServer) rows(t *testing.T) map[string]int64 {
	t.Helper()
	counts := map[string]int64{}
	for _, table := range strings.Fields(must(t, s.client("SELECT table_name FROM information_schema.tables WHERE table_schema = 'sbtest'"))) {
		n, err := strconv.ParseInt(strings.TrimSpace(must(t, s.client(fmt.Sprintf("SELECT COUNT(*) FROM sbtest.%s", table)))), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		counts[table] = n
	}
	return counts
}

// status are the numbers among the global status variables.
func (s realServer) status(t *testing.T) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for line := range strings.Lines(must(t, s.client("SHOW GLOBAL STATUS"))) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			all[name] = n
		}
	}
	return all
}

// watch looks at the number of open prepared statements until it is stopped, and then
// gives the largest.
func (s realServer) watch(t *testing.T) func() int64 {
	t.Helper()
	done, most := make(chan struct{}), make(chan int64)
	go func() {
		var largest int64
		for {
			out, err := s.client("SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'").Output()
			fields := strings.Fields(string(out))
			if err != nil || len(fields) != 2 {
				t.Errorf("asking for Prepared_stmt_count: %v: %s", err, out)
			} else if n, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
				largest = max(largest, n)
			}
			select {
			case <-done:
				most <- largest
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
	return func() int64 { close(done); return <-most }
}
