package sysbench

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/trial/validity"
	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"

	"github.com/assay-bench/assay/internal/trial/merge"
)

// asResult is what the agent makes of a report.
func asResult(f fixture, r runner.Report) contract.Result {
	made := contract.Result{
		Version: contract.ResultVersion, State: contract.Succeeded,
		Trial:        contract.TrialRef{RunUID: "6f6c4a0e-2f0c-4d0e-9d7c-0b8f6f1f4c11", Phase: string(f.phase), Target: "innodb"},
		Tool:         contract.Tool{Name: Name, Version: r.ToolVersion},
		Measurements: r.Measurements, Errors: r.Errors, Problems: r.Problems,
		RawSHA256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	}
	if f.phase == contract.PhaseRun {
		first := 0
		made.Trial.Index, made.Trial.Block = &first, &first
	}
	if r.Failure != nil {
		made.State, made.Failure = contract.Failed, r.Failure
	}
	return made
}

// Every sound run is valid; that errors were ignored, that the target fell behind the
// rate, and that a few deletes and updates met the gaps that dry-delete had left in a
// table, are the only remarks.
func TestRealRunsAreValid(t *testing.T) {
	remarks := map[string]string{
		"run-open-loop-behind": "saturated", "run-events-open-loop": "no-op-writes", "run-events": "no-op-writes", "run-read-write-options": "no-op-writes",
		"run-write-only-myrocks": "stall",
	}
	for name, f := range fixtures {
		if !f.sound {
			continue
		}
		t.Run(name, func(t *testing.T) {
			expected, err := Runner().Expectations(f.trial(t))
			if err != nil {
				t.Fatal(err)
			}
			r := asResult(f, parse(f.trial(t), f.phase, f.output(t, name)))
			for _, finding := range validity.Check(r, expected) {
				if finding.Check == remarks[name] {
					delete(remarks, name)
					continue
				}
				// A Note: nothing tells of the rows of bulk_insert without the server.
				if finding.Severity != validity.Note && finding.Check != "ignored-errors" {
					t.Errorf("%+v", finding)
				}
			}
			if want := remarks[name]; want != "" {
				t.Errorf("no finding of %s", want)
			}
		})
	}
}

// Statements that change nothing count as transactions of sysbench, and as nothing else.
func TestRunsOnEmptyTablesAreInvalid(t *testing.T) {
	tests := map[string][]string{
		"dry-delete":           {"no-op-writes: 99.0 % of the writes changed nothing"},
		"dry-update-index":     {"no-op-writes: 100.0 % of the writes changed nothing"},
		"dry-update-non-index": {"no-op-writes: 99.9 % of the writes changed nothing, and count as throughput: the tool counted 31 of 27005 writing statements as such"},
		"dry-delete-midway":    {"no-op-writes: ", "data-ran-dry: the tables became empty before the end of the window: "},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			f := fixtures[name]
			expected, err := Runner().Expectations(f.trial(t))
			if err != nil {
				t.Fatal(err)
			}
			findings := validity.Check(asResult(f, parse(f.trial(t), f.phase, f.output(t, name))), expected)
			for i, finding := range findings {
				text := finding.Check + ": " + finding.Message
				if i >= len(want) || finding.Severity != validity.Invalid || !strings.HasPrefix(text, want[i]) {
					t.Errorf("finding %d: %s %s, want one that is Invalid of %q", i, finding.Severity, text, want)
				}
			}
			if len(findings) != len(want) {
				t.Errorf("%d findings, want %d", len(findings), len(want))
			}
		})
	}
}

