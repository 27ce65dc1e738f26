package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-bench/assay/internal/agent/control"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// fakeReplica is the agent of a replica. Its answers come in their order, the last one
// again and again: an contract.ReplicaState, a text that is no JSON, or silence.
type fakeReplica struct {
	address string
	// copies has the operations.
	copies *fakeTarget

	mu sync.Mutex
	// plain are the answers to questions without a position, waited to those with one.
	plain, waited []any
	// asked are the queries in their order.
	asked []string
}

// silence is an answer that does not come.
type silence struct{}

func newFakeReplica(t *testing.T, plain, waited []any) *fakeReplica {
	t.Helper()
	f := &fakeReplica{copies: &fakeTarget{}, plain: plain, waited: waited}
	server := httptest.NewServer(guarded(f.ServeHTTP))
	t.Cleanup(server.Close)
	f.address = strings.TrimPrefix(server.URL, "http://")
	return f
}

func (f *fakeReplica) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != contract.PathReplica {
		f.copies.ServeHTTP(w, r)
		return
	}
	switch answer := f.next(r).(type) {
	case silence:
		<-r.Context().Done()
	case string:
		_, _ = w.Write([]byte(answer))
	default:
		_ = json.NewEncoder(w).Encode(answer)
	}
}

func (f *fakeReplica) next(r *http.Request) any {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, r.URL.RawQuery)
	answers := &f.plain
	if r.URL.Query().Has("position") {
		answers = &f.waited
	}
	answer := (*answers)[0]
	if len(*answers) > 1 {
		*answers = (*answers)[1:]
	}
	return answer
}

// What replicas say of themselves.
var (
	follows = contract.ReplicaState{Running: true}
	applied = contract.ReplicaState{Running: true, Applied: new(true)}
	late    = contract.ReplicaState{Running: true, Applied: new(false), LagSeconds: new(30.0)}
	stopped = contract.ReplicaState{Error: "Got fatal error 1236"}
)

// of are the addresses of replicas.
func of(replicas ...*fakeReplica) func(*contract.Trial) {
	return func(trial *contract.Trial) {
		for _, f := range replicas {
			trial.Replicas = append(trial.Replicas, f.address)
		}
	}
}

// The trial waits for the replica before it begins; then the lag of the window and the
// time to catch up are taken down.
func TestTheLagOfAReplicaIsRecorded(t *testing.T) {
	told := contract.ReplicaState{Running: true, ServerVersion: "10.11.6-MariaDB", LagSeconds: new(3.0), MaxLagSeconds: new(7.0)}
	f := newFakeReplica(t, []any{follows, told}, []any{late, applied, late, applied})
	f.copies.window = &contract.UsageWindow{Before: contract.Usage{CPUSeconds: new(1.0)}, After: contract.Usage{CPUSeconds: new(2.0)}}
	f.copies.gap = &contract.Gap{Seconds: 9}
	r := newRig(t, "good", contract.PhaseRun, of(f))
	r.startWhenReady(t)
	res := runAll(t, []*rig{r})[0]
	want := []contract.Replica{{
		Index: 0, ServerVersion: "10.11.6-MariaDB", MaxLagSeconds: new(7.0), Gap: &contract.Gap{Seconds: 9},
		Machine: &contract.Machine{CPUModel: "A CPU"}, Limits: &contract.Limits{CgroupVersion: 2},
		Before: &contract.Usage{CPUSeconds: new(1.0)}, After: &contract.Usage{CPUSeconds: new(2.0)},
	}}
	if diff := cmp.Diff(want, res.Target.Replicas, cmpopts.IgnoreFields(contract.Replica{}, "CatchUpSeconds")); diff != "" {
		t.Errorf("replicas (-want +got):\n%s", diff)
	}
	if took := res.Target.Replicas[0].CatchUpSeconds; took == nil {
		t.Error("how long it took to catch up is not known")
	} else if *took < replicaPause.Seconds() {
		t.Errorf("it caught up after %v s, want one pause or more", *took)
	}
	// The position of the fake primary counts up with its status: 0 before, 2 after.
	before, after := "position=0&wait=5", "position=2&wait=5"
	if diff := cmp.Diff([]string{before, before, "", "", after, after}, f.asked); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
}

// With a warm-up the greatest lag begins anew between it and the measured window.
func TestTheLagOfTheWarmupIsNotRecorded(t *testing.T) {
	old, fresh := follows, follows
	old.MaxLagSeconds, fresh.MaxLagSeconds = new(9.0), new(1.0)
	f := newFakeReplica(t, []any{old, fresh}, []any{applied})
	r := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) {
		of(f)(trial)
		trial.WarmupSeconds = 1
	})
	r.startWhenReady(t)
	res := runAll(t, []*rig{r})[0]
	if got := res.Target.Replicas[0].MaxLagSeconds; got == nil || *got != 1 {
		t.Errorf("replica %+v, want the greatest lag of the window alone", res.Target.Replicas[0])
	}
}

