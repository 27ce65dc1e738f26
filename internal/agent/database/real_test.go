package database

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/agent/clock"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// startServer needs ASSAY_TEST_MARIADBD=1, mariadbd and mariadb-install-db.
func startServer(t *testing.T, options ...string) *Server {
	t.Helper()
	if os.Getenv("ASSAY_TEST_MARIADBD") == "" {
		t.Skip("set ASSAY_TEST_MARIADBD=1 to ask a real MariaDB")
	}
	var asRoot []string
	if os.Getuid() == 0 {
		asRoot = []string{"--user=root"} // which it does only when told
	}
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := socket.Addr().(*net.TCPAddr).Port
	_ = socket.Close()
	dir, err := os.MkdirTemp("", "assay") // short, because the path of a socket is
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	install := exec.Command("mariadb-install-db", append([]string{"--no-defaults", "--datadir=" + dir + "/data", "--auth-root-authentication-method=normal"}, asRoot...)...)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	init := dir + "/init.sql"
	if err := os.WriteFile(init, []byte("CREATE DATABASE bench;\nCREATE USER assay@'127.0.0.1' IDENTIFIED BY 's3cret';\nGRANT ALL ON bench.* TO assay@'127.0.0.1';\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := exec.Command("mariadbd", append(append([]string{"--no-defaults", "--datadir=" + dir + "/data", "--socket=" + dir + "/s", "--init-file=" + init,
		"--bind-address=127.0.0.1", "--skip-name-resolve", fmt.Sprintf("--port=%d", port), "--innodb-buffer-pool-size=32M"}, options...), asRoot...)...)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = server.Process.Kill(), server.Wait() })
	s, err := Open(contract.Endpoint{Host: "127.0.0.1", Port: int32(port), Database: "bench"}, runner.Credentials{Username: "assay", Password: "s3cret"})
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(hang.Limit); ; time.Sleep(100 * time.Millisecond) {
		if _, _, err = s.Version(t.Context()); err == nil {
			return s
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

func TestRealProbes(t *testing.T) {
	tests := map[string]struct {
		options []string
		durable bool
	}{
		"a flush for every commit": {[]string{"--innodb-flush-log-at-trx-commit=1"}, true},
		"a flush now and then":     {[]string{"--innodb-flush-log-at-trx-commit=2"}, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := startServer(t, tc.options...)
			trip, err := s.RoundTrip(t.Context())
			if err != nil || trip == nil || trip.N < 1 || trip.N >= roundTrips || trip.MinSeconds <= 0 {
				t.Errorf("round trip %+v, %v", trip, err)
			}
			exchanges, err := s.Clock(t.Context(), 8)
			best, none := clock.Best(exchanges)
			if err != nil || none != nil || len(exchanges) != 8 || best.Offset().Abs() > best.Delay()/2+time.Microsecond {
				t.Errorf("its clock, which is this machine's: %d exchanges, offset %s, delay %s, %v, %v",
					len(exchanges), best.Offset(), best.Delay(), err, none)
			}
			for range 2 { // the name can be used again
				d, err := s.Durability(t.Context(), "assay_preflight_x", "InnoDB")
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%+v", *d)
				synced, there := d.Counters["innodb_data_fsyncs"]
				if d.StorageEngine != "InnoDB" || d.Commits != commits || d.Seconds <= 0 || !there || (synced >= d.Commits) != tc.durable {
					t.Errorf("durability %+v, want fsyncs for all: %v", *d, tc.durable)
				}
			}
			if tables, _, err := s.Tables(t.Context()); err != nil || len(tables) > 0 {
				t.Errorf("left behind: %v, %v", tables, err)
			}
			if tables, err := s.Look(t.Context(), []string{"t"}); err != nil || len(tables) > 0 {
				t.Errorf("a look at nothing: %v, %v", tables, err)
			}
			if version, cipher, err := s.Session(t.Context()); err != nil || version != "" || cipher != "" {
				t.Errorf("a session without TLS has %q %q, %v", version, cipher, err)
			}
			if _, err := s.Durability(t.Context(), "x", "NoSuchEngine"); err == nil {
				t.Error("an engine that the server does not have is no error")
			}
		})
	}
}

// What another connection does is counted, and what this one does is not.
func TestRealWorkbench(t *testing.T) {
	s := startServer(t)
	w, err := s.Workbench(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	other, err := s.Workbench(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	if err := w.Exec(t.Context(), "CREATE TABLE t (a INT, b TEXT) ENGINE = InnoDB"); err != nil {
		t.Fatal(err)
	}
	if tables, err := s.Look(t.Context(), []string{"T", "u"}); err != nil || len(tables) != 1 || tables[0] != (contract.Table{Name: "t"}) {
		t.Errorf("a look at a table without rows: %+v, %v", tables, err)
	}
	names := []string{"Questions", "Com_insert", "Com_select", "Connections", "Com_stmt_execute", "Bytes_received"}
	before, err := w.Counters(t.Context(), names)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if err := other.Exec(t.Context(), fmt.Sprintf("INSERT INTO t VALUES (%d, NULL)", i)); err != nil {
			t.Fatal(err)
		}
	}
	row, err := w.Row(t.Context(), "SELECT COUNT(*), MAX(b) FROM t")
	if err != nil || len(row) != 2 || row[0] == nil || *row[0] != "10" || row[1] != nil {
		t.Fatalf("row = %v, %v", row, err)
	}
	after, err := w.Counters(t.Context(), names)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int64{"questions": 10, "com_insert": 10, "com_select": 0, "connections": 0, "com_stmt_execute": 0} {
		if got := after[name] - before[name]; got != want {
			t.Errorf("%s = %d, want %d", name, got, want)
		}
	}
	if got := after["bytes_received"] - before["bytes_received"]; got < 300 || got > 500 {
		t.Errorf("bytes_received = %d for ten statements of about 34 bytes", got)
	}
	if err := w.Exec(t.Context(), "CREATE TABLE b (a INT) ENGINE = NOSUCHENGINE"); err == nil {
		t.Error("a table of an engine that is not there was made")
	}
}
