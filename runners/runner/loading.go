package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// loadSummary are the measurements of a trial that is a load, besides those that the tool itself gives, the main one first.
var loadSummary = []string{
	contract.NameRowRate, contract.NameLoadTime, contract.NameGeneratingTime, contract.NameWritingTime,
	contract.NameFlushTime, contract.NameStatisticsTime, contract.NameRowsLoaded,
}

// threads is the field of a workload with the connections that work at the same time, also of a load.
const threads = "threads"

// Loading is the tool whose trials measure its load: the phase Run is what Prepare is for r. Nothing is loaded before the trials and
// nothing warms up, so that a trial begins with an empty schema, and any field of the workload can be an axis. It fails for a
// workload of which r loads nothing.
func (r Runner) Loading(workload json.RawMessage) (Runner, error) {
	tool := r
	if tool.Skips(contract.Trial{Runner: r.Name, Workload: workload, Clients: 1}, contract.PhasePrepare) {
		return Runner{}, fmt.Errorf("workload.%s: the tool loads nothing before its trials: measure a tool that does, such as sysbench or ycsb", r.Name)
	}
	r.Headline = contract.NameRowRate
	r.Summary = slices.Concat(loadSummary, slices.DeleteFunc(slices.Clone(tool.Summary), func(name string) bool { return slices.Contains(loadSummary, name) }))
	r.Facts = append(slices.Clone(tool.Facts), contract.NameRowsLoaded)
	r.Command = func(t contract.Trial, p contract.Phase, c Credentials) (Command, error) {
		return tool.Command(loadOf(t, p), phaseOfLoad(p), c)
	}
	r.Parse = func(t contract.Trial, p contract.Phase, o Output) Report {
		report := tool.Parse(loadOf(t, p), phaseOfLoad(p), o)
		for i, problem := range report.Problems { // the agent keeps the output under the name of the phase
			if of, is := strings.CutPrefix(problem.Source, strings.ToLower(string(contract.PhasePrepare))); is {
				report.Problems[i].Source = strings.ToLower(string(p)) + of
			}
		}
		return report
	}
	r.Expectations = func(t contract.Trial) (Expectations, error) {
		of, err := tool.Expectations(t)
		return Expectations{Headline: contract.NameLoadTime, StorageEngine: of.StorageEngine, TLSRequired: of.TLSRequired}, err
	}
	r.Data = Data{Leaves: tool.Data.Rows, SameBytes: tool.Data.SameBytes, SharesLoad: tool.Data.SharesLoad, OnExisting: loadsNothingThere}
	r.Phases = Phases{Skips: func(t contract.Trial, p contract.Phase) bool {
		return p == contract.PhasePrepare || p == contract.PhaseWarmup || p == contract.PhaseCheck || tool.Skips(loadOf(t, p), phaseOfLoad(p))
	}}
	if slices.Contains(tool.Design.Loads, threads) {
		r.Design = Design{Loads: []string{threads}} // a load is offered no rate
	} else {
		r.Design = Design{}
	}
	return r, nil
}

// phaseOfLoad is the phase of the tool that does what is asked for.
func phaseOfLoad(p contract.Phase) contract.Phase {
	if p == contract.PhaseRun {
		return contract.PhasePrepare
	}
	return p
}

// loadOf is the trial as the tool knows it of Prepare: without a place in the plan, so that every load of a run is the same.
func loadOf(t contract.Trial, p contract.Phase) contract.Trial {
	if p == contract.PhaseRun {
		ref := t.Ref
		t.Ref = contract.TrialRef{RunUID: ref.RunUID, Phase: string(contract.PhasePrepare), Target: ref.Target, Client: ref.Client}
	}
	return t
}

func loadsNothingThere(contract.Trial) (bool, error) {
	return false, errors.New("each trial makes the tables itself")
}

// LoadTimes are how long a thread that loads was outside of statements and in them, the mean of the threads, in s.
func LoadTimes(generating, writing float64) []contract.Measurement {
	return []contract.Measurement{
		Number(contract.NameGeneratingTime, "s", contract.LowerIsBetter, generating),
		Number(contract.NameWritingTime, "s", contract.LowerIsBetter, writing),
	}
}
