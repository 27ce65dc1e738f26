package target

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/agent/supervise"
	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestAServerIsProvidedAndStopped(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.open.Store(false)
	// What a container that was killed leaves behind.
	for _, stale := range []string{r.Data + "/db.initialising/half", r.Data + "/lost+found", r.Run} {
		if err := os.MkdirAll(stale, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	lock := filepath.Join(r.Run, "server.sock.lock")
	if err := os.WriteFile(lock, []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.begin(t)
	await(t, "a login", func() bool { return r.logins.Load() > 2 })
	if code, _ := r.get("/readyz"); code != 503 {
		t.Errorf("readyz before the first login: %d, want 503", code)
	}
	if code, _ := r.get("/livez"); code != 200 {
		t.Errorf("livez: %d, want 200", code)
	}
	secret, err := os.ReadFile(r.initFile())
	if err != nil || string(secret) != "-- secret\n" {
		t.Errorf("the init file holds %q, %v", secret, err)
	}
	if info, err := os.Stat(r.initFile()); err == nil && info.Mode().Perm() != 0o600 {
		t.Errorf("the init file has mode %o, want 600", info.Mode().Perm())
	}
	r.open.Store(true)
	await(t, "readiness", r.isReady)
	for _, gone := range []string{r.initFile(), lock, r.Data + "/db.initialising"} {
		if _, err := os.Stat(gone); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", gone, err)
		}
	}
	r.stop()
	if err := r.end(t); err != nil {
		t.Errorf("a clean stop is an error: %v", err)
	}
}

func TestADataDirectoryIsInitialisedOnce(t *testing.T) {
	for _, initialise := range []string{"init", "refuse"} { // the second start must not initialise
		r := newRig(t, initialise, "serve")
		if initialise == "refuse" {
			if err := os.MkdirAll(r.paths().Data, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		r.begin(t)
		await(t, "readiness", r.isReady)
		r.stop()
		if err := r.end(t); err != nil {
			t.Error(err)
		}
	}
}

func TestReadinessIsAskedForAtMostOncePerSecond(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.begin(t)
	await(t, "readiness", r.isReady)
	before, began := r.logins.Load(), time.Now()
	for range 50 {
		r.get("/readyz")
	}
	extra, took := r.logins.Load()-before, time.Since(began)
	if most := 1 + took/time.Second; time.Duration(extra) > most {
		t.Errorf("%d logins for 50 probes in %s", extra, took)
	}
	r.open.Store(false)
	await(t, "the loss of readiness", func() bool { return !r.isReady() })
}

func TestEnvironment(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.begin(t)
	await(t, "readiness", r.isReady)
	var got contract.TargetEnvironment
	_, body := r.get("/environment")
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	if got.Version != contract.EnvironmentVersion || got.Flavor != "Fake" || got.ServerVersion != "1.2.3-Fake" || got.Machine.Kernel == "" {
		t.Errorf("environment %+v", got)
	}
	if got.Usage.At.IsZero() || got.Usage.VoluntarySwitches == nil {
		t.Errorf("usage %+v, want the context switches of the server", got.Usage)
	}
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "no longer syncs it") {
		t.Errorf("warnings %q, want the one about the redo log", got.Warnings)
	}
}

func TestHowAServerEnds(t *testing.T) {
	tests := map[string]struct {
		initialise, serve string
		want              contract.TargetReason
		message           string
	}{
		"a setting that the initialisation refuses": {"refuse", "serve", contract.ReasonServerRefusedSetting, "unknown variable"},
		"a setting that the server refuses":         {"init", "refuse", contract.ReasonServerRefusedSetting, "unknown variable"},
		"a full disk":                               {"full", "serve", contract.ReasonStorageFailed, "No space left"},
		"an initialisation that just fails":         {"odd", "serve", contract.ReasonInitialisationFailed, "exited with code 4"},
		"a server that just ends":                   {"init", "odd", contract.ReasonServerCrashed, "exited with code 4 before it was ready"},
		"a server that is killed":                   {"init", "killed", contract.ReasonServerKilled, "died by SIGKILL"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, tc.initialise, tc.serve)
			r.open.Store(false)
			r.begin(t)
			var f *failure
			if err := r.end(t); !errors.As(err, &f) || f.reason != tc.want || !strings.Contains(f.termination().Message, tc.message) {
				t.Fatalf("got %v, want %s with %q", err, tc.want, tc.message)
			}
			if strings.Contains(f.log, "[Note]") || strings.Contains(f.log, "Aborting") {
				t.Errorf("the message repeats what says nothing: %s", f.log)
			}
			if _, err := os.Stat(r.initFile()); !errors.Is(err, os.ErrNotExist) {
				t.Error("the init file with the password is still there")
			}
		})
	}
}

func TestAServerWithoutItsProgram(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.in.engine.Serve = func(contract.Target, engine.Paths) engine.Command {
		return engine.Command{Programs: []string{"assay-no-such-server"}}
	}
	r.begin(t)
	var f *failure
	if err := r.end(t); !errors.As(err, &f) || f.reason != contract.ReasonServerMissing {
		t.Errorf("got %v, want %s", err, contract.ReasonServerMissing)
	}
}

// TestTheServerIsAskedForItsVersion: before anything is written, and refused if it is not
// the one that is wanted.
func TestTheServerIsAskedForItsVersion(t *testing.T) {
	command := func(mode string) func() engine.Command {
		return func() engine.Command { return engine.Command{Programs: []string{os.Args[0]}, Args: []string{mode, ""}} }
	}
	tests := map[string]struct {
		version func() engine.Command
		want    string
	}{
		"the server of another flavor":    {command("odd"), "asked for its version, it exited with code 4"},
		"a program that prints something": {command("init-nothing"), "is of no flavor that is known"},
		"no program": {func() engine.Command { return engine.Command{Programs: []string{"assay-no-such-server"}} },
			"the image has no Fake server"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "init", "serve")
			r.in.engine.Version = tc.version
			r.begin(t)
			var f *failure
			if err := r.end(t); !errors.As(err, &f) || f.reason != contract.ReasonServerMissing || !strings.Contains(f.what, tc.want) {
				t.Errorf("got %v, want %s with %q", err, contract.ReasonServerMissing, tc.want)
			}
			if done, err := initialised(r.Options); done || err != nil {
				t.Errorf("there is a data directory: %v, %v", done, err)
			}
		})
	}
	r := newRig(t, "init", "serve")
	told := make(chan string, 9)
	config := r.in.engine.Config
	r.in.engine.Config = func(target contract.Target, p engine.Paths) []byte {
		told <- target.ServerVersion
		return config(target, p)
	}
	r.begin(t)
	await(t, "readiness", r.isReady)
	if got := <-told; got != "1.2.3" {
		t.Errorf("the configuration is written for version %q, want 1.2.3", got)
	}
}

