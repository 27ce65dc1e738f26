package client

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// runAll runs clients of one trial side by side and returns their results.
func runAll(t *testing.T, rigs []*rig) []contract.Result {
	t.Helper()
	var all sync.WaitGroup
	for _, r := range rigs {
		all.Go(func() {
			if err := r.agent.Run(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	var out []contract.Result
	for _, r := range rigs {
		res, _ := r.outcome(t)
		out = append(out, res)
	}
	return out
}

func fourClients(t *testing.T, change func(*contract.Trial)) []*rig {
	first := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) {
		trial.Clients = 4
		change(trial)
	})
	rigs := []*rig{first}
	for i := range 3 {
		rigs = append(rigs, first.join(t, i+1))
	}
	return rigs
}

// All of them start at one instant, and none before it. How late they are is measured in a cluster (make bench-trials).
func TestFourClientsStartTogether(t *testing.T) {
	rigs := fourClients(t, func(trial *contract.Trial) { trial.SettleSeconds = 0.1 })
	rigs[0].startAfter(t, 4, 100*time.Millisecond)
	all := runAll(t, rigs)
	for _, res := range all {
		if want := all[0].Times.Start.Add(100 * time.Millisecond); !res.Times.Planned.Equal(want) {
			t.Errorf("client %d planned %s, want start and settle: %s", res.Trial.Client, res.Times.Planned, want)
		}
		if skew := res.Times.MeasureStarted.Sub(*res.Times.Planned); skew < 0 {
			t.Errorf("client %d started %s before the planned instant", res.Trial.Client, -skew)
		}
	}
}

func TestOnlyTheFirstClientAsks(t *testing.T) {
	target := newFakeTarget(t)
	rigs := fourClients(t, func(trial *contract.Trial) {
		trial.Agent, trial.WarmupSeconds = target.address, 1
		trial.Reset = &contract.Reset{Method: contract.ResetReload, Tables: loadedTables()}
	})
	rigs[0].startAfter(t, 4, time.Millisecond)
	for i, res := range runAll(t, rigs) {
		if first := i == 0; first != (res.Server != nil) || first != (res.Data != nil) || first != (res.Target != nil) || res.Trial.Client != i {
			t.Errorf("client %d: result of client %d with server %v, data %v, target %v", i, res.Trial.Client, res.Server, res.Data, res.Target)
		}
		if asked := rigs[i].server.asked; (i == 0) != (len(asked) > 0) {
			t.Errorf("client %d asked the server: %v", i, asked)
		}
		if res.Client.Before == nil || res.Client.After == nil || len(res.Warmup) == 0 {
			t.Errorf("client %d has no environment or no warm-up: %+v", i, res)
		}
	}
	if want := []string{"speed", "environment", "environment"}; !slices.Equal(target.calls, want) {
		t.Errorf("the target's agent was asked for %v, want %v", target.calls, want)
	}
}

func TestTheMeasuredWindowFollowsTheWarmUpAndThePause(t *testing.T) {
	tests := map[string]struct {
		warmup int64
		settle float64
		want   time.Duration
	}{
		"a warm-up and a pause": {1, 0.25, 1250 * time.Millisecond},
		"a warm-up alone":       {1, 0, time.Second},
		"a pause alone":         {0, 0.25, 250 * time.Millisecond},
		"neither":               {0, 0, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) {
				trial.WarmupSeconds, trial.SettleSeconds = tc.warmup, tc.settle
			})
			r.startWhenReady(t)
			times := runAll(t, []*rig{r})[0].Times
			if got := times.Planned.Sub(*times.Start); got != tc.want {
				t.Errorf("planned %s after the start, want %s", got, tc.want)
			}
			if times.MeasureStarted.Before(*times.Planned) {
				t.Errorf("started %s before the planned instant", times.Planned.Sub(*times.MeasureStarted))
			}
		})
	}
}

func TestAStartThatHasPassedShowsAsSkew(t *testing.T) {
	r := newRig(t, "good", contract.PhaseRun, nil)
	r.api.trial[contract.KeyStart] = time.Now().Add(-time.Minute).UTC().Format(time.RFC3339Nano)
	times := runAll(t, []*rig{r})[0].Times
	if skew := times.MeasureStarted.Sub(*times.Planned); skew < time.Minute {
		t.Errorf("a skew of %s, want more than a minute", skew)
	}
}

func TestWithoutAWarmUpReadyMeansAllIsRead(t *testing.T) {
	r := newRig(t, "good", contract.PhaseRun, nil)
	ready := make(chan []string, 1)
	go func() {
		for !r.api.annotated() {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(50 * time.Millisecond)
		r.server.mu.Lock()
		ready <- slices.Clone(r.server.asked)
		r.server.mu.Unlock()
		r.api.set(func() { r.api.trial[contract.KeyStart] = time.Now().UTC().Format(time.RFC3339Nano) })
	}()
	runAll(t, []*rig{r})
	want := []string{"version", "variables", "defaults", "session", "round trip", "status"}
	if got := <-ready; !slices.Equal(got, want) {
		t.Errorf("asked before ready: %v, want %v", got, want)
	}
}
