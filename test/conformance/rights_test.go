package conformance

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/agent/database"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/sysbench"
	"github.com/assay-bench/assay/runners/tpcc"
	"github.com/assay-bench/assay/runners/ycsb"
)

const (
	// rightsPage has the statements that a reader executes.
	rightsPage = "../../docs/guide/managed-services.md"
	// account is the one that the page makes, and managed the schema of these tests in place of its assay.
	account, managed = "bench", "managed"
)

// grants are the privileges that the page gives, by the way of use in the comment above the statement.
func grants(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(rightsPage)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, m := range regexp.MustCompile(`(?m)^-- (data: .*)\nGRANT (.*) ON assay\.\* TO 'bench';$`).FindAllStringSubmatch(string(text), -1) {
		out[m[1]] = strings.Split(m[2], ", ")
	}
	if len(out) != 3 {
		t.Fatalf("%s has the grants %v", rightsPage, out)
	}
	return out
}

// owner of a test server: it stands for the administrator of a managed service.
type owner struct {
	*sql.DB
	server server
}

// onServers makes a subtest for each test server. It is skipped where there is none.
func onServers(t *testing.T, hold func(t *testing.T, o owner)) {
	if os.Getenv(serversVariable) == "" {
		t.Skipf("%s names no servers: make conformance does", serversVariable)
	}
	for name, at := range servers(t) {
		t.Run(name, func(t *testing.T) {
			db, err := sql.Open("mysql", fmt.Sprintf("%s:%s@tcp(%s)/", user, user, at.address()))
			if err != nil {
				t.Fatal(err)
			}
			o := owner{db, at}
			t.Cleanup(func() {
				o.do(t, "DROP USER IF EXISTS "+account, "DROP DATABASE IF EXISTS "+managed)
				_ = db.Close()
			})
			o.do(t, "DROP DATABASE IF EXISTS "+managed, "CREATE DATABASE "+managed)
			hold(t, o)
		})
	}
}

