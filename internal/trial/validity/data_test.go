package validity

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// holding is the result of loading a target of the name.
func holding(target, version string, tables ...contract.Table) contract.Result {
	return contract.Result{
		State: contract.Succeeded, Trial: contract.TrialRef{Phase: "Prepare", Target: target},
		Server: &contract.Server{Version: version, VersionComment: "(Debian)"}, Data: &contract.Data{Tables: tables},
	}
}

func table(name string, rows, checksum int64) contract.Table {
	return contract.Table{Name: name, Rows: rows, Checksum: &checksum}
}

func TestCompareData(t *testing.T) {
	const mysql, mariadb = "9.7.4", "10.11.19-MariaDB"
	first := holding("a", mysql, table("t1", 10, 1), table("t2", 10, 2))
	tests := map[string]struct {
		second    contract.Result
		sameBytes bool
		want      string
	}{
		"the same":              {holding("b", mysql, table("t1", 10, 1), table("t2", 10, 2)), true, ""},
		"names in another case": {holding("b", mysql, table("T1", 10, 1), table("T2", 10, 2)), true, ""},
		"another number of rows, whatever is random": {holding("b", mariadb, table("t1", 10, 1), table("t2", 9, 2)), false, "target a holds: table t2 has 9 rows instead of 10: their numbers"},
		"another checksum":                           {holding("b", mysql, table("t1", 10, 1), table("t2", 10, 3)), true, "table t2 has the checksum 3 instead of 2"},
		"another checksum of random data":            {holding("b", mysql, table("t1", 10, 1), table("t2", 10, 3)), false, ""},
		"another checksum of another version":        {holding("b", mariadb, table("t1", 10, 1), table("t2", 10, 3)), true, ""},
		"no checksum":                                {holding("b", mysql, table("t1", 10, 1), contract.Table{Name: "t2", Rows: 10}), true, ""},
		"a table that is missing":                    {holding("b", mysql, table("t1", 10, 1)), true, "table t2 (10 rows) is not there"},
		"a table too many":                           {holding("b", mysql, table("t1", 10, 1), table("t2", 10, 2), table("t3", 0, 0)), true, "table t3 (0 rows) is there only"},
		"a target that says nothing of its data":     {contract.Result{}, true, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := CompareData(first, tc.second, tc.sameBytes)
			if tc.want == "" && len(got) > 0 {
				t.Errorf("got %+v, want no finding", got)
			}
			if tc.want != "" && (len(got) != 1 || got[0].Check != "same-data" || got[0].Severity != Warning || !strings.Contains(got[0].Message, tc.want)) {
				t.Errorf("got %+v, want %q", got, tc.want)
			}
		})
	}
	var many []contract.Table
	for range 9 {
		many = append(many, table("x", 1, 1))
	}
	if got := CompareData(holding("a", mysql, many...), holding("b", mysql), false); !strings.Contains(got[0].Message, "and 4 more") {
		t.Errorf("got %q", got[0].Message)
	}
}

func TestCheckDrift(t *testing.T) {
	began := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	counted := func(started time.Time, inserted, deleted int64) *contract.CountedRows {
		return &contract.CountedRows{Started: started, Inserted: inserted, Updated: 5, Deleted: deleted}
	}
	tests := map[string]struct {
		then, now *contract.CountedRows
		want      string
	}{
		"nothing was written":                          {counted(began, 1000, 0), counted(began, 1000, 0), ""},
		"as many rows came as went":                    {counted(began, 1000, 0), counted(began.Add(2*time.Second), 9000, 8000), ""},
		"a tenth more":                                 {counted(began, 1000, 0), counted(began, 1100, 0), ""},
		"more than a tenth more":                       {counted(began, 1000, 0), counted(began, 1101, 0), "the trial began with +10 % rows beside the 1000 of before: 101 were inserted and 0 deleted since"},
		"half of the rows are gone":                    {counted(began, 1000, 0), counted(began, 1000, 500), "-50 %"},
		"the server was started in between":            {counted(began, 1000, 0), counted(began.Add(2*time.Minute), 5000, 0), ""},
		"the server was started just after":            {counted(began, 1000, 0), counted(began.Add(50*time.Second), 10, 0), ""},
		"a server that counts no rows":                 {nil, nil, ""},
		"a server that counted none when it was asked": {counted(began, 1000, 0), nil, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			loaded, trial := holding("a", "9.7.4", table("t", 1000, 1)), holding("a", "9.7.4")
			loaded.Server.Rows, trial.Server.Rows = tc.then, tc.now
			got := CheckDrift(loaded, trial, false)
			if tc.want == "" && len(got) > 0 {
				t.Errorf("got %+v, want no finding", got)
			}
			if tc.want != "" && (len(got) != 1 || got[0].Check != "data-drift" || got[0].Severity != Warning || !strings.Contains(got[0].Message, tc.want)) {
				t.Errorf("got %+v, want %q", got, tc.want)
			}
		})
	}
	if got := CheckDrift(contract.Result{}, contract.Result{}, false); got != nil {
		t.Errorf("of nothing: %+v", got)
	}
	empty := holding("a", "9.7.4", table("t", 0, 0))
	empty.Server.Rows = counted(began, 0, 0)
	full := holding("a", "9.7.4")
	full.Server.Rows = counted(began, 100, 0)
	if got := CheckDrift(empty, full, false); got != nil {
		t.Errorf("of tables that are empty by design: %+v", got)
	}
}

// Loading says which tables have no checksum, beside what it says of durability.
func TestLoadingWithoutChecksums(t *testing.T) {
	r := holding("a", "9.7.4", table("t", 10, 1))
	r.Problems = []contract.Problem{{Source: contract.SourceChecksum, Text: "1 of 1 tables (t) have no checksum: too large"}}
	got := CheckLoad(r)
	if len(got) != 1 || got[0].Check != "checksum" || got[0].Severity != Warning || !strings.Contains(got[0].Message, "number of rows alone: 1 of 1") {
		t.Errorf("got %+v, want the table without a checksum", got)
	}
	r.Problems = nil
	if got := CheckLoad(r); got != nil {
		t.Errorf("got %+v, want nothing", got)
	}
}

// A load whose archive could not be made serves the run, and says so.
func TestLoadingWithoutItsArchive(t *testing.T) {
	r := holding("a", "9.7.4", table("t", 10, 1))
	r.Data.DataSet = &contract.DataSetReport{DataSetRef: contract.DataSetRef{Name: "sbtest"}, NotKept: "i/o timeout"}
	got := CheckLoad(r)
	if len(got) != 1 || got[0].Check != "data-set-not-kept" || got[0].Severity != Warning || !strings.Contains(got[0].Message, "of the data set sbtest could be made of it: i/o timeout") {
		t.Errorf("got %+v, want the archive that was not made", got)
	}
}

func TestDataInconsistent(t *testing.T) {
	r := run(t)
	r.Data = &contract.Data{Check: &contract.DataCheck{Rules: 11}}
	if got := Check(r, expected); len(got) > 0 {
		t.Errorf("data that keeps the rules of its tool: %+v", got)
	}
	r.Data.Check.Violations = []string{"a", "b", "c", "d", "e", "f", "g"}
	got := Check(r, expected)
	want := Finding{"data-inconsistent", Invalid, "after the measured window the tool's own check of the data found rules that it breaks (11 checked): a; b; c; d; e; and 2 more"}
	if len(got) != 1 || got[0] != want {
		t.Errorf("data that breaks them: %+v, want %+v", got, want)
	}
}
