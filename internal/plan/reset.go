package plan

import "github.com/assay-bench/assay/api/v1alpha1"

// markResets says before which trials the data is put back. Never before the first
// trial of a target: its data is as it was loaded, and a reset of gigabytes would
// change nothing. (That holds for the plan only: a trial that is repeated does not
// find what was loaded.)
//
// PerBlock resets before a trial whose block is another one than that of the trial
// before it on the same target. A Sequential plan measures all blocks of a cell one
// after the other, so there it resets before each trial.
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
