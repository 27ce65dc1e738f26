package invariants

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Of a run of at most mostBlocks blocks with one comparison, the only interim analysis but the end is after
// interimBlocks. An interval takes neededPairs of them.
const interimBlocks, mostBlocks, neededPairs = 8, 12, 7

// stopsEarly makes a run one that may end at its interim analysis. All trials have the same throughput.
func stopsEarly(r *v1alpha1.BenchmarkRun) {
	r.Spec.Design.Blocks = mostBlocks
	r.Spec.Design.StopEarly = &v1alpha1.StopEarly{MinBlocks: interimBlocks, Precision: "2%"}
}

// trialsOf a run that is complete: all of its plan; or those until its interim analysis, where enough blocks have
// a result on both sides by then.
func (c *cluster) trialsOf(run *v1alpha1.BenchmarkRun) int32 {
	targets := int32(len(run.Spec.Targets))
	broken := map[int32]bool{}
	for _, rec := range c.records().Records {
		if rec.Final && rec.State == contract.Failed && rec.Block < interimBlocks {
			broken[rec.Block] = true
		}
	}
	if run.Spec.Design.StopEarly == nil || interimBlocks-len(broken) < neededPairs {
		return run.Spec.Design.Blocks * targets
	}
	return interimBlocks * targets
}
