package client

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// varying is a trial whose settings vary.
func varying(agent string, settings ...contract.VariedSetting) func(*contract.Trial) {
	return func(trial *contract.Trial) { trial.Agent, trial.Settings = agent, settings }
}

// The server is changed before anybody asks it something, and what it does afterwards is waited for.
func TestSettingsOfATrial(t *testing.T) {
	target := newFakeTarget(t)
	target.drop = 1
	r := newRig(t, "good", contract.PhaseRun, varying(target.address, contract.VariedSetting{Name: "innodb_buffer_pool_size", Value: "1G"}, contract.VariedSetting{Name: "sync_binlog", Value: "1"}))
	r.api.trial[contract.KeyStart] = time.Now().UTC().Format(time.RFC3339Nano)
	r.server.resize = []string{"Requested to resize buffer pool. (new size: 1073741824 bytes)", "Withdrawing blocks", "Completed resizing buffer pool at 1"}
	r.server.variables = map[string]string{"innodb_buffer_pool_size": "1073741824", "sync_binlog": "1"}
	res := runAll(t, []*rig{r})[0]
	if res.State != contract.Succeeded || res.Server.Variables["innodb_buffer_pool_size"] != "1073741824" {
		t.Errorf("%s, %v", res.State, res.Failure)
	}
	// The same ID each time: the agent does it once.
	call := "POST /settings t innodb_buffer_pool_size=1G sync_binlog=1"
	if want := []string{call, call, "speed", "environment", "environment"}; !slices.Equal(target.calls, want) {
		t.Errorf("calls %v, want %v", target.calls, want)
	}
	if asked := r.server.asked[:5]; !slices.Equal(asked, []string{"status", "status", "status", "version", "variables"}) {
		t.Errorf("asked the server %v", asked)
	}
}

// Before the load the server takes each value that a trial will have, and has what it had again.
func TestSettingsAreTriedBeforeTheLoad(t *testing.T) {
	both := []contract.VariedSetting{{Name: "sync_binlog", Value: "1"}, {Name: "sync_binlog", Value: "2"}}
	for name, tc := range map[string]struct {
		// keeps a value, whatever is set.
		keeps  string
		refuse *contract.Refusal
		calls  []string
		want   string // part of the failure; empty for none
	}{
		"taken": {calls: []string{"POST /settings t-0 sync_binlog=1", "POST /settings t-1 sync_binlog=2", "POST /settings t-2 sync_binlog=1"}},
		"refused": {
			refuse: &contract.Refusal{Reason: contract.ReasonServerRefusedSetting, Message: "read only"}, calls: []string{"POST /settings t-0 sync_binlog=1"},
			want: "SettingNotInForce: the server refuses a setting of spec.matrix: read only",
		},
		"not taken": {
			keeps: "1", calls: []string{"POST /settings t-0 sync_binlog=1", "POST /settings t-1 sync_binlog=2"},
			want: "SettingNotInForce: before the load config.sync_binlog: 2 was asked for, and the server has 1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			target := newFakeTarget(t)
			target.refuse = tc.refuse
			r := newRig(t, "good", contract.PhasePrepare, varying(target.address, both...))
			r.server.variables = map[string]string{"sync_binlog": "1"}
			if tc.keeps == "" {
				target.onSet = func(s contract.Setting) { r.server.set(s.Name, s.Value) }
			}
			err := r.agent.Run(t.Context())
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if got := target.calls[:min(len(tc.calls), len(target.calls))]; !slices.Equal(got, tc.calls) {
				t.Errorf("calls %v, want %v", target.calls, tc.calls)
			}
			if loaded := slices.Contains(r.server.asked, "tables"); loaded != (tc.want == "") {
				t.Errorf("loaded: %v; asked %v", loaded, r.server.asked)
			}
		})
	}
}

