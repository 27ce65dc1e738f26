package client

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/contract"
)

func TestCountRows(t *testing.T) {
	mysql := map[string]string{"Uptime": "100", "Innodb_rows_inserted": "7", "Innodb_rows_updated": "8", "Innodb_rows_deleted": "9", "Handler_write": "99"}
	tests := map[string]struct {
		version, engine, variable string
		status                    map[string]string
		want                      *contract.CountedRows
	}{
		"MySQL":                          {"9.7.4", "InnoDB", "", mysql, &contract.CountedRows{Inserted: 7, Updated: 8, Deleted: 9}},
		"the server's own engine":        {"9.7.4", "", "InnoDB", mysql, &contract.CountedRows{Inserted: 7, Updated: 8, Deleted: 9}},
		"an engine that counts nothing":  {"9.7.4", "MyISAM", "InnoDB", mysql, nil},
		"MyRocks, in lower case":         {"8.4.6-6", "ROCKSDB", "", map[string]string{"Uptime": "100", "rocksdb_rows_inserted": "1", "rocksdb_rows_updated": "2", "rocksdb_rows_deleted": "3"}, &contract.CountedRows{Inserted: 1, Updated: 2, Deleted: 3}},
		"a server without the counters":  {"10.11.19-MariaDB", "InnoDB", "", mysql, nil},
		"a server without an uptime":     {"9.7.4", "InnoDB", "", map[string]string{"Innodb_rows_inserted": "7", "Innodb_rows_updated": "8", "Innodb_rows_deleted": "9"}, nil},
		"TiDB, whatever it pretends":     {"8.0.11-TiDB-v8.5.3", "InnoDB", "", mysql, nil},
		"a counter that is not a number": {"9.7.4", "InnoDB", "", map[string]string{"Uptime": "1", "Innodb_rows_inserted": "x"}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			facts := serverFacts{server: &contract.Server{Version: tc.version, Variables: map[string]string{"default_storage_engine": tc.variable}}}
			got := countRows(facts, tc.engine, tc.status)
			if got != nil {
				if age := time.Since(got.Started); age < 99*time.Second || age > 110*time.Second {
					t.Errorf("it began to count %s ago, want 100 s", age)
				}
				got.Started = time.Time{}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}
