package database

import (
	"database/sql"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/engines"
)

// Gauges that are no status variables stand beside them, for an account that may read them.
func TestGaugesBesideTheStatus(t *testing.T) {
	status, list := [][2]string{{"Questions", "7"}}, [][2]string{{"trx_rseg_history_len", "497"}}
	server := func(version, comment string, gauges [][2]string) fakeDriver {
		return fakeDriver{"SELECT VERSION()": {{version, comment}}, "SHOW GLOBAL STATUS": status, "INNODB_METRICS": gauges}
	}
	alone, both := map[string]string{"Questions": "7"}, map[string]string{"Questions": "7", "trx_rseg_history_len": "497"}
	tests := map[string]struct {
		server  fakeDriver
		want    map[string]string
		refused bool
	}{
		"MySQL":                                     {server("9.7.1", "(Debian)", list), both, false},
		"MySQL, for an account without PROCESS":     {server("9.7.1", "(Debian)", [][2]string{refused}), alone, true},
		"MySQL that does not count it":              {server("9.7.1", "(Debian)", [][2]string{}), alone, false},
		"MariaDB, which has it among its status":    {server("11.8.6-MariaDB", "Debian", list), alone, false},
		"Percona Server, which is asked like MySQL": {server("8.4.5-5", "Percona Server (GPL), Release 5", list), both, false},
		"a server that only speaks the protocol":    {server("8.0.11-TiDB-v8.5.1", "TiDB Server", list), alone, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := newServer(sql.OpenDB(tc.server), "")
			for range 2 {
				got, err := s.Status(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("status (-want +got):\n%s", diff)
				}
			}
			if s.untold.Load() != tc.refused {
				t.Errorf("refused: %v", s.untold.Load())
			}
		})
	}
	// What the server did not refuse is an error: a connection that ended gives no status.
	if _, err := newServer(sql.OpenDB(fakeDriver{"SELECT VERSION()": {{"9.7.1", "(Debian)"}}, "SHOW GLOBAL STATUS": status}), "").Status(t.Context()); err == nil {
		t.Error("a question that failed is none that was refused")
	}
}

// A real server shows the levels by the names that its flavor says.
func TestRealLevels(t *testing.T) {
	s := startServer(t)
	version, comment, err := s.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	storage, _ := engines.Identify(version, comment, nil).Storage("InnoDB")
	shown := status(t, s)
	for _, name := range []string{storage.Debt.LogEnd, storage.Debt.LogPaid, storage.Debt.Dirty, storage.Debt.History[0]} {
		if _, there := shown[name]; !there {
			t.Errorf("%s: no status variable %s", version, name)
		}
	}
}
