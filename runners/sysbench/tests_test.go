package sysbench

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// statements are those of an event, and the prepared ones of a connection.
type statements struct{ Event, Prepared int64 }

// The arithmetic of the limits: 3000 threads of oltp_read_write on 10 tables need
// 276,000 prepared statements, where a server allows 16,382 by default.
func TestStatementsOfTheBundledTests(t *testing.T) {
	tests := map[string]struct {
		test    string
		skipTrx bool
		mode    string
		options map[string]string
		want    statements
	}{
		"read write":                         {TestReadWrite, false, "auto", nil, statements{20, 92}},
		"read write without transactions":    {TestReadWrite, true, "auto", nil, statements{18, 90}},
		"read only":                          {TestReadOnly, false, "auto", nil, statements{16, 52}},
		"read only without transactions":     {TestReadOnly, true, "auto", nil, statements{14, 50}},
		"write only":                         {TestWriteOnly, false, "auto", nil, statements{6, 42}},
		"write only without transactions":    {TestWriteOnly, true, "auto", nil, statements{4, 40}},
		"a point select has no transaction":  {TestPointSelect, false, "auto", nil, statements{1, 10}},
		"a point select, and none asked for": {TestPointSelect, true, "auto", nil, statements{1, 10}},
		"insert, which prepares nothing":     {TestInsert, false, "auto", nil, statements{1, 0}},
		"delete":                             {TestDelete, false, "auto", nil, statements{1, 10}},
		"update index":                       {TestUpdateIndex, false, "auto", nil, statements{1, 10}},
		"update non index":                   {TestUpdateNonIndex, false, "auto", nil, statements{1, 10}},
		"bulk insert, of unknown length":     {TestBulkInsert, false, "auto", nil, statements{0, 0}},
		"nothing is prepared without":        {TestReadWrite, false, "disable", nil, statements{20, 0}},
		"no ranges": {TestReadWrite, false, "auto",
			map[string]string{"range_selects": "off"}, statements{16, 52}},
		"no ranges, of read only": {TestReadOnly, true, "auto",
			map[string]string{"range-selects": "0"}, statements{10, 10}},
		"ranges of no kind are prepared all the same": {TestReadOnly, false, "auto",
			map[string]string{"simple-ranges": "0", "sum_ranges": "0", "order-ranges": "0", "distinct-ranges": "0"}, statements{12, 52}},
		"other numbers": {TestReadWrite, false, "auto", map[string]string{
			"point-selects": "3", "simple-ranges": "2", "sum-ranges": "3", "order-ranges": "4", "distinct-ranges": "5",
			"index-updates": "6", "non-index-updates": "7", "delete-inserts": "8",
		}, statements{3 + 2 + 3 + 4 + 5 + 6 + 7 + 2*8 + 2, 92}},
		"the ranges do not count when they are off": {TestReadWrite, false, "auto", map[string]string{
			"simple-ranges": "20", "range-selects": "false",
		}, statements{16, 52}},
		"options of other statements do not count": {TestWriteOnly, false, "auto",
			map[string]string{"point-selects": "100"}, statements{6, 42}},
		"a point select is one, whatever was asked for": {TestPointSelect, false, "auto",
			map[string]string{"point-selects": "100"}, statements{1, 10}},
		"several updates": {TestUpdateIndex, false, "auto",
			map[string]string{"index-updates": "5"}, statements{5, 10}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := Params{Test: tc.test, SkipTrx: tc.skipTrx, DBPSMode: tc.mode, Options: tc.options, Tables: 10}
			got := statements{p.queriesPerEvent(), p.preparedPerConnection()}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("statements (-want +got):\n%s", diff)
			}
		})
	}
	for _, test := range []string{TestRandomPoints, TestRandomRanges} {
		p := Params{Test: test, Tables: 1, DBPSMode: "auto"}
		if diff := cmp.Diff(statements{1, 1}, statements{p.queriesPerEvent(), p.preparedPerConnection()}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test, diff)
		}
	}
}

func TestDemand(t *testing.T) {
	tests := map[string]struct {
		workload json.RawMessage
		want     contract.Demand
	}{
		"3000 threads of oltp_read_write": {edit(workload, `"threads":64`, `"threads":3000`),
			contract.Demand{Connections: 3000, PreparedStatements: 276_000, Tables: 10}},
		"without prepared statements": {withField("dbPsMode", `"disable"`), contract.Demand{Connections: 64, Tables: 10}},
		"a table per thread":          {edit(workload, TestReadWrite, TestBulkInsert), contract.Demand{Connections: 64, Tables: 64}},
		"a script says itself":        {json.RawMessage(aScript), contract.Demand{Connections: 8, PreparedStatements: 56}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			trial := aTrial()
			trial.Workload = tc.workload
			got, err := Runner().Connection.Demand(trial)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("demand (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := Runner().Connection.Demand(contract.Trial{}); err == nil {
		t.Error("demand of a trial without a workload: want an error")
	}
}

func TestRows(t *testing.T) {
	few := edit(workload, `"tables":10`, `"tables":2`)
	tests := map[string]struct {
		workload json.RawMessage
		want     map[string]int64
	}{
		"of the OLTP tests":           {few, map[string]int64{"sbtest1": 1000000, "sbtest2": 1000000}},
		"another test loads the same": {edit(string(few), TestReadWrite, TestDelete), map[string]int64{"sbtest1": 1000000, "sbtest2": 1000000}},
		"none, in a table per thread": {edit(edited(few, `"threads":64`, `"threads":3`), TestReadWrite, TestBulkInsert),
			map[string]int64{"sbtest1": 0, "sbtest2": 0, "sbtest3": 0}},
		"of a script nothing is known": {json.RawMessage(aScript), nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			trial := aTrial()
			trial.Workload, trial.Clients = tc.workload, 1
			got, err := Runner().Data.Rows(trial)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := Runner().Data.Rows(contract.Trial{}); err == nil {
		t.Error("rows of a trial without a workload: want an error")
	}
}

// A script does what it has, and loads once; a bundled test has every phase.
func TestSkips(t *testing.T) {
	onlyRun := edit(aScript, `"Prepare","Cleanup"`, ``)
	loads := edit(aScript, `"Prepare","Cleanup"`, `"Prepare"`)
	tests := []struct {
		name     string
		workload json.RawMessage
		client   int
		want     []contract.Phase
	}{
		{"a bundled test", json.RawMessage(workload), 3, nil},
		{"a script with all phases", json.RawMessage(aScript), 0, nil},
		{"the second client of it", json.RawMessage(aScript), 1, []contract.Phase{contract.PhasePrepare}},
		{"a script that only loads and runs", loads, 0, []contract.Phase{contract.PhaseCleanup}},
		{"a script that only runs", onlyRun, 0, []contract.Phase{contract.PhasePrepare, contract.PhaseCleanup}},
		{"what cannot be read is refused elsewhere", json.RawMessage(`{}`), 0, nil},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			trial := aTrial()
			trial.Workload, trial.Ref.Client, trial.Clients = tc.workload, tc.client, 4
			var got []contract.Phase
			for _, phase := range []contract.Phase{contract.PhasePrepare, contract.PhaseWarmup, contract.PhaseRun, contract.PhaseCleanup} {
				if skips(trial, phase) {
					got = append(got, phase)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("phases without a command (-want +got):\n%s", diff)
			}
		})
	}
}

func edited(text json.RawMessage, old, new string) string {
	return string(edit(string(text), old, new))
}
