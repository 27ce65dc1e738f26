package target

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/engines/dolt"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/agent/control"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// realDolt needs ASSAY_TEST_DOLT=1, and dolt in PATH.
func realDolt(t *testing.T, settings ...contract.Setting) *agent {
	t.Helper()
	if os.Getenv("ASSAY_TEST_DOLT") == "" {
		t.Skip("set ASSAY_TEST_DOLT=1 to start a real Dolt")
	}
	if _, err := exec.LookPath("dolt"); err != nil {
		t.Fatal(err)
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
	e := dolt.Engine()
	config := e.Config
	e.Config = func(t contract.Target, p engine.Paths) []byte { // not for others on the network
		return []byte(strings.Replace(string(config(t, p)), "0.0.0.0", "127.0.0.1", 1))
	}
	in := inputs{
		target:   contract.Target{Flavor: "Dolt", StorageEngine: "InnoDB", Database: "as_say", Username: `o'ne\`, Port: int32(port), Settings: settings},
		password: "p'; \\ \"%\n#$x", key: control.NewKey(agentKey), engine: e,
	}
	login, err := newLogin(in)
	if err != nil {
		t.Fatal(err)
	}
	return newAgent(Options{
		Data: dir + "/data", Run: dir + "/run", Tmp: dir + "/tmp", Listen: "127.0.0.1:0", Grace: 30 * time.Second,
		Out: io.Discard, Log: slog.New(slog.DiscardHandler),
	}, in, login)
}

// A restart keeps the account and the data, and a restore brings back those of the snapshot.
func TestRealDolt(t *testing.T) {
	s := realDolt(t, contract.Setting{Name: "dolt_transaction_commit", Value: "ON"}, contract.Setting{Name: "gomemlimit", Value: "500MiB"},
		contract.Setting{Name: "dolt_author_name", Value: `a${HOME} "$$`})
	for round := range 2 {
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.provide(ctx) }()
		r := &rig{agent: s}
		await(t, "readiness", r.isReady)
		db := openReal(t, s)
		do := func(statement string) {
			t.Helper()
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		if round == 0 {
			do("CREATE TABLE t (id INT PRIMARY KEY)")
			do("INSERT INTO t VALUES (1), (2)")
			r.ask(t, contract.PathSnapshot, "s").mustSucceed(t)
			do("DELETE FROM t")
			r.ask(t, contract.PathRestore, "r").mustSucceed(t)
		}
		var rows, author, root string
		if err := db.QueryRowContext(t.Context(), "SELECT (SELECT COUNT(*) FROM t), @@GLOBAL.dolt_author_name").Scan(&rows, &author); err != nil || rows != "2" || author != `a${HOME} "$$` {
			t.Errorf("%s rows by %q, %v", rows, author, err)
		}
		if err := db.QueryRowContext(t.Context(), "SELECT User FROM mysql.user").Scan(&root); err == nil {
			t.Error("the benchmark's account reads the system tables")
		}
		stop()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if found := s.logged.list(); len(found) > 0 {
			t.Errorf("findings %q", found)
		}
	}
}

func TestRealDoltRefusesSettings(t *testing.T) {
	for _, s := range []contract.Setting{{Name: "dolt_no_such_thing", Value: "1"}, {Name: "dolt_stats_enabled", Value: "maybe"}, {Name: "gomemlimit", Value: "lots"}} {
		err := realDolt(t, s).provide(t.Context())
		var f *failure
		if !errors.As(err, &f) || f.reason != contract.ReasonServerRefusedSetting {
			t.Errorf("%s: %v, want %s", s.Name, err, contract.ReasonServerRefusedSetting)
		}
	}
	e := dolt.Engine()
	for _, name := range []string{"innodb_buffer_pool_size", "transaction_isolation", "performance.max_procs", "dolt_replicate_heads"} {
		if refusals := e.Refuse("config", []contract.Setting{{Name: name, Value: "1"}}); len(refusals) != 1 || !strings.Contains(refusals[0].Error(), "config."+name) {
			t.Errorf("%s: %v, want one refusal that names it", name, refusals)
		}
	}
	for _, name := range []string{"autocommit", "max_connections", "gomemlimit", "dolt_stats_enabled", "loose-sql-mode"} {
		if refusals := e.Refuse("config", []contract.Setting{{Name: name, Value: "1"}}); len(refusals) > 0 {
			t.Errorf("%s: %v", name, slices.Clone(refusals))
		}
	}
}
