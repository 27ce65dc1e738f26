package target

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// newReplicaRig is a rig whose server is a replica.
func newReplicaRig(t *testing.T) (*rig, *fakeDatabase) {
	t.Helper()
	r, db := newRig(t, "init", "serve"), &fakeDatabase{broken: map[string]error{}}
	r.in.target.Replication = &contract.Replication{Primary: "db.ns.svc:3306", Username: "repl", ServerID: 2}
	r.in.engine.Follow = func(contract.Target, string) []string {
		return []string{"STOP REPLICA", "CHANGE SOURCE TO secret", "START REPLICA"}
	}
	r.in.engine.ReplicaStatus = func(contract.Target) string { return askStatus }
	r.in.engine.AwaitPosition = askPosition
	r.follower = &follower{in: &r.in, db: openFake(t, db)}
	db.lag(int64(0))
	return r, db
}

// state asks the agent for the state of the replica.
func (r *rig) state(t *testing.T, query string) contract.ReplicaState {
	t.Helper()
	code, body := r.get(contract.PathReplica + query)
	var state contract.ReplicaState
	if err := json.Unmarshal([]byte(body), &state); err != nil || code != http.StatusOK {
		t.Fatalf("%d %s: %v", code, body, err)
	}
	return state
}

func TestAReplicaFollowsBeforeItIsReady(t *testing.T) {
	r, db := newReplicaRig(t)
	db.stop("Got fatal error 1236")
	r.begin(t)
	await(t, "the server", r.serving.Load)
	if code, body := r.get("/readyz"); code != http.StatusServiceUnavailable || !strings.Contains(body, "replication does not run: Got fatal error 1236") {
		t.Errorf("a replica that does not follow: %d %s", code, body)
	}
	db.lag(int64(0))
	await(t, "readiness", r.isReady)
	var said []string
	db.set(func() {
		for _, s := range db.said[:3] {
			said = append(said, s.text)
		}
	})
	if diff := cmp.Diff([]string{"STOP REPLICA", "CHANGE SOURCE TO secret", "START REPLICA"}, said); diff != "" {
		t.Errorf("statements (-want +got):\n%s", diff)
	}
}

// A copy of the data stops the server: it is told whom to follow at every start.
func TestAReplicaFollowsAgainAfterACopy(t *testing.T) {
	r, db := newReplicaRig(t)
	r.beginReady(t)
	r.ask(t, contract.PathSnapshot, "s").mustSucceed(t)
	await(t, "readiness", r.isReady)
	told := 0
	db.set(func() {
		for _, s := range db.said {
			if strings.HasPrefix(s.text, "CHANGE SOURCE") {
				told++
			}
		}
	})
	if told != 2 {
		t.Errorf("it was told whom to follow %d times, want at both starts", told)
	}
}

// The statement that names the primary holds the password: the failure does not quote it.
func TestAServerThatCannotBeAReplica(t *testing.T) {
	r, db := newReplicaRig(t)
	db.broken["CHANGE SOURCE TO secret"] = errors.New("access denied")
	r.begin(t)
	err := r.end(t)
	if err == nil || !strings.Contains(err.Error(), string(contract.ReasonInitialisationFailed)) ||
		!strings.Contains(err.Error(), "db.ns.svc:3306: CHANGE SOURCE TO: access denied") || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v, want %s without the statement", err, contract.ReasonInitialisationFailed)
	}
}

