package client

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// adapter is the runner of the tests, changed.
func adapter(change func(*runner.Runner)) func(string) (runner.Runner, bool) {
	return func(name string) (runner.Runner, bool) {
		r, known := testRunner(name)
		change(&r)
		return r, known
	}
}

func TestFilesAndEnvironmentOfACommand(t *testing.T) {
	r := newRig(t, "files", contract.PhaseRun, func(trial *contract.Trial) { trial.WarmupSeconds = 1 })
	parsed := map[contract.Phase]map[string][]byte{}
	r.agent.Runner = adapter(func(a *runner.Runner) {
		command, parse := a.Command, a.Parse
		a.Command = func(t contract.Trial, p contract.Phase, c runner.Credentials) (runner.Command, error) {
			out, err := command(t, p, c)
			out.Env, out.Collect = map[string]string{"TOOL_OPTION": "hunter2", "A": "b"}, []string{"*.hdr", "read.*"}
			return out, err
		}
		a.Parse = func(t contract.Trial, p contract.Phase, o runner.Output) runner.Report {
			parsed[p] = o.Files
			return parse(t, p, o)
		}
	})
	r.startWhenReady(t)
	if err := r.agent.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[contract.Phase]map[string][]byte{
		contract.PhaseWarmup: {"read.hdr": []byte("read.hdr of Warmup")}, contract.PhaseRun: {"read.hdr": []byte("read.hdr of Run")},
	}
	if diff := cmp.Diff(want, parsed); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	_, raw := r.outcome(t)
	for name, want := range map[string]string{
		"run/files/read.hdr": "read.hdr of Run", "warmup/files/read.hdr": "read.hdr of Warmup", "run/environment.txt": "A\nTOOL_OPTION\n",
		"run/stdout.txt": "before [] option hunter2\n",
	} {
		if raw[name] != want {
			t.Errorf("raw file %s is %q, want %q", name, raw[name], want)
		}
	}
	if strings.Contains(raw["run/command.txt"], "hunter2") || slices.ContainsFunc(slices.Collect(maps.Keys(raw)), func(name string) bool {
		return strings.Contains(name, "link") || strings.Contains(name, "other")
	}) {
		t.Errorf("raw files have too much: %v", slices.Sorted(maps.Keys(raw)))
	}
}

func TestInputs(t *testing.T) {
	dir := t.TempDir()
	// As Kubernetes mounts a ConfigMap.
	data := filepath.Join(dir, "..2026")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "my.lua"), []byte("-- lua"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"..data": "..2026", "my.lua": "..data/my.lua"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := loadInputs(dir)
	if diff := cmp.Diff(map[string][]byte{"my.lua": []byte("-- lua")}, got); diff != "" || err != nil {
		t.Errorf("inputs, error %v (-want +got):\n%s", err, diff)
	}
	if got, err := loadInputs(dir + "/missing"); got != nil || err != nil {
		t.Errorf("a missing directory has %v, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "big"), make([]byte, maxInputs), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := loadInputs(dir); err == nil || !strings.Contains(err.Error(), "more than 1048576 bytes") {
		t.Errorf("got %v, want that it is too much", err)
	}

	r := newRig(t, "good", contract.PhaseCleanup, nil)
	r.agent.Inputs = filepath.Join(dir, "..2026")
	seen := map[string][]byte{}
	r.agent.Runner = adapter(func(a *runner.Runner) {
		parse := a.Parse
		a.Parse = func(t contract.Trial, p contract.Phase, o runner.Output) runner.Report {
			seen = t.Inputs
			return parse(t, p, o)
		}
	})
	if err := r.agent.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if string(seen["my.lua"]) != "-- lua" {
		t.Errorf("the runner saw %v", seen)
	}
}

func TestAPhaseWithoutACommandCountsWhatIsThere(t *testing.T) {
	r := newRig(t, "good", contract.PhasePrepare, nil)
	r.agent.Runner = adapter(func(a *runner.Runner) {
		a.Phases.Skips = func(_ contract.Trial, p contract.Phase) bool { return p == contract.PhasePrepare }
		a.Command = nil
	})
	if err := r.agent.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	res, raw := r.outcome(t)
	if diff := cmp.Diff(&contract.Data{Tables: loadedTables()}, res.Data); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	if res.Times.MeasureStarted != nil || res.Tool.ExitCode != nil || raw["prepare/command.txt"] != "" {
		t.Errorf("a tool was started: %+v", res.Tool)
	}
}

func TestADatabaseBehindJDBCIsNotAsked(t *testing.T) {
	jdbc := func(trial *contract.Trial) {
		trial.Endpoint = contract.Endpoint{TLS: contract.TLSPreferred, JDBC: &contract.JDBC{URL: "jdbc:sqlserver://db:1433", Driver: "x.Driver"}}
	}
	for _, phase := range []contract.Phase{contract.PhasePrepare, contract.PhaseRun} {
		r := newRig(t, "good", phase, jdbc)
		r.agent.Runner = adapter(func(a *runner.Runner) { a.Connection.JDBC = true })
		r.startWhenReady(t)
		if err := r.agent.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		res, _ := r.outcome(t)
		if res.Server != nil || res.Data != nil || len(r.server.asked) > 0 || len(res.Measurements) != 1 || len(res.Problems) > 0 {
			t.Errorf("%s: server %+v, data %+v, asked %v, problems %v", phase, res.Server, res.Data, r.server.asked, res.Problems)
		}
	}
	r := newRig(t, "good", contract.PhaseRun, jdbc)
	if err := r.agent.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "endpoint.jdbc: the runner fake") {
		t.Errorf("a tool without JDBC: got %v", err)
	}
	r = newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) {
		jdbc(trial)
		trial.Reset = &contract.Reset{Method: contract.ResetReload}
	})
	if err := r.agent.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "endpoint.jdbc: the data") {
		t.Errorf("a reset: got %v", err)
	}
}

