package client

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// again makes another pod of the same client, on the same result.
func (r *rig) again(t *testing.T) *rig {
	t.Helper()
	other := r.join(t, r.agent.Index)
	other.agent.Pod = r.agent.Pod + "-again"
	return other
}

// deliveries is how many results were delivered.
func (f *fakeAPI) deliveries() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, p := range f.patches {
		if _, is := p["binaryData"]; is {
			n++
		}
	}
	return n
}

// refused checks that a client ended before it did anything, and left the result alone.
func refused(t *testing.T, r *rig, err error) {
	t.Helper()
	if got := r.termination(t); err == nil || got.Reason != contract.ReasonAlreadyBegun || got.SHA256 != "" || got.State != contract.Failed {
		t.Errorf("error %v, termination %+v; want %s without a result", err, got, contract.ReasonAlreadyBegun)
	}
	if r.server.asked != nil {
		t.Errorf("it asked the server for %v", r.server.asked)
	}
}

func TestOfTwoPodsOnlyTheFirstWorks(t *testing.T) {
	for _, phase := range []contract.Phase{contract.PhasePrepare, contract.PhaseRun, contract.PhaseCleanup} {
		t.Run(string(phase), func(t *testing.T) {
			first := newRig(t, "good", phase, nil)
			first.agent.Pod = "t-0-abcde"
			first.startWhenReady(t)
			if err := first.agent.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			second := first.again(t)
			refused(t, second, second.agent.Run(t.Context()))
			if want := "ConfigMap t-result-0 is claimed by pod t-0-abcde, which"; !strings.Contains(second.termination(t).Message, want) {
				t.Errorf("got %q, want %q in it", second.termination(t).Message, want)
			}
			first.outcome(t) // its result is as it was delivered
			// A container that restarts in its pod.
			refused(t, first, first.restart(t))
		})
	}
}

// restart the container in its pod, with a server that has not been asked yet.
func (r *rig) restart(t *testing.T) error {
	t.Helper()
	r.server.asked = nil
	return r.agent.Run(t.Context())
}

// Both read the result before either has marked it: the lock of the version decides.
func TestOfTwoPodsAtOnceOneWorks(t *testing.T) {
	first := newRig(t, "good", contract.PhaseRun, nil)
	second := first.again(t)
	first.api.together = 2
	first.startWhenReady(t)
	rigs, errs := []*rig{first, second}, make([]error, 2)
	var both sync.WaitGroup
	for i, r := range rigs {
		both.Go(func() { errs[i] = r.agent.Run(t.Context()) })
	}
	both.Wait()
	lost := 0
	if errs[0] == nil {
		lost = 1
	}
	if errs[1-lost] != nil {
		t.Errorf("nobody worked: %v", errs)
	}
	refused(t, rigs[lost], errs[lost])
	if n := first.api.deliveries(); n != 1 {
		t.Errorf("%d deliveries, want 1", n)
	}
}

func TestAClaimIsKept(t *testing.T) {
	tests := map[string]struct {
		change func(*fakeAPI)
		want   contract.Reason // empty when the client works
	}{
		"the answer to the claim is lost": {func(f *fakeAPI) { f.loseAnswers = 1 }, ""},
		"another program delivered": {func(f *fakeAPI) {
			f.found(map[string]any{"metadata": map[string]any{"annotations": map[string]any{annotationReady: "then"}}})
		}, contract.ReasonAlreadyBegun},
		"another program delivered a load": {func(f *fakeAPI) { f.found(map[string]any{"binaryData": map[string]any{"r": "eA=="}}) }, contract.ReasonAlreadyBegun},
		"the API server refuses the claim": {func(f *fakeAPI) { f.refuse = ErrRefused }, contract.ReasonDeliveryFailed},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "good", contract.PhaseRun, nil)
			tc.change(r.api)
			r.startWhenReady(t)
			err := r.agent.Run(t.Context())
			if got := r.termination(t); got.Reason != tc.want || (err == nil) != (tc.want == "") {
				t.Errorf("error %v, termination %+v; want %q", err, got, tc.want)
			}
			if tc.want != "" && r.server.asked != nil {
				t.Errorf("it asked the server for %v", r.server.asked)
			}
		})
	}
}

// Another client of the trial has a result of its own.
func TestClientsClaimTheirOwnResults(t *testing.T) {
	first := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) { trial.Clients = 2 })
	first.startAfter(t, 2, 100*time.Millisecond)
	runAll(t, []*rig{first, first.join(t, 1)})
}
