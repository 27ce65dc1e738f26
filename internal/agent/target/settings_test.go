package target

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/agent/database"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// newSettingsRig is a rig whose server can have its settings changed: it writes them into its configuration, and does not start with
// the setting no_such.
func newSettingsRig(t *testing.T) (*rig, *fakeDatabase) {
	t.Helper()
	r, db := newRig(t, "init", "serve"), &fakeDatabase{broken: map[string]error{}}
	r.setter = openFake(t, db)
	r.in.target.Settings = []contract.Setting{{Name: "x", Value: "1"}, {Name: "y", Value: "1"}}
	r.in.engine.Owned = engine.OwnedWith()
	r.in.engine.Config = func(target contract.Target, _ engine.Paths) []byte {
		var lines []string
		for _, s := range target.Settings {
			lines = append(lines, s.Name+"="+s.Value)
		}
		return []byte(strings.Join(lines, " "))
	}
	serve := r.in.engine.Serve
	r.in.engine.Serve = func(target contract.Target, p engine.Paths) engine.Command {
		c := serve(target, p)
		if slices.ContainsFunc(target.Settings, func(s contract.Setting) bool { return s.Name == "no_such" }) {
			c.Args[0] = "refuse"
		}
		return c
	}
	return r, db
}

// operation asks for one with settings, given as name, value, name, value.
func (r *rig) operation(t *testing.T, path, id string, pairs ...string) (int, string) {
	t.Helper()
	wanted := contract.Operation{ID: id}
	for pair := range slices.Chunk(pairs, 2) {
		wanted.Settings = append(wanted.Settings, contract.Setting{Name: pair[0], Value: pair[1]})
	}
	body, err := json.Marshal(wanted)
	if err != nil {
		t.Fatal(err)
	}
	return r.request(http.MethodPost, path, agentKey, string(body))
}

func (r *rig) configuration(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(r.configFile())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The running server is changed, each value as SET takes it.
func TestSettingsAreSet(t *testing.T) {
	r, db := newSettingsRig(t)
	r.beginReady(t)
	pid := r.pid.Load()
	pairs := []string{"pool", "512M", "pct", "75.5", "name", "it's", "most", "18446744073709551615"}
	for range 2 { // the same ID: it is done once
		if code, body := r.operation(t, contract.PathSettings, "one", pairs...); code != http.StatusOK {
			t.Fatalf("%d %s", code, body)
		}
	}
	want := []statement{
		{"SET GLOBAL `pool` = ?", []driver.Value{int64(512 << 20)}}, {"SET GLOBAL `pct` = ?", []driver.Value{75.5}},
		{"SET GLOBAL `name` = ?", []driver.Value{"it's"}}, {"SET GLOBAL `most` = ?", []driver.Value{uint64(18446744073709551615)}},
	}
	if diff := cmp.Diff(want, db.said, cmp.AllowUnexported(statement{})); diff != "" {
		t.Errorf("statements (-want +got):\n%s", diff)
	}
	if r.pid.Load() != pid {
		t.Error("the server was started again")
	}
}

// What cannot be set is refused in the words of the server, and what Assay owns is not tried.
func TestSettingsThatAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		name string
		code int
		want []string
	}{
		"by the server": {
			err: &mysql.MySQLError{Number: 1231, Message: "Variable 'x' can't be set to the value of '7'"}, name: "x", code: http.StatusInternalServerError,
			want: []string{"ServerRefusedSetting", "SET GLOBAL x = 7", "can't be set to the value of '7'"},
		},
		"because only a start changes it": {
			err: &mysql.MySQLError{Number: 1238, Message: "Variable 'x' is a read only variable"}, name: "x", code: http.StatusInternalServerError,
			want: []string{"ServerRefusedSetting", "is a read only variable", "set apply: Restart for this axis"},
		},
		"because the connection broke": {
			err: errors.New("connection reset"), name: "x", code: http.StatusInternalServerError, want: []string{"InitialisationFailed", "SET GLOBAL x = 7", "connection reset"},
		},
		"because it is Assay's": {name: "datadir", code: http.StatusBadRequest, want: []string{"RequestInvalid", "settings.datadir: set by Assay"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, db := newSettingsRig(t)
			db.broken["SET GLOBAL `x` = ?"] = tc.err
			r.beginReady(t)
			code, body := r.operation(t, contract.PathSettings, "one", tc.name, "7")
			if code != tc.code {
				t.Errorf("%d %s", code, body)
			}
			for _, part := range tc.want {
				if !strings.Contains(strings.ReplaceAll(body, `\u0026`, "&"), part) {
					t.Errorf("%q is not in %s", part, body)
				}
			}
			if !r.isReady() {
				t.Error("the server is gone")
			}
		})
	}
}