// A Secret that lost its CA after the run was accepted: no tool gets the password.
func TestAServerThatNobodyCanVerifyGetsNoPassword(t *testing.T) {
	r := newRig(t, "good", contract.PhasePrepare, func(trial *contract.Trial) { trial.Endpoint.TLS = contract.TLSRequired })
	r.agent.Connect = func(contract.Endpoint, runner.Credentials) (Server, error) {
		t.Error("the agent connects")
		return r.server, nil
	}
	if err := r.agent.Run(t.Context()); err == nil {
		t.Error("the agent succeeds")
	}
	res, _ := r.outcome(t)
	if res.Failure == nil || res.Failure.Reason != contract.ReasonTLSFailed || !strings.Contains(res.Failure.Message, "ca.crt") {
		t.Errorf("got %+v, want %s", res.Failure, contract.ReasonTLSFailed)
	}
}

func TestTLSThatIsPreferredIsSettledBeforeAnyCommand(t *testing.T) {
	tests := map[string]struct {
		cipher string
		want   contract.TLSMode
		note   []contract.Problem
	}{
		"a server with TLS":    {"TLS_AES_256_GCM_SHA384", contract.TLSRequired, nil},
		"a server without TLS": {"", contract.TLSDisabled, []contract.Problem{{Source: "server/tls", Text: "TLS is preferred, but the server does not offer it: the tool connects without"}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			rigs := fourClients(t, func(trial *contract.Trial) { trial.Endpoint.TLS = contract.TLSPreferred })
			for _, r := range rigs {
				r.server.cipher = tc.cipher
				r.agent.Runner = adapter(func(a *runner.Runner) {
					command := a.Command
					a.Command = func(trial contract.Trial, p contract.Phase, c runner.Credentials) (runner.Command, error) {
						if trial.Endpoint.TLS != tc.want {
							t.Errorf("client %d builds a command with tls %s", trial.Ref.Client, trial.Endpoint.TLS)
						}
						return command(trial, p, c)
					}
				})
			}
			rigs[0].startAfter(t, 4, 0)
			for i, res := range runAll(t, rigs) {
				if diff := cmp.Diff(tc.note, res.Problems); diff != "" {
					t.Errorf("problems of client %d (-want +got):\n%s", i, diff)
				}
			}
		})
	}
}
