package client

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// newLoad makes the clients that load the data of one target together, with a
// snapshot in the end.
func newLoad(t *testing.T, clients int, change func(*contract.Trial)) ([]*rig, *fakeTarget) {
	t.Helper()
	target := newFakeTarget(t)
	first := newRig(t, "good", contract.PhasePrepare, func(trial *contract.Trial) {
		trial.Clients, trial.Agent, trial.Snapshot = clients, target.address, true
		if change != nil {
			change(trial)
		}
	})
	rigs := []*rig{first}
	for i := 1; i < clients; i++ {
		rigs = append(rigs, first.join(t, i))
	}
	return rigs, target
}

// looked is how often the result of a client was asked for.
func (f *fakeAPI) looked(name string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, got := range f.gets {
		if got == name {
			n++
		}
	}
	return n
}

func awaitLooks(t *testing.T, api *fakeAPI, name string, times int) {
	t.Helper()
	for end := time.Now().Add(hang.Limit); api.looked(name) < times; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("nobody looks for %s", name)
		}
	}
}

// finished says what the first client did that it may only do when all is loaded.
func finished(r *rig, target *fakeTarget) []string {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	target.mu.Lock()
	defer target.mu.Unlock()
	var done []string
	if slices.Contains(r.server.asked, "tables") {
		done = append(done, "counted the tables")
	}
	if slices.Contains(target.calls, "POST /snapshot t") {
		done = append(done, "took a snapshot")
	}
	return done
}

