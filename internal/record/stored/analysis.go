package stored

import (
	"errors"

	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/runners"
)

// mostCompared is the number of comparisons of a family that an analysis over runs makes.
const mostCompared = 10000

// Analysis is the run as the analysis over several runs takes it (analysis.ConcludeRuns). It fails
// for a run without a plan or without results.
func (r *Run) Analysis() (analysis.Run, error) {
	st := r.Object.Status
	out := analysis.Run{Name: r.Object.Name, Spec: r.Object.Spec}
	if p := &out.Spec.Clients.Placement; p.SeparateFromTargets == "" && st.Resolved != nil {
		p.SeparateFromTargets = st.Resolved.SeparateFromTargets // the nodes of the cluster decided it
	}
	if r.Plan == nil || st.Results == nil {
		return out, errors.New("it has ended without a plan or without results: there is nothing to compare")
	}
	if st.StartTime != nil && st.CompletionTime != nil {
		out.Seconds = st.CompletionTime.Sub(st.StartTime.Time).Seconds()
	}
	if st.Resolved != nil && st.Resolved.Inputs != nil {
		out.FilesSHA256 = st.Resolved.Inputs.SHA256
	}
	out.Records, out.Settings = r.Records, analysis.SettingsOf(st.Resolved)
	spec := *r.Object.Spec.DeepCopy()
	spec.SetDefaults()
	work, err := experiment.WorkOf(spec, experiment.Catalogue{Tool: runners.Find})
	if err != nil {
		return out, err
	}
	out.Names, out.Limit = work.Compared(), mostCompared
	ran := r.Ran()
	if work.Search != nil { // what is compared are the rates that it found
		answers, err := work.Search.Answers(r.Plan, out.Records)
		if err != nil {
			return out, err
		}
		ran, out.Records = work.Search.Reduce(r.Plan, answers)
	}
	out.Layout, out.Declaration, err = work.Experiment(ran)
	return out, err
}
