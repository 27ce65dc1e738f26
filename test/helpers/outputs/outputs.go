// Package outputs has what the tests of go-tpc's adapters share: a trial as the API completes it, outputs of the real tool in testdata
// with what is made of them, and targets that a command is refused for.
package outputs

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/apischema"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

var update = flag.Bool("update", false, "write the golden files")

// Someone is the account of every trial.
var Someone = runner.Credentials{Username: "assay", Password: "s3cret"}

// Tool is the adapter under test.
type Tool struct {
	// Name of the runner, and Seconds of the window of its trials.
	Name    string
	Seconds int64
	Command func(contract.Trial, contract.Phase, runner.Credentials) (runner.Command, error)
	Parse   func(contract.Trial, contract.Phase, runner.Output) runner.Report
	// Proves says whether a standard output that was cut off still has the last line that matters; nil: none has.
	Proves func(stdout string) bool
}

// Fixture is an output of the tool: NAME.stdout and NAME.stderr in testdata. NAME.golden.json is the report of it.
type Fixture struct {
	Phase    contract.Phase
	Workload string
	// Exit code, and Seconds of the window where they are not those of the tool.
	Exit    int
	Seconds int64
	// Want is the reason of the failure; empty for a success. Message is a part of it.
	Want    contract.Reason
	Message string
}

// Refusal is a trial for which there is no command, and a part of the error.
type Refusal struct {
	Change func(*contract.Trial, *runner.Credentials)
	Want   string
}

// Trial of a workload as the API completes it.
func (tool Tool) Trial(t testing.TB, workload string) contract.Trial {
	t.Helper()
	schema, err := apischema.ForTool(tool.Name)
	if err != nil {
		t.Fatal(err)
	}
	completed, err := schema.Complete(json.RawMessage(workload))
	if err != nil {
		t.Fatal(err)
	}
	return contract.Trial{
		Version: contract.TrialVersion, Runner: tool.Name, Workload: completed, Clients: 1, WarmupSeconds: 5, DurationSeconds: tool.Seconds,
		Endpoint: contract.Endpoint{Host: "db.bench.svc", Port: 3306, Database: "assay", TLS: contract.TLSDisabled, StorageEngine: "InnoDB"},
	}
}

// Load a file of testdata; an empty output has none.
func Load(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return data
}

// Parses holds what is made of the fixtures against their golden files. What was cut off anywhere proves less, never something else.
func (tool Tool) Parses(t *testing.T, fixtures map[string]Fixture) {
	for name, f := range fixtures {
		t.Run(name, func(t *testing.T) {
			trial := tool.Trial(t, f.Workload)
			if f.Seconds > 0 {
				trial.DurationSeconds = f.Seconds
			}
			o := runner.Output{Stdout: Load(t, name+".stdout"), Stderr: Load(t, name+".stderr"), ExitCode: f.Exit}
			report := tool.Parse(trial, f.Phase, o)
			switch {
			case f.Want == "" && report.Failure != nil:
				t.Errorf("failed with %+v", report.Failure)
			case f.Want != "" && (report.Failure == nil || report.Failure.Reason != f.Want || !strings.Contains(report.Failure.Message, f.Message)):
				t.Errorf("failure = %+v, want %s with %q", report.Failure, f.Want, f.Message)
			}
			golden(t, name+".golden.json", report)
			whole := o.Stdout
			for _, part := range []int{0, len(whole) / 3, len(whole) / 2, len(whole) * 9 / 10} {
				o.Stdout = whole[:part]
				if cut := tool.Parse(trial, f.Phase, o); cut.Failure == nil && (tool.Proves == nil || !tool.Proves(string(o.Stdout))) {
					t.Errorf("the first %d of %d bytes are enough", part, len(whole))
				}
			}
		})
	}
}

// golden compares a report with that of a file, which -update writes.
func golden(t *testing.T, name string, report runner.Report) {
	t.Helper()
	got, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(filepath.Join("testdata", name), append(got, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(strings.TrimSpace(string(Load(t, name))), string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Refuses wants an error in place of a command of the phase Run.
func (tool Tool) Refuses(t *testing.T, refusals map[string]Refusal) {
	for name, tt := range refusals {
		t.Run(name, func(t *testing.T) {
			trial, c := tool.Trial(t, `{}`), Someone
			tt.Change(&trial, &c)
			if _, err := tool.Command(trial, contract.PhaseRun, c); err == nil || !strings.Contains(err.Error(), tt.Want) {
				t.Errorf("got error %v, want one with %q", err, tt.Want)
			}
		})
	}
}
