package database

import (
	"database/sql"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recorded are the rows of a result that Dolt 2.2 gave.
func recorded(t *testing.T, name string) (rows [][2]string) {
	t.Helper()
	text, err := os.ReadFile("../../../engines/dolt/testdata/" + name + ".tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		variable, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		rows = append(rows, [2]string{variable, value})
	}
	return rows
}

// What Dolt shows of MySQL without meaning it is dropped: a buffer pool, counters that stay 0.
func TestWhatAServerOnlyShowsIsAbsent(t *testing.T) {
	server := func(comment string) *Server {
		return newServer(sql.OpenDB(fakeDriver{
			"SELECT VERSION()": {{"8.0.31", comment}}, "SHOW GLOBAL VARIABLES": recorded(t, "variables"),
			"SHOW GLOBAL STATUS": recorded(t, "status"), "SHOW SESSION STATUS": {{"Ssl_cipher", ""}},
		}), "")
	}
	dolt := server("Dolt")
	status, err := dolt.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Aborted_connects", "Com_delete", "Com_insert", "Com_select", "Com_update", "Connections", "Max_used_connections", "Questions",
		"Slow_queries", "Threads_connected", "Threads_running",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(status))); diff != "" {
		t.Errorf("counters (-want +got):\n%s", diff)
	}
	variables, err := dolt.Variables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, there := range map[string]bool{
		"dolt_transaction_commit": true, "autocommit": true, "version_comment": true,
		"innodb_buffer_pool_size": false, "max_connections": false, "sql_mode": false, "default_storage_engine": false, "transaction_isolation": false, "max_prepared_stmt_count": false,
	} {
		if _, has := variables[name]; has != there {
			t.Errorf("%s: %v, want %v", name, has, there)
		}
	}
	// Nothing is known of a server that is not known, so that nothing is dropped.
	if all, err := server("Another").Status(t.Context()); err != nil || len(all) != len(recorded(t, "status")) {
		t.Errorf("%d counters of another server, %v", len(all), err)
	}
}
