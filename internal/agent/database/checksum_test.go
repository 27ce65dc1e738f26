package database

import (
	"database/sql"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Which tables have no checksum is said, whatever the reason.
func TestChecksumsThatAreMissing(t *testing.T) {
	tests := map[string]struct {
		answers fakeDriver
		most    time.Duration
		want    string
		last    bool // the last table has one
	}{
		"every table has one": {fakeDriver{"`d`.`a`": {{"a", "1"}}, "`d`.`b`": {{"b", "2"}}}, time.Minute, "", true},
		"the server refuses one": {fakeDriver{"`d`.`a`": {{"a", "1"}}}, time.Minute,
			"1 of 2 tables (b) have no checksum: CHECKSUM TABLE: no such table", false},
		"the time is over": {fakeDriver{"`d`.`a`": {{"a", "1"}}}, 0,
			"2 of 2 tables (a, b) have no checksum: those of all tables may take 0s together: make the tables smaller, or rely on the number of rows alone", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tables := []contract.Table{{Name: "a"}, {Name: "b"}}
			s := newServer(sql.OpenDB(tc.answers), "d")
			if got := addChecksums(t.Context(), s, tables, tc.most); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if got := tables[1].Checksum != nil; got != tc.last {
				t.Errorf("the last table has a checksum: %v, want %v", got, tc.last)
			}
		})
	}
	if got, want := have([]contract.Table{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}, 9), "4 of 9 tables (a, b, c, ...) have"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
