package benchmarkrun

import "github.com/assay-bench/assay/controllers/benchmarkrun/conclude"

// addExperiment adds what the run compares to the input of its end. A spec that this version cannot
// read compares nothing: it was accepted by another one.
func (v view) addExperiment(in *conclude.Input) {
	if in.Plan == nil {
		return
	}
	l, d, err := v.accepted.Work.Experiment(in.Plan)
	if err != nil {
		return
	}
	in.Layout, in.Declaration, in.Limit = l, d, int(v.Catalogue.Config.Limits.Comparisons)
}
