package target

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/engines/mariadb"
	"github.com/assay-bench/assay/internal/agent/control"
	"github.com/assay-bench/assay/internal/agent/database"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// realServer needs ASSAY_TEST_MARIADBD=1, mariadbd and mariadb-install-db, and
// a user that is not root.
func realServer(t *testing.T, settings ...contract.Setting) *agent {
	t.Helper()
	if os.Getenv("ASSAY_TEST_MARIADBD") == "" {
		t.Skip("set ASSAY_TEST_MARIADBD=1 to start a real MariaDB")
	}
	if os.Getuid() == 0 {
		t.Skip("MariaDB does not start as root: run the test as another user")
	}
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := socket.Addr().(*net.TCPAddr).Port
	_ = socket.Close()
	// Short, because the path of a socket is.
	dir, err := os.MkdirTemp("", "assay")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	in := inputs{
		target: contract.Target{
			Flavor: "MariaDB", StorageEngine: "InnoDB", Database: "as_say%`", Username: `o'ne\`,
			Port: int32(port), Settings: settings,
		},
		password: "p'; \\ \"%\n#", key: control.NewKey(agentKey), engine: mariadb.Engine(),
	}
	login, err := newLogin(in)
	if err != nil {
		t.Fatal(err)
	}
	return newAgent(
		Options{
			Data: dir + "/data", Run: dir + "/run", Tmp: dir + "/tmp", Listen: "127.0.0.1:0", Grace: 30 * time.Second,
			Out: io.Discard, Log: slog.New(slog.DiscardHandler),
		},
		in, login,
	)
}

func TestRealMariaDB(t *testing.T) {
	connectSQL := "SET @a = 'b # \"c\"\t;[x]\\',\n@d = 'datadir=/etc'"
	s := realServer(t,
		contract.Setting{Name: "innodb_buffer_pool_size", Value: "32M"},
		contract.Setting{Name: "sql_mode", Value: "ANSI_QUOTES,NO_BACKSLASH_ESCAPES"},
		contract.Setting{Name: "init_connect", Value: connectSQL},
	)
	for _, round := range []string{"the first start", "a restart"} {
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.provide(ctx) }()
		r := &rig{agent: s}
		await(t, "readiness", r.isReady)
		questions(t, s, connectSQL)
		stop()
		if err := <-ended; err != nil {
			t.Fatalf("%s: %v", round, err)
		}
	}
}

// questions checks the account and the settings from a client's side.
func questions(t *testing.T, s *agent, connectSQL string) {
	t.Helper()
	client, err := database.Open(
		contract.Endpoint{Host: "127.0.0.1", Port: s.in.target.Port, Database: s.in.target.Database, TLS: contract.TLSDisabled},
		runner.Credentials{Username: s.in.target.Username, Password: s.in.password})
	if err != nil {
		t.Fatal(err)
	}
	version, _, err := client.Version(t.Context())
	if err != nil || !strings.Contains(version, "MariaDB") {
		t.Errorf("version %q, %v", version, err)
	}
	variables, err := client.Variables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"datadir": s.paths().Data + "/", "innodb_buffer_pool_size": strconv.Itoa(32 << 20), "init_connect": connectSQL,
		"bind_address": "*", "skip_name_resolve": "ON",
	}
	got := map[string]string{}
	for name := range want {
		got[name] = variables[name]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("variables (-want +got):\n%s", diff)
	}
	if status, err := client.Status(t.Context()); err != nil || status["Questions"] == "" {
		t.Errorf("status: %d variables, %v", len(status), err)
	}
	if tables, _, err := client.Tables(t.Context()); err != nil || len(tables) != 0 {
		t.Errorf("tables %v, %v; want none", tables, err)
	}
	for _, user := range []string{"root", "", "nobody"} {
		other, err := database.Open(contract.Endpoint{Host: "127.0.0.1", Port: s.in.target.Port}, runner.Credentials{Username: user})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := other.Version(t.Context()); err == nil {
			t.Errorf("%q may log in without a password", user)
		} else if f := database.FailureOf(err); f.Reason != "CredentialsRejected" {
			t.Errorf("%q: %s (%v), want CredentialsRejected", user, f.Reason, err)
		}
	}
}

func TestRealMariaDBThatIsKilledRecovers(t *testing.T) {
	s := realServer(t)
	ended := make(chan error, 1)
	go func() { ended <- s.provide(t.Context()) }()
	r := &rig{agent: s}
	await(t, "readiness", r.isReady)
	text, err := os.ReadFile(filepath.Join(s.Run, "server.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), string(contract.ReasonServerKilled)) {
		t.Errorf("got %v, want %s", err, contract.ReasonServerKilled)
	}
	ctx, stop := context.WithCancel(t.Context())
	go func() { ended <- s.provide(ctx) }()
	await(t, "readiness after recovery", r.isReady)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestRealMariaDBIsRestored(t *testing.T) {
	for name, plain := range map[string]bool{"as the volume can": false, "by a plain copy": true} {
		t.Run(name, func(t *testing.T) {
			s := realServer(t, contract.Setting{Name: "innodb_buffer_pool_size", Value: "32M"}, contract.Setting{Name: "log_bin", Value: "binlog"})
			if plain {
				s.volume.clone = func(_, _ *os.File) error { return errors.ErrUnsupported }
			}
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
			do("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v CHAR(120) NOT NULL)")
			do("INSERT INTO t (v) SELECT REPEAT('x', 120) FROM seq_1_to_20000")
			loaded := checksum(t, db)
			taken := r.ask(t, contract.PathSnapshot, "s").mustSucceed(t)
			if got := checksum(t, db); got != loaded {
				t.Errorf("the snapshot changed the data: %s, want %s", got, loaded)
			}
			for _, id := range []string{"r1", "r2"} {
				do("UPDATE t SET v = 'changed' WHERE id % 3 = 0")
				do("CREATE TABLE extra (id INT PRIMARY KEY)")
				if got := checksum(t, db); got == loaded {
					t.Fatal("the checksum does not see a change")
				}
				restored := r.ask(t, contract.PathRestore, id).mustSucceed(t)
				if got := checksum(t, db); got != loaded {
					t.Errorf("%s: the data are %s, want %s", id, got, loaded)
				}
				if taken.Files != restored.Files || taken.Bytes != restored.Bytes {
					t.Errorf("the snapshot is %+v, what was restored %+v", taken, restored)
				}
				if _, err := db.ExecContext(t.Context(), "SELECT * FROM extra"); err == nil {
					t.Error("a table that is not in the snapshot is still there")
				}
			}
			t.Logf("snapshot %+v, findings %q", taken, s.logged.list())
			if found := s.logged.list(); strings.Contains(strings.Join(found, ""), "[ERROR]") {
				t.Errorf("the server complains of what it found: %q", found)
			}
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

func openReal(t *testing.T, s *agent) *sql.DB {
	t.Helper()
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.DBName = s.in.target.Username, s.in.password, s.in.target.Database
	cfg.Net, cfg.Addr = "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(s.in.target.Port)))
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxIdleConns(0) // none is left over when the server stops
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// checksum is the number of rows and the checksum of the table.
func checksum(t *testing.T, db *sql.DB) string {
	t.Helper()
	var table, sum, rows string
	if err := db.QueryRowContext(t.Context(), "CHECKSUM TABLE t").Scan(&table, &sum); err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM t").Scan(&rows); err != nil {
		t.Fatal(err)
	}
	return rows + " rows, " + sum
}

func TestRealMariaDBRefusesSettings(t *testing.T) {
	for _, name := range []string{"no_such_thing", "innodb_buffer_pool_siz"} { // abbreviations are off
		s := realServer(t, contract.Setting{Name: name, Value: "64M"})
		err := s.provide(t.Context())
		if err == nil || !strings.Contains(err.Error(), string(contract.ReasonServerRefusedSetting)) {
			t.Errorf("%s: got %v, want %s", name, err, contract.ReasonServerRefusedSetting)
		}
	}
}

// A real server's data directory, in an object store and on another volume, is that of a server with another password.
func TestRealMariaDBGoesOnElsewhere(t *testing.T) {
	objects := newFakeStore(t)
	begin := func(password string) (*rig, *agent) {
		t.Helper()
		s := realServer(t, contract.Setting{Name: "innodb_buffer_pool_size", Value: "32M"})
		s.in.password = password
		var err error
		if s.login.try, err = newLogin(s.in); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.provide(ctx) }()
		t.Cleanup(func() {
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
		r := &rig{agent: s}
		await(t, "readiness", r.isReady)
		return r, s
	}
	r, s := begin("of the first run")
	db := openReal(t, s)
	for _, statement := range []string{"CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v CHAR(120) NOT NULL)", "INSERT INTO t (v) SELECT REPEAT('x', 120) FROM seq_1_to_20000"} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	loaded := checksum(t, db)
	packed := r.transfer(t, contract.PathArchive, "a", objects.toWrite(100, 1<<20)).mustSucceed(t)
	if got := checksum(t, db); got != loaded {
		t.Errorf("after the archive the data are %s, want %s", got, loaded)
	}
	other, o := begin("of the second run")
	fetched := other.transfer(t, contract.PathFetch, "f", objects.toRead(packed)).mustSucceed(t)
	if got := checksum(t, openReal(t, o)); got != loaded {
		t.Errorf("the other server has %s, want %s", got, loaded)
	}
	sent := int64(0)
	for _, part := range packed.Parts {
		sent += part.Bytes
	}
	t.Logf("%d files of %d bytes in %d parts of %d bytes: packed in %.1f s, unpacked in %.1f s", packed.Files, packed.Bytes, len(packed.Parts), sent, packed.Seconds, fetched.Seconds)
	if found := o.logged.list(); strings.Contains(strings.Join(found, ""), "[ERROR]") {
		t.Errorf("the server complains of what it found: %q", found)
	}
}
