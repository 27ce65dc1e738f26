package plan

import "github.com/assay-bench/assay/api/v1alpha1"

// markResets says before which trials the data is put back. Never before the first
// trial of a target: its data is as it was loaded, and a reset of gigabytes would
// change nothing. (That holds for the plan only: a trial that is repeated does not
// find what was loaded.)
//
// PerBlock resets before the first trial of a target in a block, in the order of
// the plan. A Sequential plan comes back to every block with every cell; there only
// the first cell's trials are reset. Use PerTrial when that matters.
func markResets(trials []Trial, policy v1alpha1.DataReset) {
	if policy == v1alpha1.ResetPerRun {
		return
	}
	type visit struct{ target, block int32 }
	touched := map[int32]bool{}
	visited := map[visit]bool{}
	for i := range trials {
		t := &trials[i]
		again := policy == v1alpha1.ResetPerBlock && visited[visit{t.Target, t.Block}]
		t.Reset = touched[t.Target] && !again
		touched[t.Target] = true
		visited[visit{t.Target, t.Block}] = true
	}
}
