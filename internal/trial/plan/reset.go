package plan

import "github.com/assay-bench/assay/api/v1alpha1"

// markResets marks the trials before which the data is restored. The first trial of a target
// needs no reset, because its data is as it was loaded. (This holds for the plan only: a retry
// of the trial needs one.)
//
// PerBlock resets before a trial of another block than the previous trial on the same target.
// A Sequential plan measures all blocks of a cell in turn, so there it resets before each
// trial.
func markResets(trials []Trial, policy v1alpha1.DataReset) {
	if policy == v1alpha1.ResetPerRun {
		return
	}
	last := map[int32]int32{} // the block of the last trial on each target
	for i := range trials {
		t := &trials[i]
		block, touched := last[t.Target]
		t.Reset = touched && (policy == v1alpha1.ResetPerTrial || block != t.Block)
		last[t.Target] = t.Block
	}
}