// An agent whose manager did not foresee that its settings vary has no account for it.
func TestSettingsWithoutTheirAccount(t *testing.T) {
	r, _ := newSettingsRig(t)
	r.setter = nil
	r.beginReady(t)
	if code, body := r.operation(t, contract.PathSettings, "one", "x", "7"); code != http.StatusBadRequest || !strings.Contains(body, "without an account") {
		t.Errorf("%d %s", code, body)
	}
}

// The account that may set variables has a password that nobody else knows, and another one at each start of the agent.
func TestThePasswordOfTheSettings(t *testing.T) {
	dir := t.TempDir()
	o := Options{TargetFile: dir + "/target.json", PasswordFile: dir + "/password", KeyFile: dir + "/agent.key", Engine: engines.Find}
	for file, text := range map[string]string{
		o.PasswordFile: "known", o.KeyFile: agentKey,
		o.TargetFile: `{"version":"` + contract.TargetVersion + `","flavor":"MariaDB","storageEngine":"InnoDB","database":"d","username":"u","port":3306,"setter":"s"}`,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{"": true, "known": true}
	for range 2 {
		in, err := loadInputs(o)
		if err != nil {
			t.Fatal(err)
		}
		password := in.credentials("s").Password
		if seen[password] || in.credentials("u").Password != "known" {
			t.Errorf("password %q, and that of the benchmark %q", password, in.credentials("u").Password)
		}
		sql := strings.Join(in.engine.BootstrapSQL(in.target, in.password), "\n")
		if !strings.Contains(sql, "ALTER USER 's'@'127.0.0.1' IDENTIFIED BY '"+password+"';") {
			t.Errorf("the account has another password: %s", sql)
		}
		seen[password] = true
	}
}

// A server is started with other settings until its next start, and without those that it does not start with.
func TestSettingsOfAStart(t *testing.T) {
	r, _ := newSettingsRig(t)
	r.beginReady(t)
	r.ask(t, contract.PathSnapshot, "s").mustSucceed(t)
	for _, step := range []struct {
		path  string
		pairs []string
		want  string
		// refused with these words.
		refused string
	}{
		{path: contract.PathRestart, pairs: []string{"x", "2"}, want: "y=1 x=2"},
		{path: contract.PathRestore, pairs: []string{"x", "3", "z", "1"}, want: "y=1 x=3 z=1"},
		{path: contract.PathRestart, pairs: []string{"no_such", "1"}, want: "x=1 y=1", refused: "unknown variable 'no_such=1'"},
		{path: contract.PathRestart, pairs: []string{"y", "4"}, want: "x=1 y=4"},
		{path: contract.PathRestart, want: "x=1 y=1"},
	} {
		code, body := r.operation(t, step.path, step.want+step.refused, step.pairs...)
		if refused := code != http.StatusOK; refused != (step.refused != "") || !strings.Contains(body, step.refused) {
			t.Errorf("%v: %d %s", step.pairs, code, body)
		}
		if step.refused != "" && !strings.Contains(body, string(contract.ReasonServerRefusedSetting)) {
			t.Errorf("%v: %s", step.pairs, body)
		}
		if got := r.configuration(t); got != step.want {
			t.Errorf("%v: configuration %q, want %q", step.pairs, got, step.want)
		}
		if !r.isReady() {
			t.Errorf("%v: the server is not ready", step.pairs)
		}
	}
}

// After a start of the agent the settings are those of the target, so that the same request is carried out again.
func TestSettingsOfAStartDoNotOutliveTheAgent(t *testing.T) {
	r, _ := newSettingsRig(t)
	r.beginReady(t)
	if code, body := r.operation(t, contract.PathRestart, "one", "x", "2"); code != http.StatusOK {
		t.Fatalf("%d %s", code, body)
	}
	r.stop()
	if err := r.end(t); err != nil {
		t.Fatal(err)
	}
	next := r.again(t)
	next.in.engine.Config, next.in.target.Settings = r.in.engine.Config, r.in.target.Settings
	next.beginReady(t)
	if got := next.configuration(t); got != "x=1 y=1" {
		t.Errorf("after the start of the agent: %q", got)
	}
	if code, body := next.operation(t, contract.PathRestart, "one", "x", "2"); code != http.StatusOK {
		t.Fatalf("%d %s", code, body)
	}
	if got := next.configuration(t); got != "y=1 x=2" {
		t.Errorf("the same operation again: %q", got)
	}
}

// A restore that an earlier agent began is finished without other settings, so that one with settings is another operation.
func TestAnInterruptedRestoreHadNoSettings(t *testing.T) {
	r, _ := newSettingsRig(t)
	r.beginReady(t)
	r.ask(t, contract.PathSnapshot, "s").mustSucceed(t)
	r.stop()
	if err := r.end(t); err != nil {
		t.Fatal(err)
	}
	if err := writeDurably(r.volume.markerFile(), marker{ID: "r", Stopped: time.Now()}); err != nil {
		t.Fatal(err)
	}
	next := r.again(t)
	next.in.engine.Config, next.in.target.Settings = r.in.engine.Config, r.in.target.Settings
	next.beginReady(t)
	for _, step := range []struct {
		pairs []string
		want  string
	}{
		{want: "x=1 y=1"}, {pairs: []string{"x", "2"}, want: "y=1 x=2"}, {pairs: []string{"x", "2"}, want: "y=1 x=2"},
	} {
		if code, body := next.operation(t, contract.PathRestore, "r", step.pairs...); code != http.StatusOK {
			t.Fatalf("%v: %d %s", step.pairs, code, body)
		}
		if got := next.configuration(t); got != step.want {
			t.Errorf("%v: configuration %q, want %q", step.pairs, got, step.want)
		}
	}
}

// A real server takes what it can while it runs, says what it cannot, and takes that with a start. The account for it is of no use to
// anybody else.
func TestRealMariaDBVariesItsSettings(t *testing.T) {
	s := realServer(t, contract.Setting{Name: "sql_mode", Value: "ANSI_QUOTES,NO_BACKSLASH_ESCAPES"})
	s.in.target.Setter, s.in.target.SetterPassword = "assay_settings", "other"
	var err error
	if s.setter, err = database.Pool(s.in.endpoint(""), s.in.credentials(s.in.target.Setter)); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.provide(ctx) }()
	r := &rig{agent: s}
	await(t, "readiness", r.isReady)
	has := func(name string) (value string) {
		t.Helper()
		if err := openReal(t, s).QueryRowContext(t.Context(), "SELECT @@GLOBAL."+name).Scan(&value); err != nil {
			t.Fatal(err)
		}
		return value
	}
	before := has("back_log")
	for i, set := range [][2]string{
		{"innodb_flush_log_at_trx_commit", "2"}, {"innodb_flush_log_at_trx_commit", "0"}, {"sync_binlog", "7"}, {"max_connections", "77"},
		{"innodb_max_dirty_pages_pct", "75.5"}, {"innodb_stats_method", "nulls_ignored"},
	} {
		if code, body := r.operation(t, contract.PathSettings, "set"+strconv.Itoa(i), set[0], set[1]); code != http.StatusOK || has(set[0]) != set[1] {
			t.Errorf("%v: %d %s, in force %s", set, code, body, has(set[0]))
		}
	}
	most := has("innodb_io_capacity_max")
	for i, set := range [][2]string{{"9000", "18000"}, {"100", most}, {"9500", "19000"}, {"200", most}} { // a capacity, and the maximum then
		code, body := r.operation(t, contract.PathSettings, "capacity"+strconv.Itoa(i), "innodb_io_capacity", set[0])
		if got := has("innodb_io_capacity_max"); code != http.StatusOK || has("innodb_io_capacity") != set[0] || got != set[1] {
			t.Errorf("capacity %s: %d %s, the maximum is %s, want %s", set[0], code, body, got, set[1])
		}
	}
	if _, body := r.operation(t, contract.PathSettings, "no", "back_log", "77"); !strings.Contains(body, "read only variable") || !strings.Contains(body, "apply: Restart") {
		t.Errorf("a variable of a start: %s", body)
	}
	if code, body := r.operation(t, contract.PathRestart, "start", "back_log", "77"); code != http.StatusOK || has("back_log") != "77" {
		t.Errorf("with a start: %d %s", code, body)
	}
	if code, body := r.operation(t, contract.PathRestart, "bad", "innodb_page_size", "5000"); code == http.StatusOK || !strings.Contains(body, "innodb_page_size") && !strings.Contains(body, "page size") {
		t.Errorf("a start that fails: %d %s", code, body)
	}
	if got := has("back_log"); got != before {
		t.Errorf("after a start that failed: %s, want %s", got, before)
	}
	if _, err := openReal(t, s).ExecContext(t.Context(), "SET GLOBAL max_connections = 99"); err == nil {
		t.Error("the account of the benchmark may set variables")
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
