package client

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// The tool connects to the relay where it warms up and measures, and to the server where it loads and cleans up.
func TestOnlyWhatIsMeasuredIsDelayed(t *testing.T) {
	const server, relay = "db.example.com", "127.0.0.1"
	for phase, want := range map[contract.Phase]map[contract.Phase]string{
		contract.PhaseRun:     {contract.PhaseWarmup: relay, contract.PhaseRun: relay},
		contract.PhasePrepare: {contract.PhasePrepare: server},
		contract.PhaseCleanup: {contract.PhaseCleanup: server},
	} {
		t.Run(string(phase), func(t *testing.T) {
			r := newRig(t, "good", phase, func(trial *contract.Trial) {
				trial.Workload = json.RawMessage(`{"delay": "1ms"}`)
				trial.Endpoint = contract.Endpoint{Host: server, Port: 3306}
				if phase == contract.PhaseRun {
					trial.WarmupSeconds = 1
				}
			})
			var mu sync.Mutex
			got := map[contract.Phase]string{}
			r.agent.Runner = adapter(func(a *runner.Runner) {
				command := a.Command
				a.Command = func(t contract.Trial, p contract.Phase, c runner.Credentials) (runner.Command, error) {
					mu.Lock()
					defer mu.Unlock()
					got[p] = t.Endpoint.Host
					if p == phase && (t.Endpoint.Port != 3306) != (t.Endpoint.Host == relay) {
						got[p] += " with the port of the other"
					}
					return command(t, p, c)
				}
			})
			if phase == contract.PhaseRun {
				r.startWhenReady(t)
			}
			if err := r.agent.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("hosts by phase (-want +got):\n%s", diff)
			}
		})
	}
}