func TestReplicasThatDoNotCatchUpFailTheTrial(t *testing.T) {
	tests := map[string]struct {
		waited []any
		reason contract.Reason
		want   string
	}{
		"one that stopped":           {[]any{stopped}, contract.ReasonDeadlineExceeded, "replica 1: Got fatal error 1236"},
		"one that tells no reason":   {[]any{contract.ReplicaState{}}, contract.ReasonDeadlineExceeded, "replica 1: it does not follow its primary"},
		"one that stays behind":      {[]any{late}, contract.ReasonDeadlineExceeded, "replica 1: it is 30 s behind its primary"},
		"one that tells no lag":      {[]any{contract.ReplicaState{Running: true}}, contract.ReasonDeadlineExceeded, "replica 1: it has not applied all"},
		"the last answer that came":  {[]any{late, stopped, silence{}}, contract.ReasonDeadlineExceeded, "replica 1: Got fatal error 1236"},
		"one that never answers":     {[]any{silence{}}, contract.ReasonDeadlineExceeded, "replica 1: the time was over before its agent answered"},
		"one that cannot be read":    {[]any{late, "no JSON"}, contract.ReasonReplicationFailed, "replica 1: asking its agent: refused: the answer to /replica"},
		"one that answers by a list": {[]any{"[]"}, contract.ReasonReplicationFailed, "use agents of the same release"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			good, bad := newFakeReplica(t, []any{follows}, []any{applied}), newFakeReplica(t, []any{follows}, tt.waited)
			r := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) {
				of(good, bad)(trial)
				trial.Deadline = time.Now().Add(2 * time.Second) // it has to pass
			})
			if err := r.agent.Run(t.Context()); err == nil {
				t.Error("the failure is no error")
			}
			res, _ := r.outcome(t)
			if res.Failure == nil || res.Failure.Reason != tt.reason || !strings.Contains(res.Failure.Message, tt.want) {
				t.Errorf("got %+v, want %s with %q", res.Failure, tt.reason, tt.want)
			}
			if res.Failure != nil && strings.Contains(res.Failure.Message, "replica 0") {
				t.Errorf("the replica that caught up is blamed: %s", res.Failure.Message)
			}
			if r.api.annotated() || res.Times.MeasureStarted != nil {
				t.Error("the trial began")
			}
		})
	}
}

// After the window nothing fails any more; each replica has an entry that says what is
// known of it.
func TestReplicasAfterTheWindow(t *testing.T) {
	told := contract.ReplicaState{Running: true, ServerVersion: "9.7.4", MaxLagSeconds: new(2.0)}
	broke := stopped
	broke.ServerVersion, broke.MaxLagSeconds = "9.7.4", new(5.0)
	tests := map[string]struct {
		plain, waited []any
		want          contract.Replica
		caughtUp      bool
		error         string
		runsOut       bool // the time for catching up
	}{
		"it catches up":                          {[]any{told}, []any{late, applied}, contract.Replica{ServerVersion: "9.7.4", MaxLagSeconds: new(2.0)}, true, "", false},
		"it is late, which is no error":          {[]any{told}, []any{late}, contract.Replica{ServerVersion: "9.7.4", MaxLagSeconds: new(2.0)}, false, "", true},
		"it stopped in the window":               {[]any{broke}, []any{applied}, contract.Replica{ServerVersion: "9.7.4", MaxLagSeconds: new(5.0)}, false, "Got fatal error 1236", false},
		"it stopped while it caught up":          {[]any{told}, []any{late, stopped}, contract.Replica{ServerVersion: "9.7.4", MaxLagSeconds: new(2.0)}, false, "Got fatal error 1236", true},
		"it stopped, and the last word is lost":  {[]any{told}, []any{stopped, silence{}}, contract.Replica{ServerVersion: "9.7.4", MaxLagSeconds: new(2.0)}, false, "Got fatal error 1236", true},
		"it does not answer in time":             {[]any{told}, []any{silence{}}, contract.Replica{ServerVersion: "9.7.4", MaxLagSeconds: new(2.0)}, false, "", true},
		"it cannot be read":                      {[]any{"no JSON"}, []any{applied}, contract.Replica{}, false, "asking its agent: refused: the answer to /replica", false},
		"it cannot be read while it catches up":  {[]any{told}, []any{late, "no JSON"}, contract.Replica{ServerVersion: "9.7.4", MaxLagSeconds: new(2.0)}, false, "the answer to /replica", false},
		"it told no lag, which is absent, not 0": {[]any{follows}, []any{applied}, contract.Replica{}, true, "", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			replicas, run := afterWindow(t, newFakeReplica(t, tt.plain, tt.waited).address)
			limit := hang.Limit
			if tt.runsOut {
				limit = 2 * time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			o := replicas.collectAfter(ctx, run)
			if o.failure != nil {
				t.Fatalf("failure %+v", o.failure)
			}
			got := o.found[0]
			if (got.CatchUpSeconds != nil) != tt.caughtUp {
				t.Errorf("it is known how long it took to catch up: %v, want %v", got.CatchUpSeconds != nil, tt.caughtUp)
			}
			if tt.error == "" && got.Error != "" || !strings.Contains(got.Error, tt.error) {
				t.Errorf("error %q, want %q", got.Error, tt.error)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(contract.Replica{}, "CatchUpSeconds", "Error")); diff != "" {
				t.Errorf("replica (-want +got):\n%s", diff)
			}
		})
	}
}

