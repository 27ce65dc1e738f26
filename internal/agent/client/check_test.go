package client

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// A tool that can checks the data when the window has ended: once, by the first client. What
// it finds is delivered, and a check that could not be made fails the trial.
func TestTheDataIsCheckedAfterTheWindow(t *testing.T) {
	tests := map[string]struct {
		checks  bool
		client  int
		fails   bool
		want    int64
		failure string
	}{
		"a tool that can":                {checks: true, want: int64(len("value [Check --leak=hunter2]\n"))},
		"a tool that cannot":             {},
		"another client than the first":  {checks: true, client: 1},
		"a check that could not be made": {checks: true, fails: true, failure: "checking the data after the window: no connection"},
		"a tool that is not asked to":    {fails: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) { trial.Clients = tt.client + 1 })
			r.agent.Index = tt.client
			r.agent.Runner = func(name string) (runner.Runner, bool) {
				tool, ok := testRunner(name)
				parse := tool.Parse
				tool.Phases.CheckTime = func(contract.Trial) time.Duration {
					if tt.checks {
						return time.Minute
					}
					return 0
				}
				tool.Parse = func(trial contract.Trial, p contract.Phase, o runner.Output) runner.Report {
					report := parse(trial, p, o)
					switch {
					case p != contract.PhaseCheck:
					case !tt.fails:
						report = runner.Report{Check: &contract.DataCheck{Rules: int64(len(o.Stdout))}}
					default:
						report = runner.Report{Failure: &contract.Failure{Reason: contract.ReasonToolFailed, Message: "no connection"}}
					}
					return report
				}
				return tool, ok
			}
			r.startWhenReady(t)
			err := r.agent.Run(t.Context())
			if (err == nil) != (tt.failure == "") || err != nil && !strings.Contains(err.Error(), tt.failure) {
				t.Fatalf("got error %v, want %q", err, tt.failure)
			}
			res, raw := r.outcome(t)
			var rules int64
			if res.Data != nil && res.Data.Check != nil {
				rules = res.Data.Check.Rules
				if res.Data.Check.Seconds <= 0 {
					t.Errorf("the check took %g s", res.Data.Check.Seconds)
				}
			}
			if rules != tt.want {
				t.Errorf("%d rules were checked, want %d", rules, tt.want)
			}
			if _, ran := raw["check/stdout.txt"]; ran != (tt.checks && tt.client == 0) {
				t.Errorf("the check ran: %v", ran)
			}
			if len(res.Measurements) == 0 {
				t.Error("the measurements are lost")
			}
		})
	}
}
