package database

import (
	"database/sql"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Which tables have no new statistics is said, whatever the reason.
func TestAnalyze(t *testing.T) {
	const lack = " no new statistics, so that plans of queries may differ between servers and runs: ANALYZE TABLE"
	tests := map[string]struct {
		answers fakeDriver
		most    time.Duration
		want    string
	}{
		"every table":              {fakeDriver{"ANALYZE TABLE `d`.`a`": {{"d.a", "analyze"}}, "ANALYZE TABLE `d`.`b`": {{"d.b", "analyze"}}}, time.Minute, ""},
		"a server without answers": {fakeDriver{"ANALYZE TABLE": nil}, time.Minute, ""},
		"the server refuses one":   {fakeDriver{"ANALYZE TABLE `d`.`a`": {{"d.a", "analyze"}}}, time.Minute, "1 of 2 tables (b) have" + lack + ": no such table"},
		"the time is over":         {fakeDriver{"ANALYZE TABLE": nil}, 0, "2 of 2 tables (a, b) have" + lack + " of all tables may take 0s together"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := newServer(sql.OpenDB(tc.answers), "d")
			if got := analyze(t.Context(), s, []contract.Table{{Name: "a"}, {Name: "b"}}, tc.most); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// MySQL and MariaDB answer with rows where they refuse.
func TestRefusal(t *testing.T) {
	columns := []string{"Table", "Op", "Msg_type", "Msg_text"}
	row := func(kind, text string) []*string { return []*string{new("d.a"), new("analyze"), &kind, &text} }
	tests := map[string]struct {
		columns []string
		rows    [][]*string
		want    string
	}{
		"it did":           {columns, [][]*string{row("status", "Engine-independent statistics collected"), row("status", "OK")}, ""},
		"it did not":       {columns, [][]*string{row("Error", "Table 'd.a' doesn't exist"), row("status", "Operation failed")}, "Table 'd.a' doesn't exist"},
		"another answer":   {[]string{"name", "value"}, [][]*string{{new("a"), new("Error")}}, ""},
		"nothing":          {nil, nil, ""},
		"a text of NULL":   {columns, [][]*string{{nil, nil, new("Error"), nil}}, ""},
		"in another case":  {[]string{"TABLE", "OP", "MSG_TYPE", "MSG_TEXT"}, [][]*string{row("error", "read only")}, "read only"},
		"only a warning":   {columns, [][]*string{row("Warning", "Engine-independent statistics are not collected for column 'c'"), row("status", "OK")}, ""},
		"nothing to do":    {columns, [][]*string{row("status", "Table is already up to date")}, ""},
		"a note, then not": {columns, [][]*string{row("note", "The storage engine for the table doesn't support analyze")}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := refusal(tc.columns, tc.rows); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