// afterWindow is a trial whose measured window has just ended.
func afterWindow(t *testing.T, addresses ...string) (replicaSet, measured) {
	t.Helper()
	r := newRig(t, "good", contract.PhaseRun, nil)
	s := session{Agent: r.agent, server: r.server, key: control.NewKey(agentKey)}
	return newReplicaSet(addresses, s), measured{ended: new(time.Now())}
}

func TestAReplicaWhoseAgentIsGoneIsNamed(t *testing.T) {
	replicas, run := afterWindow(t, newFakeReplica(t, []any{follows}, []any{applied}).address, nobody(t))
	o := replicas.collectAfter(t.Context(), run)
	if o.failure != nil {
		t.Fatalf("failure %+v", o.failure)
	}
	got := o.found
	if len(got) != 2 || got[0].Error != "" || got[1].Index != 1 || !strings.Contains(got[1].Error, "connection refused") {
		t.Errorf("replicas %+v, want the second one without an agent", got)
	}
}

func TestAPrimaryWithoutAPosition(t *testing.T) {
	replicas, _ := afterWindow(t, newFakeReplica(t, []any{follows}, []any{applied}).address)
	replicas.primary = noPosition{replicas.primary}
	if failure := replicas.catchUp(t.Context()); failure == nil || !strings.Contains(failure.Message, "the position of the primary is not known") {
		t.Errorf("got %+v, want a failure", failure)
	}
}

// noPosition is a server without a variable that tells its position.
type noPosition struct{ Server }

func (noPosition) Variables(context.Context) (map[string]string, error) {
	return map[string]string{"port": "3306"}, nil
}

// The greatest lag that cannot be begun anew is a problem, and delays no start.
func TestAReplicaThatIsSilentBeforeTheWindow(t *testing.T) {
	f := newFakeReplica(t, []any{silence{}, follows}, []any{applied})
	r := newRig(t, "good", contract.PhaseRun, of(f))
	r.agent.Ask = 2 * time.Second // the first question is not answered
	r.startWhenReady(t)
	res := runAll(t, []*rig{r})[0]
	if len(res.Problems) != 1 || res.Problems[0].Source != "target/replicas" || !strings.Contains(res.Problems[0].Text, "replica 0: ") {
		t.Errorf("problems %+v, want one of the replica", res.Problems)
	}
}

func TestReplicasAreCopiedAfterTheirPrimary(t *testing.T) {
	primary := newFakeTarget(t)
	good, bad := newFakeReplica(t, []any{follows}, []any{applied}), newFakeReplica(t, []any{follows}, []any{applied})
	load := func() *rig {
		return newRig(t, "good", contract.PhasePrepare, func(trial *contract.Trial) {
			of(good, bad)(trial)
			trial.Agent, trial.Snapshot = primary.address, true
		})
	}
	measure := func() *rig {
		r := newResetRig(t, "good", contract.ResetSnapshot, primary)
		var trial contract.Trial
		if err := json.Unmarshal([]byte(r.api.trial[contract.KeyTrial]), &trial); err != nil {
			t.Fatal(err)
		}
		of(good, bad)(&trial)
		text, err := json.Marshal(trial)
		if err != nil {
			t.Fatal(err)
		}
		r.api.trial[contract.KeyTrial] = string(text)
		return r
	}
	runAll(t, []*rig{load()})
	runAll(t, []*rig{measure()})
	for _, f := range []*fakeReplica{good, bad} {
		if diff := cmp.Diff([]string{"POST /snapshot t", "POST /restore t", "environment"}, f.copies.calls); diff != "" {
			t.Errorf("operations (-want +got):\n%s", diff)
		}
	}
	bad.copies.refuse = &contract.Refusal{Reason: contract.ReasonStorageFailed, Message: "no space left"}
	for reason, r := range map[contract.Reason]*rig{contract.ReasonSnapshotFailed: load(), contract.ReasonResetFailed: measure()} {
		if err := r.agent.Run(t.Context()); err == nil {
			t.Errorf("%s: the refusal is no error", reason)
		}
		res, _ := r.outcome(t)
		if res.Failure == nil || res.Failure.Reason != reason || !strings.Contains(res.Failure.Message, "replica 1: StorageFailed: no space left") {
			t.Errorf("got %+v, want %s of replica 1", res.Failure, reason)
		}
	}
}