func TestStateOfAReplica(t *testing.T) {
	r, db := newReplicaRig(t)
	r.beginReady(t)
	yes, no := new(true), new(false)
	const asked = "?position=0-1-7&wait=0.5"
	tests := map[string]struct {
		set   func()
		query string
		want  contract.ReplicaState
	}{
		"it follows":                        {func() {}, "", contract.ReplicaState{Running: true, LagSeconds: new(3.0)}},
		"it has applied the position":       {func() { db.reached = int64(0) }, asked, contract.ReplicaState{Running: true, LagSeconds: new(3.0), Applied: yes}},
		"MySQL says that the time was over": {func() { db.reached = int64(1) }, asked, contract.ReplicaState{Running: true, LagSeconds: new(3.0), Applied: no}},
		"MariaDB says so":                   {func() { db.reached = int64(-1) }, asked, contract.ReplicaState{Running: true, LagSeconds: new(3.0), Applied: no}},
		"replication is not set up":         {func() { db.reached = nil }, asked, contract.ReplicaState{Running: true, LagSeconds: new(3.0), Applied: no}},
		"the question for the position fails": {func() { db.broken[askPosition] = errors.New("malformed GTID") }, asked,
			contract.ReplicaState{Error: "waiting for the position: malformed GTID"}},
		"the lag is not known": {func() { db.status[2] = nil }, "", contract.ReplicaState{Running: true}},
		"it stopped":           {func() { db.status[0], db.status[2], db.status[3] = "No", nil, "error 1236" }, "", contract.ReplicaState{Error: "error 1236"}},
		"it follows nobody":    {func() { db.status = nil }, "", contract.ReplicaState{Error: "the replica does not answer about replication: it has no source to replicate from"}},
		"it tells of nothing":  {func() { db.broken[askStatus] = errors.New("gone") }, "", contract.ReplicaState{Error: "the replica does not answer about replication: gone"}},
		"it stopped, and was asked for a position": {func() { db.status[0], db.status[2], db.status[3], db.reached = "No", nil, "error 1236", int64(1) }, asked,
			contract.ReplicaState{Error: "error 1236", Applied: no}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			db.lag(int64(3))
			db.set(func() { db.broken, db.reached = map[string]error{}, nil; tt.set() })
			got := r.state(t, tt.query)
			got.MaxLagSeconds = nil // of the looks once a second, too
			tt.want.ServerVersion = got.ServerVersion
			if strings.Contains(tt.want.Error, "waiting for the position") {
				tt.want.ServerVersion = ""
			} else if got.ServerVersion != "1.2.3-Fake" {
				t.Errorf("version %q", got.ServerVersion)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	db.set(func() {
		for _, s := range db.said {
			if s.text == askPosition && (s.args[0] != "0-1-7" || s.args[1] != 0.5) {
				t.Errorf("the server was asked with %v", s.args)
			}
		}
	})
}

// The greatest lag is that since the answer before.
func TestTheGreatestLagBeginsAnew(t *testing.T) {
	r, db := newReplicaRig(t)
	r.serving.Store(true)
	var got []float64
	for _, lag := range []int64{2, 9, 4} {
		db.lag(lag)
		r.follower.see(t.Context())
	}
	for range 2 {
		state := r.state(t, "")
		if state.MaxLagSeconds == nil {
			t.Fatal("the greatest lag is not known")
		}
		got = append(got, *state.MaxLagSeconds)
	}
	if diff := cmp.Diff([]float64{9, 4}, got); diff != "" {
		t.Errorf("greatest lags (-want +got):\n%s", diff)
	}
	db.lag(nil)
	if state := r.state(t, ""); state.MaxLagSeconds != nil {
		t.Errorf("a lag that nobody told is %v, want none", *state.MaxLagSeconds)
	}
}

func TestAReplicaWhoseServerIsDown(t *testing.T) {
	r, db := newReplicaRig(t)
	got := r.state(t, "?position=1&wait=1")
	if got.Running || !strings.Contains(got.Error, "down for a copy") || got.Applied != nil {
		t.Errorf("got %+v, want that the server is down", got)
	}
	if len(db.said) > 0 {
		t.Errorf("a server that is down was asked: %v", db.said)
	}
}

func TestQuestionsToAReplicaThatAreRefused(t *testing.T) {
	replica, _ := newReplicaRig(t)
	replica.serving.Store(true)
	primary := newRig(t, "init", "serve")
	primary.serving.Store(true)
	tests := map[string]struct {
		rig         *rig
		query, want string
	}{
		"to a server that follows nobody": {primary, "", "follows no other one"},
		"a wait that is no number":        {replica, "soon", `got "soon"`},
		"a wait that is none":             {replica, "NaN", `got "NaN"`},
		"a wait without end":              {replica, "Inf", `got "Inf"`},
		"a wait that is too long":         {replica, "31", "want seconds from 0 to 30"},
		"a wait into the past":            {replica, "-1", `got "-1"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			code, body := tt.rig.get(contract.PathReplica + "?" + url.Values{"position": {"1"}, "wait": {tt.query}}.Encode())
			var refusal contract.Refusal
			if err := json.Unmarshal([]byte(body), &refusal); err != nil || code != http.StatusBadRequest ||
				refusal.Reason != contract.ReasonRequestInvalid || !strings.Contains(refusal.Message, tt.want) {
				t.Errorf("got %d %s, want %s with %q", code, body, contract.ReasonRequestInvalid, tt.want)
			}
		})
	}
}

func TestParseLook(t *testing.T) {
	tests := map[string]struct {
		row  map[string]string
		want replicationStatus
	}{
		"a replica of MySQL 9.7 that follows": {
			row: map[string]string{
				"replica_io_running": "Yes", "replica_sql_running": "Yes", "seconds_behind_source": "3",
				"last_io_error": "", "last_sql_error": "",
			},
			want: replicationStatus{running: true, lag: new(3.0)},
		},
		"one of MariaDB or an old MySQL": {
			row: map[string]string{
				"slave_io_running": "Yes", "slave_sql_running": "Yes", "seconds_behind_master": "0",
			},
			want: replicationStatus{running: true, lag: new(0.0)},
		},
		"one whose primary is away tells no lag": {
			row: map[string]string{
				"slave_io_running": "Connecting", "slave_sql_running": "Yes",
				"last_io_error": "error connecting to master", "last_sql_error": "",
			},
			want: replicationStatus{problem: "error connecting to master"},
		},
		"one that was stopped": {
			row:  map[string]string{"slave_io_running": "No", "slave_sql_running": "No"},
			want: replicationStatus{problem: "receiving: No, applying: No"},
		},
		"a lag that is no number is not known": {
			row:  map[string]string{"slave_io_running": "Yes", "slave_sql_running": "Yes", "seconds_behind_master": "NaN"},
			want: replicationStatus{running: true},
		},
		"one that is ahead of its primary": {
			row: map[string]string{
				"replica_io_running": "No", "replica_sql_running": "Yes",
				"last_io_error": "Got fatal error 1236", "last_sql_error": "x",
			},
			want: replicationStatus{problem: "Got fatal error 1236; x"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, parseLook(tt.row), cmp.AllowUnexported(replicationStatus{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzParseLook: whatever a server says, a replica that does not run has a reason, and the
// state can be written down.
func FuzzParseLook(f *testing.F) {
	f.Add(true, "Yes", "Yes", "3", "", "")
	f.Add(false, "Yes", "Yes", "0", "", "")
	f.Add(false, "Connecting", "Yes", "", "error connecting to master", "")
	f.Add(true, "No", "No", "NaN", "", "\xff")
	f.Add(true, "Yes", "Yes", "-1", "", "")
	f.Fuzz(func(t *testing.T, words bool, receives, applies, behind, ioError, sqlError string) {
		names := []string{"slave_io_running", "slave_sql_running", "seconds_behind_master"}
		if words {
			names = []string{"replica_io_running", "replica_sql_running", "seconds_behind_source"}
		}
		row := map[string]string{}
		for i, value := range []string{receives, applies, behind, ioError, sqlError} {
			name := append(names, "last_io_error", "last_sql_error")[i]
			row[name] = value
		}
		got := parseLook(row)
		if got.running != (receives == "Yes" && applies == "Yes") {
			t.Errorf("running: %v of %q and %q", got.running, receives, applies)
		}
		if !got.running && got.problem == "" {
			t.Error("it does not run, and nobody knows why")
		}
		if got.lag != nil && !(*got.lag >= 0) {
			t.Errorf("a lag of %v s", *got.lag)
		}
		for _, text := range []string{ioError, sqlError} {
			if !strings.Contains(got.problem, text) {
				t.Errorf("%q is not in %q", text, got.problem)
			}
		}
		if _, err := json.Marshal(contract.ReplicaState{Running: got.running, Error: got.problem, LagSeconds: got.lag}); err != nil {
			t.Errorf("it cannot be written down: %v", err)
		}
	})
}