// Of the updates that replay those of the warm-up, MariaDB's Handler_update counts all, and
// the changes of pages are enough for all; only sysbench saw that 3 of 10 changed nothing.
func TestAReplayedStreamIsInvalid(t *testing.T) {
	f := fixtures["replayed-update-non-index"]
	expected, err := Runner().Expectations(f.trial(t))
	if err != nil {
		t.Fatal(err)
	}
	r := asResult(f, parse(f.trial(t), f.phase, f.output(t, "replayed-update-non-index")))
	r.Server = &contract.Server{Version: "10.11.19-MariaDB-0+deb12u1", StatusDelta: map[string]float64{
		"Com_update": 120740, "Handler_update": 120740, "Handler_write": 0, "Handler_delete": 0,
		"Innodb_buffer_pool_write_requests": 529015, "Questions": 120744,
	}}
	want := []validity.Finding{{Check: "no-op-writes", Severity: validity.Invalid, Message: "29.5 % of the writes changed nothing, and count as throughput: " +
		"the tool counted 85173 of 120740 writing statements as such (kind=write), the others changed no row; the server changed Handler_update 120740 of 120740; " +
		"the rows are gone or have the value already: restore the data before each trial (spec.design.dataReset), or use more rows or a wider distribution of keys"}}
	if diff := cmp.Diff(want, validity.Check(r, expected)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// The percentile that sysbench prints is the one that its histogram gives, so the
// percentile of a merged histogram is what one sysbench would have printed.
func TestHistogramGivesThePrintedPercentile(t *testing.T) {
	const rounding = 0.0056 // of two decimals, and of three
	tested := 0
	for name, f := range fixtures {
		r := asResult(f, parse(f.trial(t), f.phase, f.output(t, name)))
		avg, _ := r.Find(contract.NameLatencyAvg, nil)
		printed, ok := r.Find(contract.NameLatencyPercentile, nil)
		if r.State != contract.Succeeded || avg.Histogram == nil || !ok || *printed.Value == 0 {
			continue
		}
		tested++
		p, err := strconv.ParseFloat(printed.Labels[contract.LabelPercentile], 64)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := avg.Histogram.Percentile(p); math.Abs(got-*printed.Value) > rounding {
			t.Errorf("%s: the %g%% latency is %g ms by the histogram, but %g ms were printed", name, p, got, *printed.Value)
		}
	}
	if tested < 10 {
		t.Errorf("only %d fixtures have a histogram", tested)
	}
}

// Two real runs become one that adds up as if one sysbench had reported it.
func TestMergedRunsAddUp(t *testing.T) {
	f := fixtures["run-write-only-mysql97"]
	first := asResult(f, parse(f.trial(t), f.phase, f.output(t, "run-write-only-mysql97")))
	second := asResult(f, parse(f.trial(t), f.phase, f.output(t, "run-write-only-maria1011")))
	second.Trial.Client = 1
	began := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, r := range []*contract.Result{&first, &second} {
		r.Times.MeasureStarted, r.Times.MeasureEnded = &began, new(began.Add(11*time.Second))
		r.Client.Machine.BootID = "one" // as of clients on one machine
	}
	merged, _, err := merge.Results([]contract.Result{first, second})
	if err != nil {
		t.Fatal(err)
	}
	expected, err := Runner().Expectations(f.trial(t))
	if err != nil {
		t.Fatal(err)
	}
	expected.Threads *= 2
	for _, finding := range validity.Check(merged, expected) {
		if finding.Check != "ignored-errors" {
			t.Errorf("%+v", finding)
		}
	}
	m, _ := merged.Find(contract.NameThroughput, nil)
	if len(m.Intervals) != 10 {
		t.Errorf("%d intervals, want 10", len(m.Intervals))
	}
}

// Runs with other options than those of the trial are found out: those that may be a slow
// server's as well by a warning.
func TestOtherRunsAreFoundOut(t *testing.T) {
	for name, want := range map[string]string{
		"run-rate-limited": "client-bottleneck", "run-events-limit": "duration", "made-zero-transactions": "nothing-done",
	} {
		t.Run(name, func(t *testing.T) {
			f := fixtures[name]
			f.params.Rate, f.params.Events = 0, 0
			expected, err := Runner().Expectations(f.trial(t))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, finding := range validity.Check(asResult(f, parse(f.trial(t), f.phase, f.output(t, name))), expected) {
				got = append(got, finding.Check)
			}
			if !slices.Contains(got, want) {
				t.Errorf("checks %v, want %s among them", got, want)
			}
		})
	}
}

// The golden results of internal/ground/contract are these fixtures, as the agent would
// write them. Other packages test with them.
func TestGoldenResults(t *testing.T) {
	for name, golden := range map[string]string{
		"run-read-write-mysql97": "run.json", "run-read-write-ignored-errors": "run-ignored-errors.json",
		"fail-killed-midrun": "run-failed.json", "prepare-mysql97": "prepare.json",
	} {
		t.Run(golden, func(t *testing.T) {
			f := fixtures[name]
			got := renderJSON(t, asResult(f, parse(f.trial(t), f.phase, f.output(t, name))))
			path := filepath.Join("..", "..", "internal", "ground", "contract", "testdata", golden)
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(want, got) || !json.Valid(got) {
				t.Errorf("%s (-want +got):\n%s", path, cmp.Diff(string(want), string(got)))
			}
		})
	}
}
