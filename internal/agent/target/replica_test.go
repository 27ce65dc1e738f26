package target

import (
	"database/sql"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseLook(t *testing.T) {
	text := func(s string) sql.NullString { return sql.NullString{String: s, Valid: true} }
	tests := map[string]struct {
		row  map[string]sql.NullString
		want sight
	}{
		"a replica of MySQL 9.7 that follows": {
			row: map[string]sql.NullString{
				"replica_io_running": text("Yes"), "replica_sql_running": text("Yes"), "seconds_behind_source": text("3"),
				"last_io_error": text(""), "last_sql_error": text(""),
			},
			want: sight{running: true, lag: new(3.0)},
		},
		"one of MariaDB or an old MySQL": {
			row: map[string]sql.NullString{
				"slave_io_running": text("Yes"), "slave_sql_running": text("Yes"), "seconds_behind_master": text("0"),
			},
			want: sight{running: true, lag: new(0.0)},
		},
		"one whose primary is away tells no lag": {
			row: map[string]sql.NullString{
				"slave_io_running": text("Connecting"), "slave_sql_running": text("Yes"), "seconds_behind_master": {},
				"last_io_error": text("error connecting to master"), "last_sql_error": text(""),
			},
			want: sight{problem: "error connecting to master"},
		},
		"one that was stopped": {
			row:  map[string]sql.NullString{"slave_io_running": text("No"), "slave_sql_running": text("No")},
			want: sight{problem: "receiving: No, applying: No"},
		},
		"one that is ahead of its primary": {
			row: map[string]sql.NullString{
				"replica_io_running": text("No"), "replica_sql_running": text("Yes"), "seconds_behind_source": {},
				"last_io_error": text("Got fatal error 1236"), "last_sql_error": text("x"),
			},
			want: sight{problem: "Got fatal error 1236; x"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, parseLook(tt.row), cmp.AllowUnexported(sight{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
