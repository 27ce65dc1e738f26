package client

import (
	"cmp"
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

// The server is changed before anybody asks it something, but after it has filled its buffer pool, and what it does afterwards is waited
// for.
func TestSettingsOfATrial(t *testing.T) {
	target := newFakeTarget(t)
	target.drop = 1
	r := newRig(t, "good", contract.PhaseRun, varying(target.address, contract.VariedSetting{Name: "innodb_buffer_pool_size", Value: "1G"}, contract.VariedSetting{Name: "sync_binlog", Value: "1"}))
	r.api.trial[contract.KeyStart] = time.Now().UTC().Format(time.RFC3339Nano)
	r.server.pool = []string{"Loading buffer pool(s) from /data/ib_buffer_pool", "Buffer pool(s) load completed"}
	looks := 0
	target.onSet = func(contract.Setting) { looks = max(looks, r.server.looked()) }
	r.server.resize = []string{"", "", "Requested to resize buffer pool. (new size: 1073741824 bytes)", "Withdrawing blocks", "Completed resizing buffer pool at 1"}
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
	if looks != 2 {
		t.Errorf("%d looks at the buffer pool before the server was changed, want 2", looks)
	}
	if asked := r.server.asked[:8]; !slices.Equal(asked, []string{"status", "status", "status", "status", "status", "variables", "version", "variables"}) {
		t.Errorf("asked the server %v", asked)
	}
}

// What the server does after the statement is waited for, where it is that of the settings of the trial.
func TestChangesThatGoOn(t *testing.T) {
	const failed = "Resizing buffer pool failed, finished resizing at 1"
	for name, tc := range map[string]struct {
		setting      string
		resize, redo []string
		looks        int    // at the status, before anything else is asked
		want         string // part of the failure; empty for none
	}{
		"nothing":                   {setting: "sync_binlog", looks: 1},
		"of another setting":        {setting: "sync_binlog", resize: []string{failed}, redo: []string{"Resizing down"}, looks: 1},
		"a buffer pool":             {setting: "innodb_buffer_pool_size", resize: []string{"", "Withdrawing blocks", "Completed resizing buffer pool."}, looks: 3},
		"a buffer pool at once":     {setting: "innodb_buffer_pool_size", looks: 2},
		"a buffer pool of its size": {setting: "innodb_buffer_pool_size", resize: []string{"Size did not change (old size = new size = 1)."}, looks: 2},
		"a buffer pool that cannot": {
			setting: "innodb_buffer_pool_size", resize: []string{"", "Withdrawing blocks", failed}, looks: 3,
			want: "SettingNotInForce: the server could not change config.innodb_buffer_pool_size: " + failed,
		},
		"a redo log":         {setting: "innodb_redo_log_capacity", redo: []string{"OK", "Resizing down", "Resizing down", "OK"}, looks: 4},
		"a redo log at once": {setting: "innodb_redo_log_capacity", redo: []string{"OK"}, looks: 2},
	} {
		t.Run(name, func(t *testing.T) {
			target := newFakeTarget(t)
			r := newRig(t, "good", contract.PhaseRun, varying(target.address, contract.VariedSetting{Name: tc.setting, Value: "1"}))
			r.api.trial[contract.KeyStart] = time.Now().UTC().Format(time.RFC3339Nano)
			r.server.resize, r.server.redo, r.server.variables = tc.resize, tc.redo, map[string]string{tc.setting: "1"}
			err := r.agent.Run(t.Context())
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			looks := slices.IndexFunc(r.server.asked, func(question string) bool { return question != "status" })
			if looks < 0 {
				looks = len(r.server.asked)
			}
			if looks != tc.looks {
				t.Errorf("%d looks at the status, want %d: %v", looks, tc.looks, r.server.asked)
			}
		})
	}
}

// Settings that limit one another come into force in any order.
func TestSettingsThatLimitOneAnother(t *testing.T) {
	target := newFakeTarget(t)
	r := newRig(t, "good", contract.PhaseRun, varying(target.address, contract.VariedSetting{Name: "innodb_io_capacity", Value: "900"}, contract.VariedSetting{Name: "innodb_io_capacity_max", Value: "900"}))
	r.api.trial[contract.KeyStart] = time.Now().UTC().Format(time.RFC3339Nano)
	r.server.variables = map[string]string{"innodb_io_capacity": "200", "innodb_io_capacity_max": "400"}
	most := "400"
	target.onSet = func(s contract.Setting) {
		if s.Name == "innodb_io_capacity_max" {
			most = s.Value
		}
		r.server.set(s.Name, min(s.Value, most)) // three digits each
	}
	if err := r.agent.Run(t.Context()); err != nil {
		t.Error(err)
	}
	if want := []string{"POST /settings t innodb_io_capacity=900 innodb_io_capacity_max=900", "POST /settings t-again innodb_io_capacity=900"}; !slices.Equal(target.calls[:2], want) {
		t.Errorf("calls %v, want %v", target.calls[:2], want)
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
		"taken": {calls: []string{"POST /settings t-0 sync_binlog=1", "POST /settings t-1 sync_binlog=2", "POST /settings t-back sync_binlog=1"}},
		"refused": {
			refuse: &contract.Refusal{Reason: contract.ReasonServerRefusedSetting, Message: "read only"}, calls: []string{"POST /settings t-0 sync_binlog=1"},
			want: "SettingNotInForce: the server refuses a setting of spec.matrix: read only",
		},
		"taken, not in force": {keeps: "1", calls: []string{"POST /settings t-0 sync_binlog=1", "POST /settings t-1 sync_binlog=2", "POST /settings t-back sync_binlog=1"}},
		"not put back": {
			keeps: "2", calls: []string{"POST /settings t-0 sync_binlog=1", "POST /settings t-1 sync_binlog=2", "POST /settings t-back sync_binlog=1"},
			want: "SettingNotInForce: after each value was tried before the load config.sync_binlog: 1 was asked for, and the server has 2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			target := newFakeTarget(t)
			target.refuse = tc.refuse
			r := newRig(t, "good", contract.PhasePrepare, varying(target.address, both...))
			r.server.variables = map[string]string{"sync_binlog": "1"}
			target.onSet = func(s contract.Setting) { r.server.set(s.Name, cmp.Or(tc.keeps, s.Value)) }
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

// Nobody changes a server that other clients load.
func TestSettingsAreNotTriedBesideOtherClients(t *testing.T) {
	for clients, want := range map[int]bool{1: true, 2: false} {
		trial := contract.Trial{Ref: contract.TrialRef{Phase: string(contract.PhasePrepare)}, Clients: clients, Settings: []contract.VariedSetting{{Name: "x", Value: "1"}}}
		r := role{trial: trial, all: trial}
		if got := tries(r); got != want {
			t.Errorf("%d clients: %v", clients, got)
		}
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