func TestTheFirstClientCountsWhenAllHaveLoaded(t *testing.T) {
	rigs, target := newLoad(t, 3, nil)
	first := make(chan error, 1)
	go func() { first <- rigs[0].agent.Run(t.Context()) }()
	for _, other := range []int{1, 2} {
		awaitLooks(t, rigs[0].api, rigs[other].agent.Result, 3)
		if done := finished(rigs[0], target); done != nil {
			t.Errorf("before client %d had loaded its part, the first %v", other, done)
		}
		if err := rigs[other].agent.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	for i, r := range rigs {
		res, raw := r.outcome(t)
		var want *contract.Data
		if i == 0 {
			want = &contract.Data{Tables: loadedTables(), Snapshot: new(aCopy())}
		}
		if diff := cmp.Diff(want, res.Data); diff != "" {
			t.Errorf("client %d: data (-want +got):\n%s", i, diff)
		}
		if part := "--part=" + string(rune('0'+i)) + "/3"; !strings.Contains(raw["prepare/command.txt"], part) {
			t.Errorf("client %d ran %q, want %s", i, raw["prepare/command.txt"], part)
		}
		// The others make sure that there is a server, and ask nothing else.
		if i > 0 && !slices.Equal(r.server.asked, []string{"version"}) {
			t.Errorf("client %d asked the server for %v", i, r.server.asked)
		}
	}
}

func TestOneClientThatLoadsAloneWaitsForNobody(t *testing.T) {
	rigs, target := newLoad(t, 1, nil)
	runAll(t, rigs)
	if n := len(finished(rigs[0], target)); n != 2 || slices.Contains(rigs[0].api.gets, "t-result-1") {
		t.Errorf("it did %d of 2 things, and looked for %v", n, rigs[0].api.gets)
	}
}

// stores puts bytes where a client delivers its result.
func stores(t *testing.T, api *fakeAPI, name string, data []byte) {
	t.Helper()
	patch, err := json.Marshal(map[string]any{"binaryData": map[string][]byte{contract.KeyResult: data}})
	if err == nil {
		err = api.Patch(t.Context(), name, patch)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func encoded(t *testing.T, change func(*contract.Result)) []byte {
	t.Helper()
	res := contract.Result{
		Version: contract.ResultVersion, State: contract.Succeeded, Tool: contract.Tool{Name: "fake"},
		Trial: contract.TrialRef{RunUID: "u", Phase: "Prepare", Target: "innodb", Client: 1}, RawSHA256: contract.Digest(nil),
	}
	change(&res)
	data, err := contract.Encode(res)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestAClientThatDidNotLoadItsPart(t *testing.T) {
	tests := map[string]struct {
		change func(*contract.Result)
		data   []byte
		want   string // empty when the load goes on
	}{
		"it did": {change: func(*contract.Result) {}},
		"it failed": {
			change: func(r *contract.Result) {
				r.State, r.Failure = contract.Failed, &contract.Failure{Reason: contract.ReasonSchemaNotEmpty, Message: "sbtest2 is there"}
			},
			want: "client 1 of 2 did not load its part of the data: SchemaNotEmpty: sbtest2 is there",
		},
		"garbage":                     {data: []byte("x"), want: "client 1 of 2 did not load its part of the data: decode result"},
		"the result of another run":   {change: func(r *contract.Result) { r.Trial.RunUID = "v" }, want: "its result is of client 1 in phase Prepare on target innodb of run v"},
		"the result of another phase": {change: func(r *contract.Result) { r.Trial.Phase = "Cleanup" }, want: "in phase Cleanup"},
		"of another target":           {change: func(r *contract.Result) { r.Trial.Target = "rocks" }, want: "on target rocks"},
		"of another client":           {change: func(r *contract.Result) { r.Trial.Client = 0 }, want: "is of client 0"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			rigs, target := newLoad(t, 2, nil)
			data := tc.data
			if tc.change != nil {
				data = encoded(t, tc.change)
			}
			stores(t, rigs[0].api, "t-result-1", data)
			err := rigs[0].agent.Run(t.Context())
			res, _ := rigs[0].outcome(t)
			if tc.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if res.Failure == nil || res.Failure.Reason != contract.ReasonInterrupted || !strings.Contains(res.Failure.Message, tc.want) {
				t.Errorf("got %+v, want %s with %q", res.Failure, contract.ReasonInterrupted, tc.want)
			}
			if done := finished(rigs[0], target); done != nil {
				t.Errorf("all the same it %v", done)
			}
		})
	}
}

// The pod of the client that failed has to end first: its reason is the one that
// counts. Then the Job tells the first client to stop.
func TestTheFirstClientYieldsToTheOneThatFailed(t *testing.T) {
	rigs, _ := newLoad(t, 2, nil)
	rigs[0].agent.Yield = time.Minute
	stores(t, rigs[0].api, "t-result-1", []byte("x"))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- rigs[0].agent.Run(ctx) }()
	awaitLooks(t, rigs[0].api, "t-result-1", 1)
	select {
	case err := <-ended:
		t.Fatalf("it did not wait to be told to stop: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	stop()
	if err := <-ended; err == nil {
		t.Error("it is no error")
	}
	if res, _ := rigs[0].outcome(t); res.Failure == nil || res.Failure.Reason != contract.ReasonInterrupted ||
		!strings.Contains(res.Failure.Message, "told to stop (client 1 of 2 did not") {
		t.Errorf("got %+v", res.Failure)
	}
}

func TestAClientThatNeverDeliversEndsWithTheDeadline(t *testing.T) {
	rigs, target := newLoad(t, 3, func(trial *contract.Trial) { trial.Deadline = time.Now().Add(3 * time.Second) })
	stores(t, rigs[0].api, "t-result-1", encoded(t, func(*contract.Result) {}))
	if err := rigs[0].agent.Run(t.Context()); err == nil {
		t.Error("it is no error")
	}
	res, _ := rigs[0].outcome(t)
	if want := "waiting for client 2 of 3 to load its part of the data: it has not delivered yet"; res.Failure == nil ||
		res.Failure.Reason != contract.ReasonDeadlineExceeded || !strings.Contains(res.Failure.Message, want) {
		t.Errorf("got %+v, want %s with %q", res.Failure, contract.ReasonDeadlineExceeded, want)
	}
	if done := finished(rigs[0], target); done != nil {
		t.Errorf("all the same it %v", done)
	}
}

func TestTheWaitForOthersOutlivesTheAPI(t *testing.T) {
	rigs, target := newLoad(t, 2, nil)
	api := rigs[0].api
	ended := make(chan error, 1)
	go func() { ended <- rigs[0].agent.Run(t.Context()) }()
	awaitLooks(t, api, "t-result-1", 3)
	api.set(func() { api.down = true })
	time.Sleep(50 * time.Millisecond)
	api.set(func() { api.down = false })
	stores(t, api, "t-result-1", encoded(t, func(*contract.Result) {}))
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if n := len(finished(rigs[0], target)); n != 2 {
		t.Errorf("it did %d of 2 things", n)
	}
}

func TestAClientThatHelpsWaitsForTheServer(t *testing.T) {
	rigs, _ := newLoad(t, 2, nil)
	rigs[1].server.err = errors.New("no such host")
	rigs[1].agent.Timeouts.Connect = 200 * time.Millisecond // timing: it has to run out: the server never answers
	if err := rigs[1].agent.Run(t.Context()); err == nil {
		t.Error("it is no error")
	}
	res, _ := rigs[1].outcome(t)
	if res.Failure == nil || res.Failure.Reason != contract.ReasonTargetUnreachable || res.Times.MeasureStarted != nil {
		t.Errorf("got %+v, started %v, want %s and no start", res.Failure, res.Times.MeasureStarted, contract.ReasonTargetUnreachable)
	}
	if n := len(rigs[1].server.asked); n < 2 {
		t.Errorf("it asked %d times", n)
	}
}
