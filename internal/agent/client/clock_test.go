package client

import (
	"math"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestClocksAreCompared(t *testing.T) {
	const ahead = 250 * time.Millisecond
	tests := map[string]struct {
		agent     func(*fakeTarget)
		server    time.Duration
		reference string
	}{
		"with the target's agent":          {agent: func(f *fakeTarget) { f.ahead, f.jitter = ahead, 4*time.Millisecond }, reference: contract.ReferenceAgent},
		"with a server that has no agent":  {server: ahead, reference: contract.ReferenceServer},
		"with an agent that tells no time": {agent: func(f *fakeTarget) { f.noClock = true }},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			target := newFakeTarget(t)
			r := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) {
				if tc.agent != nil {
					tc.agent(target)
					trial.Agent = target.address
				}
			})
			r.server.ahead = tc.server
			r.startWhenReady(t)
			res := runAll(t, []*rig{r})[0]
			got := res.Client.Clock
			if tc.reference == "" {
				if got != nil || len(res.Problems) != 1 || res.Problems[0].Source != "target/clock" {
					t.Errorf("clock %+v, problems %+v, want none and one of target/clock", got, res.Problems)
				}
				return
			}
			if got == nil || got.Reference != tc.reference || got.Exchanges != clockExchanges {
				t.Fatalf("clock %+v, want %d exchanges with the %s; problems %+v", got, clockExchanges, tc.reference, res.Problems)
			}
			if wrong := math.Abs(got.OffsetSeconds - ahead.Seconds()); wrong > got.UncertaintySeconds {
				t.Errorf("offset %g s, give or take %g s, want %g s", got.OffsetSeconds, got.UncertaintySeconds, ahead.Seconds())
			}
			if got.At.IsZero() || res.Times.Ready.Before(got.At) {
				t.Errorf("measured at %s, want before %s, when the client reported ready", got.At, res.Times.Ready)
			}
		})
	}
}

// Each client compares its own clock, though only the first asks anything else.
func TestClientsStartByTheClockOfTheTarget(t *testing.T) {
	const ahead = 60 * time.Millisecond
	target := newFakeTarget(t)
	target.ahead = ahead
	rigs := fourClients(t, func(trial *contract.Trial) { trial.Agent, trial.SettleSeconds = target.address, 0.2 })
	rigs[0].startAfter(t, 4, 100*time.Millisecond)
	for i, res := range runAll(t, rigs) {
		c := res.Client.Clock
		if c == nil {
			t.Fatalf("client %d has compared no clock: %+v", i, res.Problems)
		}
		early := (res.Times.Start.Add(200 * time.Millisecond)).Sub(*res.Times.Planned)
		if off := (early - ahead).Abs().Seconds(); off > c.UncertaintySeconds+1e-6 {
			t.Errorf("client %d planned to start %s before the published instant, want %s (the target's clock is ahead)", i, early, ahead)
		}
	}
	// One more of each client opens its connection.
	if target.clocks != 4*(clockExchanges+1) {
		t.Errorf("the agent was asked for the time %d times, want %d", target.clocks, 4*(clockExchanges+1))
	}
}

func TestOwnTime(t *testing.T) {
	tests := map[string]struct {
		clients             int
		offset, uncertainty float64
		want                time.Duration
	}{
		"a clock that is behind starts earlier by itself": {2, 0.1, 0.001, -100 * time.Millisecond},
		"a clock that is ahead starts later by itself":    {2, -0.1, 0.001, 100 * time.Millisecond},
		"an offset that is not known to be one":           {2, 0.001, 0.001, 0},
		"one client has nobody to start with":             {1, 0.1, 0.001, 0},
		"clocks that do not follow NTP":                   {2, 0.3, 0.001, 0},
	}
	published := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := ownTime(published, tc.clients, nil); !got.Equal(published) {
				t.Errorf("without an offset the instant became %s", got)
			}
			offset := &contract.ClockOffset{OffsetSeconds: tc.offset, UncertaintySeconds: tc.uncertainty}
			if got := ownTime(published, tc.clients, offset).Sub(published); got != tc.want {
				t.Errorf("moved by %s, want %s", got, tc.want)
			}
		})
	}
}

// A target that takes connections and says nothing does not hold a trial.
func TestAnAgentThatTellsNoTimeIsNotWaitedFor(t *testing.T) {
	s := session{role: role{trial: contract.Trial{Agent: silent(t)}}}
	got := compareClocks(t.Context(), s)
	if got.failure != nil || got.found != nil || len(got.problems) != 1 {
		t.Errorf("got %+v, want one problem and nothing else", got)
	}
}
