package benchmarkrun

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/assay-bench/assay/runners"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// goodClient delivers a result parsed from the output of a real sysbench run.
func goodClient(t *testing.T) kubelet.Client {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "oltp_read_write.stdout"))
	if err != nil {
		t.Fatal(err)
	}
	return func(trial contract.Trial) *contract.Result {
		now := time.Now()
		res := &contract.Result{
			Version: contract.ResultVersion, Trial: trial.Ref, State: contract.Succeeded, RawSHA256: contract.Digest([]byte("raw")),
			Tool:   contract.Tool{Name: "sysbench", Version: "1.0.20", ExitCode: new(0)},
			Times:  contract.Times{MeasureStarted: &now, MeasureEnded: new(now.Add(time.Millisecond))},
			Server: &contract.Server{Version: "10.11.19-MariaDB"},
		}
		res.Data = loadedData(trial)
		if trial.Ref.Phase == string(contract.PhaseRun) {
			r, _ := runners.Find("sysbench")
			report := r.Parse(trial, contract.PhaseRun, runner.Output{Stdout: raw})
			res.Measurements, res.Errors = report.Measurements, report.Errors
		}
		return res
	}
}

// loadedTables is what every played target holds after loading.
var loadedTables = []contract.Table{{Name: "sbtest1", Rows: 10000, Checksum: new(int64(4711))}, {Name: "sbtest2", Rows: 10000}}

// loadedData is what a client says of the data: after loading and after a reset.
func loadedData(trial contract.Trial) *contract.Data {
	switch {
	case trial.Ref.Client > 0:
		return nil
	case trial.Ref.Phase == string(contract.PhasePrepare):
		return &contract.Data{Tables: loadedTables}
	case trial.Reset != nil:
		at := time.Now()
		return &contract.Data{Tables: loadedTables, Reset: &contract.ResetReport{Method: trial.Reset.Method, Started: at, Ended: at.Add(1500 * time.Millisecond)}}
	}
	return nil
}

// delivers is a client with a throughput, and nothing that could contradict it.
func delivers(throughput func(contract.Trial) float64) kubelet.Client {
	return func(trial contract.Trial) *contract.Result {
		res := &contract.Result{
			Version: contract.ResultVersion, Trial: trial.Ref, State: contract.Succeeded, RawSHA256: contract.Digest([]byte("raw")),
			Tool: contract.Tool{Name: "sysbench", Version: "1.0.20", ExitCode: new(0)}, Data: loadedData(trial),
		}
		if trial.Ref.Phase == string(contract.PhaseRun) {
			res.Measurements = []contract.Measurement{{
				Name: contract.NameThroughput, Unit: "tx/s", Direction: contract.HigherIsBetter, Value: new(throughput(trial)),
			}}
		}
		return res
	}
}

func always(v float64) func(contract.Trial) float64 { return func(contract.Trial) float64 { return v } }

// fails turns a result into one of a failure.
func fails(res *contract.Result, reason contract.Reason, message string) *contract.Result {
	res.State, res.Measurements = contract.Failed, nil
	res.Failure = &contract.Failure{Reason: reason, Message: message}
	return res
}

// isTrial says whether a client runs the trial of an index.
func isTrial(trial contract.Trial, index int) bool {
	return trial.Ref.Index != nil && *trial.Ref.Index == index
}

// hold waits until the channel is closed or the test ends.
func hold(t *testing.T, until <-chan struct{}) {
	select {
	case <-until:
	case <-t.Context().Done():
	}
}

// gatedClient is a client that waits in its Run phase until it is opened.
func gatedClient(t *testing.T, then kubelet.Client) (c kubelet.Client, open func()) {
	t.Helper()
	opened := make(chan struct{})
	return func(trial contract.Trial) *contract.Result {
		if trial.Ref.Phase == string(contract.PhaseRun) {
			hold(t, opened)
		}
		return then(trial)
	}, sync.OnceFunc(func() { close(opened) })
}

// diary keeps what each client was told.
type diary struct {
	mu     sync.Mutex
	trials []contract.Trial
}

func (d *diary) of(c kubelet.Client) kubelet.Client {
	return func(trial contract.Trial) *contract.Result {
		d.mu.Lock()
		d.trials = append(d.trials, trial)
		d.mu.Unlock()
		return c(trial)
	}
}

// phase lists what the clients of a phase were told, in the order of their starts.
func (d *diary) phase(phase contract.Phase) []contract.Trial {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []contract.Trial
	for _, t := range d.trials {
		if t.Ref.Phase == string(phase) {
			out = append(out, t)
		}
	}
	return out
}
