package invariants

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// A run of at most mostBlocks blocks with one comparison has its first interim analysis after interimBlocks, and then one after each
// block. An interval takes neededPairs of them.
const interimBlocks, mostBlocks, neededPairs = 8, 12, 6

// stopsEarly makes a run one that may end at its interim analysis. All trials have the same throughput.
func stopsEarly(r *v1alpha1.BenchmarkRun) {
	r.Spec.Design.Blocks = mostBlocks
	r.Spec.Design.Precision = "2%"
}

// trialsOf a run that is complete: all of its plan; or those until the first interim analysis at which enough blocks have a result on both
// sides.
func (c *cluster) trialsOf(run *v1alpha1.BenchmarkRun) int32 {
	targets := int32(len(run.Spec.Targets))
	if run.Spec.Design.Precision == "" {
		return run.Spec.Design.Blocks * targets
	}
	broken := map[int32]bool{}
	for _, rec := range c.records().Records {
		if rec.Final && rec.State == contract.Failed {
			broken[rec.Block] = true
		}
	}
	counted := 0
	for block := range run.Spec.Design.Blocks {
		if !broken[block] {
			counted++
		}
		if block+1 >= interimBlocks && counted >= neededPairs {
			return (block + 1) * targets
		}
	}
	return run.Spec.Design.Blocks * targets
}
