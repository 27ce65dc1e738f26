package sysbench

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// Whoever loads a table, and with how many others: its content is the same.
func TestRealLoadIsTheSameWithSeveralClients(t *testing.T) {
	s := startServer(t)
	const tables, rows = 5, 1000
	alone := s.load(t, tables, rows, 1)
	for _, clients := range []int{2, 3, 7} {
		if diff := cmp.Diff(alone, s.load(t, tables, rows, clients)); diff != "" {
			t.Errorf("checksums with %d clients (-alone +together):\n%s", clients, diff)
		}
	}
	if distinct := strings.Fields(alone); len(distinct) != 2*tables || distinct[1] == distinct[3] {
		t.Errorf("checksums %q, want those of %d tables that differ", alone, tables)
	}
}

// realServer is a MariaDB on the loopback interface.
type realServer struct {
	dir  string
	port int
}

// startServer needs ASSAY_TEST_MARIADBD=1, mariadbd, mariadb-install-db, mariadb and
// sysbench.
func startServer(t *testing.T) realServer {
	t.Helper()
	if os.Getenv("ASSAY_TEST_MARIADBD") == "" {
		t.Skip("set ASSAY_TEST_MARIADBD=1 to load into a real MariaDB")
	}
	var asRoot []string
	if os.Getuid() == 0 {
		asRoot = []string{"--user=root"} // which it does only when told
	}
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := realServer{port: socket.Addr().(*net.TCPAddr).Port}
	_ = socket.Close()
	// Short, because the path of a socket is.
	if s.dir, err = os.MkdirTemp("", "assay"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(s.dir) })
	must(t, exec.Command("mariadb-install-db", append([]string{"--no-defaults", "--datadir=" + s.dir + "/data",
		"--auth-root-authentication-method=normal"}, asRoot...)...))
	server := exec.Command("mariadbd", append([]string{"--no-defaults", "--datadir=" + s.dir + "/data", "--socket=" + s.dir + "/s",
		"--bind-address=127.0.0.1", fmt.Sprintf("--port=%d", s.port), "--innodb-buffer-pool-size=32M"}, asRoot...)...)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = server.Process.Kill(), server.Wait() })
	for end := time.Now().Add(hang.Limit); s.client("SELECT 1").Run() != nil; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the server does not answer")
		}
	}
	must(t, s.client("CREATE USER assay@'127.0.0.1' IDENTIFIED BY 's3cret'; GRANT ALL ON sbtest.* TO assay@'127.0.0.1'"))
	return s
}

func (s realServer) client(sql string) *exec.Cmd {
	return exec.Command("mariadb", "--no-defaults", "--socket="+s.dir+"/s", "--user=root", "--skip-column-names", "--execute="+sql)
}

// load has some clients load together into an empty schema, and returns the checksums.
func (s realServer) load(t *testing.T, tables int32, rows int64, clients int) string {
	t.Helper()
	must(t, s.client("DROP DATABASE IF EXISTS sbtest; CREATE DATABASE sbtest"))
	var all sync.WaitGroup
	for client := range clients {
		f := loaded(tables, client, clients)
		f.params.TableSize = rows
		trial := f.trial(t)
		trial.Endpoint.Host, trial.Endpoint.Port = "127.0.0.1", int32(s.port)
		all.Go(func() { prepare(t, trial) })
	}
	all.Wait()
	var names []string
	for i := range tables {
		names = append(names, fmt.Sprintf("sbtest.sbtest%d", i+1))
	}
	return must(t, s.client("CHECKSUM TABLE "+strings.Join(names, ", ")))
}

func prepare(t *testing.T, trial contract.Trial) {
	t.Helper()
	did(t, trial, contract.PhasePrepare)
}

// did runs a phase that has to go well, and returns its report and what it printed.
func did(t *testing.T, trial contract.Trial, phase contract.Phase) (runner.Report, string) {
	t.Helper()
	c, err := command(trial, phase, runner.Credentials{Username: "assay", Password: "s3cret"})
	if err != nil {
		t.Error(err)
		return runner.Report{}, ""
	}
	dir := t.TempDir()
	for name, data := range c.Files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Error(err)
		}
	}
	var out runner.Output
	var stdout, stderr bytes.Buffer
	tool := exec.Command(c.Path, c.Args...)
	tool.Dir, tool.Stdout, tool.Stderr = dir, &stdout, &stderr
	err = tool.Run()
	out.Stdout, out.Stderr, out.ExitCode = stdout.Bytes(), stderr.Bytes(), tool.ProcessState.ExitCode()
	got := parse(trial, phase, out)
	if err != nil || got.Failure != nil || len(got.Problems) > 0 {
		t.Errorf("%s of client %d: %v, failure %+v, problems %v; it said:\n%s%s", phase, trial.Ref.Client, err, got.Failure, got.Problems, stdout.String(), stderr.String())
	}
	return got, stdout.String()
}

// must runs a command that has to succeed, and returns what it printed.
func must(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", c.Path, err, out)
	}
	return string(out)
}