func TestAServerThatDoesNotPrintItsVersion(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.in.engine.Version = func() engine.Command {
		return engine.Command{Programs: []string{os.Args[0]}, Args: []string{"init-hangs", r.paths().Data}}
	}
	r.begin(t)
	await(t, "the program", func() bool { return exists(filepath.Join(r.Run, upFile)) })
	r.stop()
	if err := r.end(t); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the agent is shutting down", err)
	}
}

// TestAServerThatInitialisesItself has no command for it: a data directory whose first
// start did not end with a login is not used again.
func TestAServerThatInitialisesItself(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.in.engine.Initialise = nil
	r.open.Store(false)
	again := func() {
		r.agent = newAgent(r.Options, r.in, r.login.try)
		r.begin(t)
		await(t, "the server", func() bool { return exists(filepath.Join(r.Run, upFile)) })
	}
	again()
	half := filepath.Join(r.paths().Data, "half")
	if err := os.WriteFile(half, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.stop()
	if err := r.end(t); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want that the agent is shutting down", err)
	}
	r.open.Store(true)
	again()
	await(t, "readiness", r.isReady)
	if exists(half) {
		t.Error("what an interrupted first start left is still there")
	}
	whole := filepath.Join(r.paths().Data, rowsFile)
	if err := os.WriteFile(whole, []byte("rows"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.ask(t, contract.PathSnapshot, "s").mustSucceed(t)
	if err := os.Remove(whole); err != nil {
		t.Fatal(err)
	}
	r.ask(t, contract.PathRestore, "r").mustSucceed(t)
	r.stop()
	if err := r.end(t); err != nil {
		t.Fatal(err)
	}
	again()
	await(t, "readiness after a restart", r.isReady)
	if !exists(whole) || exists(r.firstStartFile()) {
		t.Error("a restart lost the data, or the first start is not over")
	}
}

func TestAnAccountThatWasNotMade(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.denied.Store(true)
	r.begin(t)
	var f *failure
	if err := r.end(t); !errors.As(err, &f) || f.reason != contract.ReasonInitialisationFailed || !strings.Contains(f.what, "Access denied") {
		t.Errorf("got %v, want %s", err, contract.ReasonInitialisationFailed)
	}
}

func TestAServerThatDoesNotStop(t *testing.T) {
	r := newRig(t, "init", "serve-hangs")
	r.Grace = 100 * time.Millisecond
	r.begin(t)
	await(t, "readiness", r.isReady)
	r.stop()
	var f *failure
	if err := r.end(t); !errors.As(err, &f) || f.reason != contract.ReasonServerKilled || !strings.Contains(f.what, "did not shut down") {
		t.Errorf("got %v, want %s", err, contract.ReasonServerKilled)
	}
}

func TestAnInterruptedInitialisationLeavesNoDataDirectory(t *testing.T) {
	r := newRig(t, "init-hangs", "serve")
	r.begin(t)
	await(t, "the draft", func() bool { _, err := os.Stat(r.paths().Data + ".initialising"); return err == nil })
	r.stop()
	if err := r.end(t); err == nil {
		t.Error("an initialisation that was interrupted passes for a server")
	}
	if done, err := initialised(r.Options); done || err != nil {
		t.Errorf("initialised: %v, %v", done, err)
	}
}

func TestRunRefusesItsInputs(t *testing.T) {
	good := `{"version":"assay.dev/target/v1","flavor":"MariaDB","storageEngine":"InnoDB","database":"d","username":"u","port":3306%s}`
	tests := map[string]struct {
		target, password string
		// key of the agent; no file where it is empty.
		key     string
		want    contract.TargetReason
		message string
	}{
		"no target":           {"", "x", "k", contract.ReasonInitialisationFailed, "reading the target"},
		"another version":     {`{"version":"v9"}`, "x", "k", contract.ReasonInitialisationFailed, `got "v9"`},
		"a part is missing":   {`{"version":"assay.dev/target/v1"}`, "x", "k", contract.ReasonInitialisationFailed, "are needed"},
		"no password":         {strings.Replace(good, "%s", "", 1), "", "k", contract.ReasonInitialisationFailed, "password is empty"},
		"no key of the agent": {strings.Replace(good, "%s", "", 1), "x", "", contract.ReasonInitialisationFailed, "of the same release"},
		"an unknown flavor":   {strings.Replace(strings.Replace(good, "MariaDB", "Oracle", 1), "%s", "", 1), "x", "k", contract.ReasonServerMissing, `no engine "Oracle"`},
		"an owned setting":    {strings.Replace(good, "%s", `,"settings":[{"name":"datadir","value":"/x"}]`, 1), "x", "k", contract.ReasonServerRefusedSetting, "settings.datadir: set by Assay"},
		"a volume read-only":  {strings.Replace(good, "%s", "", 1), "x", "k", contract.ReasonStorageFailed, "/proc"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			o := Options{
				TargetFile: dir + "/target.json", PasswordFile: dir + "/password", KeyFile: dir + "/agent.key", TerminationLog: dir + "/term",
				Data: "/proc/assay", Run: dir + "/run", Tmp: dir, Listen: "127.0.0.1:0",
				Log: slog.New(slog.DiscardHandler), Engine: engines.Find,
			}
			if tc.target != "" {
				if err := os.WriteFile(o.TargetFile, []byte(tc.target), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(o.PasswordFile, []byte(tc.password), 0o600); err != nil {
				t.Fatal(err)
			}
			if tc.key != "" {
				if err := os.WriteFile(o.KeyFile, []byte(tc.key), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := Run(t.Context(), o); err == nil {
				t.Error("no error")
			}
			told := readTermination(t, o.TerminationLog)
			if told.Reason != tc.want || !strings.Contains(told.Message, tc.message) {
				t.Errorf("got %+v, want %s with %q", told, tc.want, tc.message)
			}
		})
	}
}

// What lines mean is tested with the flavors (engines).
func TestClassify(t *testing.T) {
	const other = contract.ReasonServerCrashed
	refused := []string{"", "[ERROR] mariadbd: unknown variable 'no_such_thing=1'"}
	full := []string{"[ERROR] InnoDB: preallocating 12582912 bytes for file ./ibdata1 failed with error 28"}
	tests := map[string]struct {
		signal   string
		lines    []string
		starting bool
		want     contract.TargetReason
	}{
		"a setting that it refuses":                {"", refused, true, contract.ReasonServerRefusedSetting},
		"once it was ready, settings are no cause": {"", refused, false, other},
		"a full volume, when it starts":            {"", full, true, contract.ReasonStorageFailed},
		"a full volume, while it serves":           {"", full, false, contract.ReasonStorageFailed},
		"the kernel killed it, whatever it logged": {"SIGKILL", full, false, contract.ReasonServerKilled},
		"silence": {"", nil, true, other},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := (lastWords{logOfMariaDB(), tc.lines}).classify(supervise.Exit{Code: 1, Signal: tc.signal}, tc.starting, other); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}
