package client

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// A tool that is killed with its container, as one without memory is, or that kills its
// supervisor, leaves a result that says so.
func TestAToolThatTakesItsContainerWithIt(t *testing.T) {
	r := newRig(t, "assassin", contract.PhaseRun, nil)
	dir, err := os.MkdirTemp("", "tool")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	r.agent.Socket = filepath.Join(dir, "s")
	supervisor := exec.Command(os.Args[0])
	supervisor.Env = append(os.Environ(), supervisorEnv+"="+r.agent.Socket)
	if err := supervisor.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = supervisor.Wait() }() // it was killed
	r.startWhenReady(t)
	if err := r.agent.Run(t.Context()); err == nil {
		t.Error("it is no error")
	}
	res, _ := r.outcome(t)
	if res.Failure == nil || res.Failure.Reason != contract.ReasonToolLost || !strings.Contains(res.Failure.Message, "running") {
		t.Errorf("got %+v, want %s while running", res.Failure, contract.ReasonToolLost)
	}
	if res.Times.MeasureStarted == nil || res.Client.Before == nil {
		t.Errorf("what was known before is lost: %+v", res.Times)
	}
}

// Nobody waits for a container that does not come for longer than the trial may take.
func TestAToolsContainerThatNeverComes(t *testing.T) {
	r := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) { trial.Deadline = time.Now().Add(2 * time.Second) })
	r.agent.Socket += "-other"
	if err := r.agent.Run(t.Context()); err == nil {
		t.Error("it is no error")
	}
	res, _ := r.outcome(t)
	if res.Failure == nil || res.Failure.Reason != contract.ReasonDeadlineExceeded || !strings.Contains(res.Failure.Message, "waiting for the tool's container") {
		t.Errorf("got %+v, want %s while waiting for the container", res.Failure, contract.ReasonDeadlineExceeded)
	}
}
