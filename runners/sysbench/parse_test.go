package sysbench

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/engines/servererror"
	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestParseGivesTheGoldenReport(t *testing.T) {
	for name, f := range fixtures {
		t.Run(name, func(t *testing.T) {
			got := parse(f.trial(t), f.phase, f.output(t, name))
			if reason := reasonOf(got); reason != f.want {
				t.Errorf("reason = %q, want %q; failure: %+v", reason, f.want, got.Failure)
			}
			golden := filepath.Join("testdata", name+".golden.json")
			if *update {
				if err := os.WriteFile(golden, renderJSON(t, got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			data, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			var want runner.Report
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEveryFixtureIsInTheTable(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.stdout"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".stdout"); fixtures[name].phase == "" {
			t.Errorf("%s has no entry in the table of fixtures", name)
		}
	}
}

// An output that was cut at the end of any of its lines proves nothing. Of what a
// script of the user prints before and after its run, only the first line is known.
func TestParseOfACutOutputFails(t *testing.T) {
	for name, f := range fixtures {
		if f.want != "" || f.params.Script != nil && f.phase != contract.PhaseRun {
			continue
		}
		t.Run(name, func(t *testing.T) {
			whole := f.output(t, name)
			text := bytes.TrimRight(whole.Stdout, "\n")
			for i := range text {
				if text[i] != '\n' && i != len(text)-1 {
					continue
				}
				// The rows of the histogram are alike.
				row := text[bytes.LastIndexByte(text[:i], '\n')+1 : i]
				if bytes.Contains(row, []byte(" |")) && row[len(row)-1]%5 != 0 {
					continue
				}
				cut := runner.Output{Stdout: text[:i]}
				if got := parse(f.trial(t), f.phase, cut); got.Failure == nil || got.Failure.Reason != contract.ReasonOutputTruncated {
					t.Errorf("cut after %d of %d bytes: failure = %+v, want OutputTruncated", i, len(text), got.Failure)
				}
			}
		})
	}
}

func TestParseJudgesHowTheProcessEnded(t *testing.T) {
	whole := load(t, "run-read-only-quiet.stdout")
	tests := map[string]struct {
		output runner.Output
		want   *contract.Failure
	}{
		"a whole report and exit code 0 is a success": {runner.Output{Stdout: whole}, nil},
		"a whole report and another exit code is a failure": {
			runner.Output{Stdout: whole, ExitCode: 2},
			runner.Failed(contract.ReasonToolFailed, "sysbench ended with exit code 2 and said nothing: look at the raw output"),
		},
		"a whole report and a signal is a failure": {
			runner.Output{Stdout: whole, ExitCode: -1, Signal: "SIGSEGV"},
			runner.Failed(contract.ReasonToolFailed, "sysbench was ended by SIGSEGV: %s", afterSignal("SIGSEGV")),
		},
		"a FATAL line explains more than the signal": {
			runner.Output{Stdout: []byte("FATAL: error 2013: gone\n"), ExitCode: -1, Signal: "SIGKILL"},
			runner.Failed(contract.ReasonConnectionLost, "sysbench: FATAL: error 2013: gone: %s", servererror.Lost.Remedy()),
		},
		"a FATAL line beside a whole report is a failure": {
			runner.Output{Stdout: append(bytes.Clone(whole), "FATAL: The event queue is full\n"...)},
			runner.Failed(contract.ReasonToolFailed, "sysbench: FATAL: The event queue is full: look at the raw output and the server's log"),
		},
		"a full queue says what to do": {
			runner.Output{Stdout: load(t, "fail-event-queue-full.stdout"), ExitCode: 1},
			runner.Failed(contract.ReasonTargetOverloaded, "sysbench: FATAL: The event queue is full. This means the worker threads are unable to "+
				"keep up with the specified event generation rate: %s", overloaded.Remedy),
		},
	}
	f := fixtures["run-read-only-quiet"]
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := parse(f.trial(t), contract.PhaseRun, tc.output)
			if diff := cmp.Diff(tc.want, got.Failure); diff != "" {
				t.Errorf("failure (-want +got):\n%s", diff)
			}
		})
	}
}

// The events bind the measured window only: the warm-up is bounded by time.
func TestTooFewEvents(t *testing.T) {
	f := fixtures["fail-too-few-events"]
	tests := map[string]struct {
		phase  contract.Phase
		events int64
		want   *contract.Failure
	}{
		"fewer than asked for": {contract.PhaseRun, 6861, runner.Failed(contract.ReasonOperationsUnfinished,
			"6860 of 6861 events were done in 3 s: raise design.duration, or lower workload.sysbench.events")},
		"as many as asked for":  {contract.PhaseRun, 6860, nil},
		"none were asked for":   {contract.PhaseRun, 0, nil},
		"fewer, in the warm-up": {contract.PhaseWarmup, 6861, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f.params.Events = tc.events
			got := parse(f.trial(t), tc.phase, f.output(t, "fail-too-few-events"))
			if diff := cmp.Diff(tc.want, got.Failure); diff != "" {
				t.Errorf("failure (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAReportThatDoesNotNameTheOfferedRate(t *testing.T) {
	f := fixtures["run-events"]
	f.params.Rate = 100
	got := parse(f.trial(t), contract.PhaseRun, f.output(t, "run-events"))
	want := runner.Failed(contract.ReasonOutputTruncated, "sysbench ended well, but its report lacks: target transaction rate: look at the raw output")
	if diff := cmp.Diff(want, got.Failure); diff != "" {
		t.Errorf("failure (-want +got):\n%s", diff)
	}
}

func TestParseRefusesAWorkloadItCannotRead(t *testing.T) {
	got := parse(contract.Trial{Workload: json.RawMessage(`{"test":"tpcc"}`)}, contract.PhaseRun, runner.Output{})
	if reasonOf(got) != contract.ReasonTrialUnreadable {
		t.Errorf("failure = %+v, want TrialUnreadable", got.Failure)
	}
}

func TestParseBoundsTheProblems(t *testing.T) {
	f := fixtures["run-read-only-quiet"]
	noise := strings.Repeat(strings.Repeat("\xff", 1000)+"\n", runner.MaxProblems+50)
	got := parse(f.trial(t), contract.PhaseRun, runner.Output{Stderr: []byte(noise)})
	if n := len(got.Problems); n != runner.MaxProblems+1 {
		t.Fatalf("got %d problems, want %d", n, runner.MaxProblems+1)
	}
	want := contract.Problem{Source: "run", Text: "and 50 more lines"}
	if diff := cmp.Diff(want, got.Problems[runner.MaxProblems]); diff != "" {
		t.Errorf("last problem (-want +got):\n%s", diff)
	}
	if n := len(got.Problems[0].Text); n > 1200 { // runner.Abridge
		t.Errorf("a problem quotes %d bytes", n)
	}
}

func FuzzParse(f *testing.F) {
	for name, fx := range fixtures {
		o := fx.output(f, name)
		f.Add(o.Stdout, o.Stderr, o.ExitCode, string(fx.phase))
	}
	trial := measured(TestReadWrite, false).trial(f)
	f.Fuzz(func(t *testing.T, stdout, stderr []byte, exit int, phase string) {
		got := parse(trial, contract.Phase(phase), runner.Output{Stdout: stdout, Stderr: stderr, ExitCode: exit})
		throughput, _ := contract.Find(got.Measurements, contract.NameThroughput, nil)
		if phase == string(contract.PhaseRun) && got.Failure == nil && throughput.Value == nil {
			t.Error("a run without a throughput is no success")
		}
		most := max(bytes.Count(stdout, []byte("\n")), bytes.Count(stderr, []byte("\n"))) + 1
		for _, p := range got.Problems {
			if p.Line < 0 || p.Line > most {
				t.Errorf("line %d of %d", p.Line, most)
			}
		}
		if _, err := json.Marshal(got); err != nil {
			t.Errorf("the report cannot be written as JSON: %v", err)
		}
	})
}

func reasonOf(r runner.Report) contract.Reason {
	if r.Failure == nil {
		return ""
	}
	return r.Failure.Reason
}

// flat is an object without objects or lists in it.
var (
	flat  = regexp.MustCompile(`\{\n[^{}\[\]]*\}`)
	blank = regexp.MustCompile(`\n\s*`)
)

// renderJSON writes JSON with one bucket or point per line.
func renderJSON(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	data = flat.ReplaceAllFunc(data, func(object []byte) []byte { return blank.ReplaceAll(object, []byte(" ")) })
	return append(data, '\n')
}