// A server that a trial starts, or whose data it puts back, starts with the settings that a start changes, and takes the others after it.
func TestSettingsOfAStart(t *testing.T) {
	for path, change := range map[string]func(*contract.Trial){
		"/restart": func(trial *contract.Trial) { trial.Restart = true },
		"/restore": func(trial *contract.Trial) {
			trial.Reset = &contract.Reset{Method: contract.ResetSnapshot, Tables: loadedTables()}
		},
	} {
		t.Run(path, func(t *testing.T) {
			target := newFakeTarget(t)
			r := newRig(t, "good", contract.PhaseRun,
				func(trial *contract.Trial) {
					varying(target.address, contract.VariedSetting{Name: "sync_binlog", Value: "1"}, contract.VariedSetting{Name: "back_log", Value: "77", Restart: true})(trial)
					change(trial)
				})
			r.api.trial[contract.KeyStart] = time.Now().UTC().Format(time.RFC3339Nano)
			r.server.variables = map[string]string{"back_log": "77", "sync_binlog": "1"}
			res := runAll(t, []*rig{r})[0]
			if res.State != contract.Succeeded {
				t.Fatalf("%+v", res.Failure)
			}
			if want := []string{"POST " + path + " t back_log=77", "POST /settings t sync_binlog=1"}; !slices.Equal(target.calls[:2], want) {
				t.Errorf("calls %v, want %v", target.calls[:2], want)
			}
		})
	}
}

// A trial whose setting is not in force fails, and says what is.
func TestSettingsThatAreNotInForce(t *testing.T) {
	for name, tc := range map[string]struct {
		setting contract.VariedSetting
		has     map[string]string
		later   map[string]string
		refuse  *contract.Refusal
		want    string
	}{
		"refused": {
			setting: contract.VariedSetting{Name: "x", Value: "7"}, refuse: &contract.Refusal{Reason: contract.ReasonServerRefusedSetting, Message: "SET GLOBAL x = 7: read only"},
			want: "SettingNotInForce: the server refuses a setting of spec.matrix: SET GLOBAL x = 7: read only",
		},
		"no start with it": {
			setting: contract.VariedSetting{Name: "x", Value: "7", Restart: true}, refuse: &contract.Refusal{Reason: contract.ReasonServerRefusedSetting, Message: "unknown variable 'x=7'"},
			want: "SettingNotInForce: the server refuses a setting of spec.matrix: unknown variable 'x=7'",
		},
		"another failure": {
			setting: contract.VariedSetting{Name: "x", Value: "7"}, refuse: &contract.Refusal{Reason: contract.ReasonServerKilled, Message: "killed"},
			want: "ResetFailed: setting variables of the server: ServerKilled: killed",
		},
		"rounded": {
			setting: contract.VariedSetting{Name: "innodb_buffer_pool_size", Value: "1000M"}, has: map[string]string{"innodb_buffer_pool_size": "1073741824"},
			want: "SettingNotInForce: before the warm-up config.innodb_buffer_pool_size: 1000M was asked for, and the server has 1073741824",
		},
		"not shown": {
			setting: contract.VariedSetting{Name: "skip_slave_start", Value: "1"}, want: "SettingNotInForce: before the warm-up config.skip_slave_start: the server has no variable of that name",
		},
		"lost in the window": {
			setting: contract.VariedSetting{Name: "sync_binlog", Value: "1"}, has: map[string]string{"sync_binlog": "1"}, later: map[string]string{"sync_binlog": "0"},
			want: "SettingNotInForce: after the window config.sync_binlog: 1 was asked for, and the server has 0",
		},
	} {
		t.Run(name, func(t *testing.T) {
			target := newFakeTarget(t)
			target.refuse = tc.refuse
			r := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) {
				varying(target.address, tc.setting)(trial)
				trial.Restart = tc.setting.Restart
			})
			r.api.trial[contract.KeyStart] = time.Now().UTC().Format(time.RFC3339Nano)
			r.server.variables, r.server.later = tc.has, tc.later
			if err := r.agent.Run(t.Context()); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

// Nobody could change the settings of a server without an agent, or tell those of its replicas.
func TestSettingsThatCannotVary(t *testing.T) {
	for want, change := range map[string]func(*contract.Trial){
		"agent: missing, but settings": varying("", contract.VariedSetting{Name: "x", Value: "1"}),
		"those of a server with replicas do": func(trial *contract.Trial) {
			varying("a:1", contract.VariedSetting{Name: "x", Value: "1"})(trial)
			trial.Replicas = []string{"r:1"}
		},
	} {
		if err := newRig(t, "good", contract.PhaseRun, change).agent.Run(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
