package client

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// The agent of a pod without the key says what is missing, and does not begin. A database without an
// agent needs none.
func TestTheKeyOfTheTargetsAgent(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*contract.Trial)
		want   contract.State
	}{
		"a target with an agent": {func(trial *contract.Trial) { trial.Agent = newFakeTarget(t).address }, contract.Failed},
		"a target with replicas": {func(trial *contract.Trial) { trial.Replicas = []string{newFakeTarget(t).address} }, contract.Failed},
		"an external target":     {nil, contract.Succeeded},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "good", contract.PhaseRun, tt.change)
			if err := os.Remove(filepath.Join(r.agent.Credentials, contract.KeyAgent)); err != nil {
				t.Fatal(err)
			}
			r.startWhenReady(t)
			err := r.agent.Run(t.Context())
			res, _ := r.outcome(t)
			if res.State != tt.want || tt.want == contract.Failed && res.Failure.Reason != contract.ReasonTrialUnreadable || (err == nil) != (tt.want == contract.Succeeded) {
				t.Errorf("got %s, %+v; want %s", res.State, res.Failure, tt.want)
			}
		})
	}
}
