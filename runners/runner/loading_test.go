package runner

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// The phase Run of a load is the tool's Prepare, in the words of Run, and the same for every trial of a run.
func TestLoading(t *testing.T) {
	var asked []contract.Trial
	var phases []contract.Phase
	tool := Runner{
		Name: "fake", Headline: contract.NameThroughput, Summary: []string{contract.NameThroughput, contract.NameLoadTime}, Facts: []string{"fact"},
		Command: func(t contract.Trial, p contract.Phase, _ Credentials) (Command, error) {
			asked, phases = append(asked, t), append(phases, p)
			return Command{Path: "fake", Args: []string{string(p)}}, nil
		},
		Parse: func(t contract.Trial, p contract.Phase, _ Output) Report {
			asked, phases = append(asked, t), append(phases, p)
			return Report{Problems: []contract.Problem{{Source: "prepare/stdout", Text: "?"}, {Source: "other", Text: "?"}}}
		},
		Expectations: func(contract.Trial) (Expectations, error) {
			return Expectations{Threads: 4, Operations: 9, StorageEngine: "InnoDB", TLSRequired: true}, nil
		},
		Data:   Data{Rows: func(contract.Trial) (map[string]int64, error) { return map[string]int64{"t": 5}, nil }, SharesLoad: true},
		Phases: Phases{Skips: func(t contract.Trial, p contract.Phase) bool { return p == contract.PhasePrepare && t.Ref.Client == 7 }},
		Design: Design{Loads: []string{"threads"}, Sample: "{}"},
	}
	r, err := tool.Loading(json.RawMessage("{}"))
	if err != nil {
		t.Fatal(err)
	}
	trial := contract.Trial{Runner: "fake", Clients: 8, Loads: true, Ref: contract.TrialRef{
		RunUID: "u", Phase: "Run", Target: "db", Client: 2, Index: new(5), Block: new(1), Cell: new(2), Attempt: 1,
	}}
	command, err := r.Command(trial, contract.PhaseRun, Credentials{})
	if err != nil || !slices.Equal(command.Args, []string{"Prepare"}) {
		t.Errorf("%v, %v", command, err)
	}
	report := r.Parse(trial, contract.PhaseRun, Output{})
	if want := []contract.Problem{{Source: "run/stdout", Text: "?"}, {Source: "other", Text: "?"}}; !cmp.Equal(want, report.Problems) {
		t.Errorf("problems %v", report.Problems)
	}
	for i, got := range asked {
		if want := (contract.TrialRef{RunUID: "u", Phase: "Prepare", Target: "db", Client: 2}); !cmp.Equal(want, got.Ref) || phases[i] != contract.PhasePrepare {
			t.Errorf("asked as %+v in %s", got.Ref, phases[i])
		}
	}
	if command, err := r.Command(trial, contract.PhaseCleanup, Credentials{}); err != nil || command.Args[0] != "Cleanup" || !cmp.Equal(trial.Ref, asked[len(asked)-1].Ref) {
		t.Errorf("the clean-up: %v, %v", command, err)
	}
	last := trial
	last.Ref.Client = 7
	for p, want := range map[contract.Phase]bool{contract.PhasePrepare: true, contract.PhaseWarmup: true, contract.PhaseCheck: true, contract.PhaseRun: false, contract.PhaseCleanup: false} {
		if r.Skips(trial, p) != want || !r.Skips(last, contract.PhaseRun) {
			t.Errorf("skips %s: %v", p, !want)
		}
	}
	expected, err := r.Expectations(trial)
	if want := (Expectations{Headline: contract.NameLoadTime, StorageEngine: "InnoDB", TLSRequired: true}); err != nil || !cmp.Equal(want, expected) {
		t.Errorf("expectations %+v, %v", expected, err)
	}
	leaves, _ := r.Leaves(trial)
	before, _ := r.Rows(trial)
	if leaves["t"] != 5 || len(before) != 0 {
		t.Errorf("leaves %v of %v", leaves, before)
	}
	if r.Summary[0] != contract.NameRowRate || !slices.Contains(r.Summary, contract.NameThroughput) || len(slices.Compact(slices.Sorted(slices.Values(r.Summary)))) != len(r.Summary) {
		t.Errorf("summary %v", r.Summary)
	}
	if _, err := r.OnExisting(trial); err == nil {
		t.Error("it can use tables that exist")
	}
	tool.Phases.Skips = func(contract.Trial, contract.Phase) bool { return true }
	if _, err := tool.Loading(nil); err == nil || !strings.Contains(err.Error(), "workload.fake: the tool loads nothing") {
		t.Errorf("a tool that loads nothing: %v", err)
	}
}