func (o owner) do(t *testing.T, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := o.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// grant: the account is made anew, with exactly these privileges on the schema.
func (o owner) grant(t *testing.T, privileges []string, more string) {
	t.Helper()
	o.do(t, "DROP USER IF EXISTS "+account, "CREATE USER "+account+" IDENTIFIED BY '"+account+"'"+more)
	if len(privileges) > 0 {
		o.do(t, "GRANT "+strings.Join(privileges, ", ")+" ON "+managed+".* TO "+account)
	}
}

func (o owner) endpoint() contract.Endpoint {
	return contract.Endpoint{Host: o.server.host, Port: o.server.port, Database: managed, TLS: contract.TLSDisabled}
}

// agent asks the server as the account, with the code of a trial.
func (o owner) agent(t *testing.T, e contract.Endpoint, ca []byte) *database.Server {
	t.Helper()
	s, err := database.Open(e, runner.Credentials{Username: account, Password: account, CA: ca})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// tool is one that a trial runs, with a workload.
type tool struct {
	runner.Runner
	image, workload string
}

func (o owner) trial(w tool, phase contract.Phase) contract.Trial {
	return contract.Trial{
		Version: contract.TrialVersion, Runner: w.Name, Workload: json.RawMessage(w.workload), Clients: 1, DurationSeconds: 1, Seed: 42,
		Ref: contract.TrialRef{Phase: string(phase), Block: new(0)}, Endpoint: o.endpoint(),
	}
}

// run a phase in the image of the tool, as a trial does, and judge its output. Nil: it worked.
func (w tool) run(t *testing.T, trial contract.Trial, ca []byte) *contract.Failure {
	t.Helper()
	phase := contract.Phase(trial.Ref.Phase)
	if w.Skips(trial, phase) {
		return nil
	}
	how, err := w.Command(trial, phase, runner.Credentials{Username: account, Password: account, CA: ca})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, data := range how.Files {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"run", "--rm", "--network", "host", "--tmpfs", "/tmp", "--user", "10001:10001", "--volume", folder + ":/w", "--workdir", "/w", "--env", "HOME=/tmp"}
	for name, value := range how.Env {
		args = append(args, "--env", name+"="+value)
	}
	command := exec.CommandContext(t.Context(), "docker", append(append(args, "--entrypoint", how.Path, images(t)[w.image]), how.Args...)...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	ended := new(exec.ExitError)
	if err := command.Run(); err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	o := runner.Output{Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), ExitCode: command.ProcessState.ExitCode(), Files: map[string][]byte{}}
	for _, pattern := range how.Collect {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			if o.Files[filepath.Base(path)], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	return w.Parse(trial, phase, o).Failure
}

var tools = []tool{
	{sysbench.Runner(), "runner-sysbench", `{"test": "oltp_read_write", "threads": 2, "tables": 2, "tableSize": 100, ` +
		`"reportIntervalSeconds": 1, "percentile": 95, "histogram": true, "randType": "special", "dbPsMode": "auto", "ignoreErrors": "1213,1020,1205"}`},
	{tpcc.Runner(), "runner-tpcc", `{"warehouses": 1, "threads": 2, "reportIntervalSeconds": 1}`},
	{ycsb.Runner(), "runner-ycsb", `{"workload": "a", "recordCount": 100, "threads": 2, "driver": "MySQL", "columns": "Text", "fieldCount": 10, "fieldLength": 100, "statusIntervalSeconds": 1}`},
}

// everyPhase of a tool, until one fails.
func (o owner) everyPhase(t *testing.T, w tool) *contract.Failure {
	t.Helper()
	for _, phase := range []contract.Phase{contract.PhasePrepare, contract.PhaseRun, contract.PhaseCleanup} {
		if f := w.run(t, o.trial(w, phase), nil); f != nil {
			return f
		}
	}
	return nil
}

// The queries beside TPC-C need a view, and CREATE VIEW is a right of its own.
func TestAViewNeedsItsRight(t *testing.T) {
	queries := tool{tpcc.Runner(), "runner-tpcc", `{"warehouses": 1, "threads": 2, "reportIntervalSeconds": 1, "analyticalQueries": ["q1", "q15"]}`}
	onServers(t, func(t *testing.T, o owner) {
		rights := grants(t)["data: Loaded"]
		o.grant(t, rights, "")
		if f := queries.run(t, o.trial(queries, contract.PhasePrepare), nil); f == nil || f.Reason != contract.ReasonCredentialsRejected || !strings.Contains(f.Message, "CREATE VIEW") {
			t.Errorf("without CREATE VIEW: %+v", f)
		}
		o.grant(t, append(slices.Clone(rights), "CREATE VIEW"), "")
		if f := queries.run(t, o.trial(queries, contract.PhaseCleanup), nil); f != nil {
			t.Errorf("what the load had made is not dropped: %+v", f)
		}
		if f := o.everyPhase(t, queries); f != nil {
			t.Errorf("with CREATE VIEW: %+v", f)
		}
	})
}

// The rights on the page are enough for what Assay asks and for what its tools do.
func TestTheRightsOfThePageAreEnough(t *testing.T) {
	onServers(t, func(t *testing.T, o owner) {
		o.grant(t, grants(t)["data: Loaded"], "")
		for _, w := range tools {
			if f := o.everyPhase(t, w); f != nil {
				t.Errorf("%s: %+v", w.Name, f)
			}
		}
		o.do(t, "CREATE TABLE managed.t (id INT PRIMARY KEY)", "INSERT INTO managed.t VALUES (1), (2)")
		s := o.agent(t, o.endpoint(), nil)
		tables, unchecked, err := s.Tables(t.Context())
		if err != nil || unchecked != "" || len(tables) != 1 || tables[0].Rows != 2 {
			t.Errorf("tables %+v, %q, %v", tables, unchecked, err)
		}
		if without := s.Analyze(t.Context(), tables); without != "" {
			t.Error(without)
		}
		if d, err := s.Durability(t.Context(), "assay_preflight", "InnoDB"); err != nil || d.Commits == 0 {
			t.Errorf("durability %+v, %v", d, err)
		}
		o.grant(t, grants(t)["data: Existing"], "")
		s = o.agent(t, o.endpoint(), nil)
		o.asks(t, s)
		if tables, err = s.Look(t.Context(), []string{"t"}); err != nil || len(tables) != 1 || tables[0].Rows != 2 {
			t.Errorf("a look at %+v, %v", tables, err)
		}
		o.writesOnExisting(t)
	})
}

// asks what a trial of any workload asks.
func (o owner) asks(t *testing.T, s *database.Server) {
	t.Helper()
	version, comment, err := s.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if all, err := s.Variables(t.Context()); err != nil || all["max_connections"] == "" {
		t.Errorf("variables: %d, %v", len(all), err)
	}
	if all, err := s.NonDefault(t.Context(), engines.Identify(version, comment, nil).Facts.NonDefault); err != nil || len(all) == 0 {
		t.Errorf("variables that are not default: %d, %v", len(all), err)
	}
	all, err := s.Status(t.Context())
	if err != nil || all["Questions"] == "" {
		t.Errorf("counters: %d, %v", len(all), err)
	}
	// MySQL tells the length of its history list to accounts with PROCESS alone.
	if _, told := all["trx_rseg_history_len"]; told {
		t.Error("an account without PROCESS was told the length of the history list")
	}
	if n, err := s.AccountConnections(t.Context()); err != nil || n != 0 {
		t.Errorf("a limit of the account: %d, %v", n, err)
	}
}

// writesOnExisting tables of somebody else.
func (o owner) writesOnExisting(t *testing.T) {
	t.Helper()
	w := tools[0]
	o.grant(t, grants(t)["data: Loaded"], "")
	if f := w.run(t, o.trial(w, contract.PhasePrepare), nil); f != nil {
		t.Fatal(f)
	}
	o.grant(t, grants(t)["data: Existing, allowWrites: true"], "")
	if f := w.run(t, o.trial(w, contract.PhaseRun), nil); f != nil {
		t.Errorf("%s on tables that exist: %+v", w.Name, f)
	}
	reads := w
	reads.workload = strings.Replace(w.workload, "oltp_read_write", "oltp_read_only", 1)
	o.grant(t, grants(t)["data: Existing"], "")
	if f := reads.run(t, o.trial(reads, contract.PhaseRun), nil); f != nil {
		t.Errorf("%s that only reads: %+v", w.Name, f)
	}
}

// None of the rights can be left out, and the failure of a trial names the one that is missing, with its GRANT.
func TestARightThatIsMissingIsNamed(t *testing.T) {
	onServers(t, func(t *testing.T, o owner) {
		all := grants(t)["data: Loaded"]
		for _, lacks := range all {
			o.do(t, "DROP DATABASE "+managed, "CREATE DATABASE "+managed)
			o.grant(t, slices.DeleteFunc(slices.Clone(all), func(p string) bool { return p == lacks }), "")
			f := o.everyPhase(t, tools[0])
			named := f != nil && (strings.Contains(f.Message, "GRANT "+lacks+" ON `"+managed+"`.*") || strings.Contains(f.Message, "GRANT "+lacks+" on the schema of that table"))
			if !named || f.Reason != contract.ReasonCredentialsRejected {
				t.Errorf("without %s: %+v", lacks, f)
			}
		}
		o.grant(t, nil, "")
		_, _, err := o.agent(t, o.endpoint(), nil).Version(t.Context())
		if err == nil {
			t.Fatal("an account without any right on the schema could use it")
		}
		if f := database.FailureOf(err); f.Reason != contract.ReasonCredentialsRejected || !strings.Contains(f.Message, "GRANT SELECT ON `managed`.*") {
			t.Errorf("without any: %+v", f)
		}
	})
}

// What a service limits is said before the tool meets it, and by what the tool says when it does.
func TestAnAccountWithALimitAndAServerThatIsReadOnly(t *testing.T) {
	onServers(t, func(t *testing.T, o owner) {
		all, w := grants(t)["data: Loaded"], tools[0]
		o.grant(t, all, " WITH MAX_USER_CONNECTIONS 3")
		if n, err := o.agent(t, o.endpoint(), nil).AccountConnections(t.Context()); err != nil || n != 3 {
			t.Errorf("the account may have 3 connections, and the server says %d, %v", n, err)
		}
		many := w
		many.workload = strings.Replace(w.workload, `"threads": 2`, `"threads": 8`, 1)
		if f := w.run(t, o.trial(w, contract.PhasePrepare), nil); f != nil {
			t.Fatal(f)
		}
		if f := many.run(t, o.trial(many, contract.PhaseRun), nil); f == nil || f.Reason != contract.ReasonLimitTooLow || !strings.Contains(f.Message, "max_user_connections") {
			t.Errorf("8 threads of an account with 3 connections: %+v", f)
		}
		o.grant(t, all, " WITH MAX_QUERIES_PER_HOUR 20")
		// MariaDB does not count statements that were prepared.
		text := w
		text.workload = strings.Replace(w.workload, `"dbPsMode": "auto"`, `"dbPsMode": "disable"`, 1)
		if f := text.run(t, o.trial(text, contract.PhaseRun), nil); f == nil || f.Reason != contract.ReasonLimitTooLow || !strings.Contains(f.Message, "MAX_QUERIES_PER_HOUR") {
			t.Errorf("an account with 20 statements in an hour: %+v", f)
		}
		o.grant(t, all, "")
		t.Cleanup(func() { o.do(t, "SET GLOBAL read_only = OFF") })
		o.do(t, "SET GLOBAL read_only = ON")
		if f := w.run(t, o.trial(w, contract.PhaseRun), nil); f == nil || !strings.Contains(f.Message, "takes no writes: give the address of the one that does") {
			t.Errorf("a workload that writes on a server that is read-only: %+v", f)
		}
		reads := w
		reads.workload = strings.Replace(w.workload, "oltp_read_write", "oltp_read_only", 1)
		if f := reads.run(t, o.trial(reads, contract.PhaseRun), nil); f != nil {
			t.Errorf("a workload that reads on a server that is read-only: %+v", f)
		}
		o.do(t, "SET GLOBAL read_only = OFF")
	})
}

// An account that requires TLS, with the authority of the server as ca.crt: the agent and go-tpc verify it.
func TestTLSWithAnAuthority(t *testing.T) {
	onServers(t, func(t *testing.T, o owner) {
		ca, err := os.ReadFile(authorityFile(t))
		if err != nil {
			t.Fatal(err)
		}
		o.grant(t, grants(t)["data: Loaded"], " REQUIRE SSL")
		e := o.endpoint()
		e.TLS = contract.TLSRequired
		if version, cipher, err := o.agent(t, e, ca).Session(t.Context()); err != nil || version == "" || cipher == "" {
			t.Errorf("a session with TLS has %q %q, %v", version, cipher, err)
		}
		if _, _, err := o.agent(t, e, nil).Version(t.Context()); err == nil || database.FailureOf(err).Reason != contract.ReasonTLSFailed {
			t.Errorf("a server whose authority nobody knows: %v", err)
		}
		for _, phase := range []contract.Phase{contract.PhasePrepare, contract.PhaseRun, contract.PhaseCleanup} {
			trial := o.trial(tools[1], phase)
			trial.Endpoint = e
			if f := tools[1].run(t, trial, ca); f != nil {
				t.Errorf("%s: %+v", phase, f)
			}
		}
	})
}
