package conclude

import (
	"encoding/json"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/internal/verdict/baseline"
	"github.com/assay-bench/assay/internal/verdict/gate"
)

// Gate is the verdict of spec.gate on a run that ends, with a verdict on its results and a failure, whose
// reason is empty when it is complete; nil for a run without a gate. The baselines are read once, by their
// names in the namespace of the run; a run that has failed needs none, and neither does a gate over the comparisons
// of the run. It has no meaning while questions are open.
func Gate(in Input, valid Verdict, failure decision.Failed, ask *decision.Asking) *gate.Verdict {
	if in.Run.Spec.Gate == nil {
		return nil
	}
	out := gate.Input{Gate: *in.Run.Spec.Gate, SpecHash: in.Run.Status.SpecHash, Sentence: readout.Sentence}
	if failure.Reason != "" {
		out.Failed = failure.Reason + ": " + failure.Message
		verdict := gate.Judge(out)
		return &verdict
	}
	for _, b := range out.Gate.Baselines() {
		found := decision.Get[*v1alpha1.BenchmarkBaseline](ask, b.Name)
		one := gate.Read{}
		if found.Exists {
			one = gate.Read{Baseline: found.Value, SHA256: digestOf(found.Value.Spec)}
		}
		out.Baselines = append(out.Baselines, one)
	}
	if !ask.Complete() {
		return nil
	}
	var err error
	if out.Workload, err = baseline.WorkloadOf(in.Run); err != nil {
		out.Workload = "" // no spec is without JSON: it came as such
	}
	if !valid.Known {
		out.Invalid = v1alpha1.ReasonNoUsableTrial + ": there is no result"
	} else if !valid.Valid {
		out.Invalid = valid.Reason + ": " + valid.Message
	}
	if in.Search != nil { // what is compared with the baseline are the rates that it found
		in, _ = in.reduce()
	}
	in.Settings = analysis.SettingsOf(in.Run.Status.Resolved)
	out.Run = analysis.Run{Name: in.Run.Name, Spec: in.Run.Spec, Input: in.Input}
	verdict := gate.Judge(out)
	return &verdict
}

// digestOf the spec of a baseline. Each spec can be marshalled: it came as JSON.
func digestOf(spec v1alpha1.BenchmarkBaselineSpec) string {
	data, err := json.Marshal(spec)
	if err != nil {
		return ""
	}
	return contract.Digest(data)
}
