package conclude

import (
	"encoding/json"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/internal/verdict/baseline"
	"github.com/assay-bench/assay/internal/verdict/gate"
)

// Ended is how a run ends.
type Ended struct {
	// Failure has no reason when it is complete.
	Failure decision.Failed
	// Verdict on its results.
	Verdict Verdict
}

// Gated is the verdict of a gate.
type Gated = gate.Verdict

// Gate is the verdict of spec.gate on a run that ends; nil for a run without one. The baselines are read
// once, by their names in the namespace of the run; a run that has failed needs none. It has no meaning
// while questions are open.
func Gate(in Input, end Ended, ask *decision.Asking) *Gated {
	if in.Run.Spec.Gate == nil {
		return nil
	}
	out := gate.Input{Gate: *in.Run.Spec.Gate, SpecHash: in.Run.Status.SpecHash}
	if end.Failure.Reason != "" {
		out.Failed = end.Failure.Reason + ": " + end.Failure.Message
		verdict := gate.Judge(out)
		return &verdict
	}
	for _, b := range out.Gate.Baselines() {
		found := decision.Baseline(ask, b.Name)
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
	if v := end.Verdict; !v.Known {
		out.Invalid = v1alpha1.ReasonNoUsableTrial + ": there is no result"
	} else if !v.Valid {
		out.Invalid = v.Reason + ": " + v.Message
	}
	if in.Search != nil { // what is compared with the baseline are the rates that it found
		in, _ = in.reduce()
	}
	out.Run = analysis.Run{Name: in.Run.Name, Spec: in.Run.Spec, Input: analysis.Input{
		Layout: in.Layout, Declaration: in.Declaration, Names: in.Names, Records: in.Records, Limit: in.Limit,
	}}
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
