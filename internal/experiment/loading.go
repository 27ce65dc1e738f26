package experiment

import (
	"encoding/json"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/runners/runner"
)

// loadingOf is the tool of a run whose trials measure loads (design.measures). It refuses what cannot be: a load needs an empty schema before
// it, and nothing that exists.
func loadingOf(spec v1alpha1.BenchmarkRunSpec, tool runner.Runner, params json.RawMessage) (runner.Runner, error) {
	loading, err := tool.Loading(params)
	if err != nil {
		return runner.Runner{}, Refuse(v1alpha1.ReasonInvalidSpec, "spec.design.measures: Load, and spec.%v", err)
	}
	d := spec.Design
	for _, refused := range []struct {
		is   bool
		text string
	}{
		{d.DataReset != v1alpha1.ResetPerTrial, "spec.design.dataReset: a trial that measures a load (design.measures: Load) begins with an empty schema: set PerTrial"},
		{d.Warmup != nil && d.Warmup.Duration > 0, "spec.design.warmup: nothing can warm up before a load (design.measures: Load): leave it out, or set 0s"},
		{spec.Search != nil, "spec.search: no rate is offered to a load (design.measures: Load): leave search out"},
		{spec.Data != nil, "spec.data: the trials load the data themselves (design.measures: Load): leave data out"},
		{spec.Clients.Count > 1 && !tool.Data.SharesLoad, "spec.clients.count: one client loads with spec.workload." + tool.Name + ": set 1"},
	} {
		if refused.is {
			return runner.Runner{}, Refuse(v1alpha1.ReasonInvalidSpec, "%s", refused.text)
		}
	}
	return loading, nil
}
