package client

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/agent/toolwire"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

func TestShortfalls(t *testing.T) {
	values := func(pairs ...string) map[string]string {
		out := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i]] = pairs[i+1]
		}
		return out
	}
	tests := map[string]struct {
		demand contract.Demand
		has    limits
		want   []string
	}{
		"sysbench with the defaults of MySQL": {
			contract.Demand{Connections: 3000, PreparedStatements: 276000},
			limits{values("max_connections", "4000", "max_prepared_stmt_count", "16382"), values("Threads_connected", "1", "Prepared_stmt_count", "0"), 0},
			[]string{"prepared statements = 3000 connections x 92 = 276000 > max_prepared_stmt_count = 16382 (set it to at least 276000, or use fewer threads)"},
		},
		"connections that others have": {
			contract.Demand{Connections: 100}, limits{values("max_connections", "151"), values("Threads_connected", "61"), 0},
			[]string{"connections = 100 and 60 that are there already and 1 of the agent > max_connections = 151 (set it to at least 161, or use fewer threads)"},
		},
		"just enough, with the agent's own": {contract.Demand{Connections: 150}, limits{values("max_connections", "151"), values("Threads_connected", "1"), 0}, nil},
		"none left for the agent": {contract.Demand{Connections: 151}, limits{values("max_connections", "151"), values("Threads_connected", "1"), 0},
			[]string{"connections = 151 and 1 of the agent > max_connections = 151 (set it to at least 152, or use fewer threads)"}},
		"statements that are no multiple": {contract.Demand{Connections: 3, PreparedStatements: 100}, limits{values("max_prepared_stmt_count", "99"), nil, 0},
			[]string{"prepared statements = 100 > max_prepared_stmt_count = 99 (set it to at least 100, or use fewer threads)"}},
		"all accounts are limited": {contract.Demand{Connections: 11}, limits{values("max_connections", "151", "max_user_connections", "10"), nil, 0},
			[]string{"connections of one account = 11 and 1 of the agent > max_user_connections = 10 (set it to at least 12, or use fewer threads)"}},
		"an account that is limited": {contract.Demand{Connections: 16}, limits{values("max_connections", "151", "max_user_connections", "0"), nil, 16},
			[]string{"connections of one account = 16 and 1 of the agent > max_user_connections = 16 (the account has this limit of its own: ALTER USER it WITH MAX_USER_CONNECTIONS 17, or use fewer threads)"}},
		"an account that has enough":   {contract.Demand{Connections: 16}, limits{values("max_user_connections", "10"), nil, 17}, nil},
		"no limit (TiDB)":              {contract.Demand{Connections: 9, PreparedStatements: 9}, limits{values("max_connections", "0", "max_prepared_stmt_count", "-1"), nil, 0}, nil},
		"a server that does not tell":  {contract.Demand{Connections: 9, PreparedStatements: 9}, limits{}, nil},
		"a workload that does not say": {contract.Demand{}, limits{values("max_connections", "1"), values("Threads_connected", "9"), 0}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, shortfalls(tc.demand, tc.has)); diff != "" {
				t.Errorf("shortfalls (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFileLimit(t *testing.T) {
	tests := map[string]struct {
		is          toolwire.OpenFiles
		connections int64
		each        int64
		limit       uint64
		short       string
	}{
		"enough as it is":          {toolwire.OpenFiles{Now: 1024, Most: 4096}, 768, 1, 1024, ""},
		"two of a relay":           {toolwire.OpenFiles{Now: 1024, Most: 4096}, 1000, 2, 2256, ""},
		"raised as far as needed":  {toolwire.OpenFiles{Now: 1024, Most: 4096}, 1000, 1, 1256, ""},
		"more than may be had":     {toolwire.OpenFiles{Now: 1024, Most: 4096}, 4000, 1, 4096, "open files of this client = 4000 connections x 1 + 256 = 4256 > RLIMIT_NOFILE = 4096"},
		"nothing is known":         {toolwire.OpenFiles{Now: 1024, Most: 1024}, 0, 1, 1024, ""},
		"a limit that is none":     {toolwire.OpenFiles{Now: 1024, Most: 1<<64 - 1}, 1e6, 1, 1e6 + 256, ""},
		"a number that is no such": {toolwire.OpenFiles{Now: 1024, Most: 1024}, -5, 1, 1024, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			limit, short := neededFiles(tc.is, tc.connections, max(tc.each, 1))
			if limit != tc.limit || !strings.HasPrefix(short, tc.short) || (short == "") != (tc.short == "") {
				t.Errorf("got %d, %q; want %d, %q", limit, short, tc.limit, tc.short)
			}
		})
	}
}

func TestSlowStart(t *testing.T) {
	if got := slowStart(3000, 0.010, 0.0001); got != "" {
		t.Errorf("3000 connections of 9.3 ms take 28 s, but: %s", got)
	}
	if got := slowStart(3000, 0.012, 0.0001); !strings.HasPrefix(got, "a connection costs about 11.3 ms of work, so that 3000 of them may take 34 s") {
		t.Errorf("3000 connections of 11.3 ms: %q", got)
	}
	if got := slowStart(3000, 0.7, 0.1); got != "" {
		t.Errorf("trips overlap, but: %s", got)
	}
}

func TestLimitsAreHeldAgainstTheDemandBeforeAnythingRuns(t *testing.T) {
	for _, phase := range []contract.Phase{contract.PhasePrepare, contract.PhaseRun} {
		t.Run(string(phase), func(t *testing.T) {
			r := newRig(t, "good", phase, func(trial *contract.Trial) { trial.Demand = contract.Demand{Connections: 152} })
			r.startWhenReady(t)
			if err := r.agent.Run(t.Context()); err == nil {
				t.Error("it is no error")
			}
			res, _ := r.outcome(t)
			if res.Failure == nil || res.Failure.Reason != contract.ReasonLimitTooLow || !strings.Contains(res.Failure.Message, "connections = 152 and 1 of the agent > max_connections = 151") {
				t.Errorf("got %+v, want %s", res.Failure, contract.ReasonLimitTooLow)
			}
			if res.Times.MeasureStarted != nil || res.Server.Durability != nil || r.api.annotated() {
				t.Error("the trial went on")
			}
		})
	}
}

// The limit of the account is no global variable, and holds beside that of all connections.
func TestTheLimitOfTheAccount(t *testing.T) {
	r := newRig(t, "good", contract.PhasePrepare, func(trial *contract.Trial) { trial.Demand = contract.Demand{Connections: 16} })
	r.server.account = 16
	if err := r.agent.Run(t.Context()); err == nil {
		t.Error("it is no error")
	}
	res, _ := r.outcome(t)
	const want = "connections of one account = 16 and 1 of the agent > max_user_connections = 16 (the account has this limit of its own: ALTER USER it WITH MAX_USER_CONNECTIONS 17, or use fewer threads)"
	if res.Failure == nil || res.Failure.Reason != contract.ReasonLimitTooLow || !strings.Contains(res.Failure.Message, want) {
		t.Errorf("got %+v, want %s", res.Failure, want)
	}
	if limit, there := res.Server.Variables["max_user_connections"]; there {
		t.Errorf("the limit of the account is recorded as a variable of the server: %s", limit)
	}
}

// A server that refuses its counters is measured without them: they are absent, and the result says why, once.
func TestCountersThatAreRefused(t *testing.T) {
	for _, phase := range []contract.Phase{contract.PhasePrepare, contract.PhaseRun} {
		t.Run(string(phase), func(t *testing.T) {
			r := newRig(t, "good", phase, func(trial *contract.Trial) { trial.Demand = contract.Demand{Connections: 16} })
			r.server.statusErr = &mysql.MySQLError{Number: 1227, Message: "Access denied; you need (at least one of) the PROCESS privilege(s) for this operation"}
			if phase == contract.PhaseRun {
				r.startWhenReady(t)
			}
			res := runAll(t, []*rig{r})[0]
			if res.Failure != nil {
				t.Fatalf("got %+v", res.Failure)
			}
			if s := res.Server; len(s.StatusDelta) > 0 || s.CountedFrom != nil || s.Rows != nil || s.Levels != nil {
				t.Errorf("counters of a server that told none: %+v", s)
			}
			var told []string
			for _, p := range res.Problems {
				if p.Source == "server/status" {
					told = append(told, p.Text)
				}
			}
			if len(told) != 1 || !strings.Contains(told[0], "absent from the result") || !strings.Contains(told[0], "GRANT PROCESS ON *.* TO") {
				t.Errorf("the result says of its counters: %q", told)
			}
		})
	}
}

func TestTheDemandOfTheRunnerCountsWhereTheManagerSaysNone(t *testing.T) {
	r := role{all: contract.Trial{Clients: 4}}
	r.runner.Connection.Demand = func(contract.Trial) (contract.Demand, error) {
		return contract.Demand{Connections: 10, PreparedStatements: 20, Tables: 3}, nil
	}
	own, all, err := r.demand()
	if want := (contract.Demand{Connections: 40, PreparedStatements: 80, Tables: 3}); err != nil || all != want || own.Connections != 10 {
		t.Errorf("own %+v, all %+v, %v", own, all, err)
	}
	r.runner.Connection.Demand, r.trial.Demand.Connections = nil, 10
	if own, all, err = r.demand(); err != nil || own.Connections != 3 || all.Connections != 10 {
		t.Errorf("own %+v, all %+v, %v", own, all, err)
	}
	r.runner.Connection.Demand = func(contract.Trial) (contract.Demand, error) {
		return contract.Demand{}, errors.New("threads: missing")
	}
	if _, _, err = r.demand(); err == nil {
		t.Error("a workload that is not understood is no error")
	}
}

func TestProbesOfTheServer(t *testing.T) {
	prepare := func() *rig {
		r := newRig(t, "good", contract.PhasePrepare, func(trial *contract.Trial) {
			trial.Endpoint.TLS, trial.Endpoint.InsecureSkipVerify, trial.Endpoint.StorageEngine = contract.TLSRequired, true, "RocksDB"
		})
		r.server.cipher, r.server.probed = "AES", &contract.Probe{N: 29, MinSeconds: 0.001, P50Seconds: 0.001, P99Seconds: 0.002, MaxSeconds: 0.002}
		return r
	}
	r := prepare()
	res := runAll(t, []*rig{r})[0]
	if s := res.Server; s.TLSVersion != "TLSv1.3" || s.Cipher != "AES" {
		t.Errorf("session %q %q", s.TLSVersion, s.Cipher)
	}
	if diff := cmp.Diff(r.server.probed, res.Server.RoundTrip); diff != "" {
		t.Errorf("round trip (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(aDurability(), res.Server.Durability); diff != "" {
		t.Errorf("durability (-want +got):\n%s", diff)
	}
	table := preflightTable(res.Trial)
	if len(table) != 32 || table == preflightTable(contract.TrialRef{RunUID: "v", Target: "innodb"}) || !slices.Contains(r.server.asked, "durability of RocksDB in "+table) {
		t.Errorf("the table %q; asked %v", table, r.server.asked)
	}

	r = prepare()
	r.server.probed, r.server.probesErr = nil, errors.New("read-only")
	res = runAll(t, []*rig{r})[0]
	want := []contract.Problem{{Source: "server/round-trip", Text: "read-only"}, {Source: "server/durability", Text: "what commits cost is not known: read-only"}}
	if diff := cmp.Diff(want, res.Problems); diff != "" || res.Server.RoundTrip != nil || res.Server.Durability != nil {
		t.Errorf("problems (-want +got):\n%s", diff)
	}

	r = prepare()
	r.agent.Runner = adapter(func(a *runner.Runner) { a.Phases.Skips = func(contract.Trial, contract.Phase) bool { return true } })
	if res = runAll(t, []*rig{r})[0]; res.Server.Durability != nil {
		t.Error("the schema of a user who loads the data himself was written to")
	}
}

func TestRowsThatPrepareHasToLeave(t *testing.T) {
	rows := func(want map[string]int64, err error) func(string) (runner.Runner, bool) {
		return adapter(func(a *runner.Runner) {
			a.Data.Rows = func(contract.Trial) (map[string]int64, error) { return want, err }
		})
	}
	tests := map[string]struct {
		rows   func(string) (runner.Runner, bool)
		reason contract.Reason
		want   string
	}{
		"as they are, in other letters": {rows(map[string]int64{"SBTEST1": 1000}, nil), "", ""},
		"nothing is known":              {rows(nil, nil), "", ""},
		"too few":                       {rows(map[string]int64{"sbtest1": 1000, "sbtest2": 1000}, nil), contract.ReasonDataDiffers, "table sbtest2 has 999 rows, want 1000"},
		"no table":                      {rows(map[string]int64{"usertable": 1000}, nil), contract.ReasonDataDiffers, "table usertable is missing, want 1000 rows"},
		"a workload that is none":       {rows(nil, errors.New("recordCount: missing")), contract.ReasonTrialUnreadable, "recordCount"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "good", contract.PhasePrepare, nil)
			r.agent.Runner = tc.rows
			if err := r.agent.Run(t.Context()); (err == nil) != (tc.reason == "") {
				t.Errorf("error %v", err)
			}
			res, _ := r.outcome(t)
			if f := res.Failure; f != nil && (f.Reason != tc.reason || !strings.Contains(f.Message, tc.want)) {
				t.Errorf("got %+v, want %s with %q", f, tc.reason, tc.want)
			}
			if res.Data == nil || len(res.Data.Tables) != 2 {
				t.Errorf("what was counted is lost: %+v", res.Data)
			}
		})
	}
}
