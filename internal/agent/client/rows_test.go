package client

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
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
		"a server that is not known":     {"9.7.4", "InnoDB", "", mysql, nil},
		"MyRocks, in lower case":         {"11.8.6-MariaDB", "ROCKSDB", "", map[string]string{"Uptime": "100", "rocksdb_rows_inserted": "1", "rocksdb_rows_updated": "2", "rocksdb_rows_deleted": "3"}, &contract.CountedRows{Inserted: 1, Updated: 2, Deleted: 3}},
		"a server without the counters":  {"10.11.19-MariaDB", "InnoDB", "", mysql, nil},
		"a server without an uptime":     {"9.7.4", "InnoDB", "", map[string]string{"Innodb_rows_inserted": "7", "Innodb_rows_updated": "8", "Innodb_rows_deleted": "9"}, nil},
		"TiDB, whatever it pretends":     {"8.0.11-TiDB-v8.5.3", "InnoDB", "", mysql, nil},
		"a counter that is not a number": {"9.7.4", "InnoDB", "", map[string]string{"Uptime": "1", "Innodb_rows_inserted": "x"}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			comment := "(Debian)"
			if strings.Contains(name, "not known") {
				comment = "Another"
			}
			facts := serverFacts{server: &contract.Server{Version: tc.version, VersionComment: comment, Variables: map[string]string{"default_storage_engine": tc.variable}}}
			before := time.Now()
			got := countRows(facts, tc.engine, tc.status)
			if got != nil {
				const uptime = 100 * time.Second
				if earliest := before.Add(-uptime).Truncate(time.Second); got.Started.Before(earliest) || got.Started.After(time.Now().Add(-uptime)) {
					t.Errorf("it began to count at %s, want %s or a moment later", got.Started, earliest)
				}
				got.Started = time.Time{}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}
