package plan

import (
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// markTrials marks the trials before which the data is restored, or a server is started again. The first trial of a target
// needs no reset, because its data is as it was loaded. (This holds for the plan only: a retry of the trial needs one.) It needs a
// start as any other block: the server that loaded the data has not yet written most of it to the device.
//
// PerBlock is before a trial of another block than the previous trial on the same target. A Sequential plan measures all blocks
// of a cell in turn, so there it is before each trial. A reset starts the server by itself.
//
// With settings that a start changes (each), a server is started before every trial, also where the values are those of the one
// before: trials that are compared began alike.
func markTrials(trials []Trial, resets v1alpha1.DataReset, restarts, each bool) {
	last := map[int32]int32{} // the block of the last trial on each target
	for i := range trials {
		t := &trials[i]
		block, touched := last[t.Target]
		next := touched && block != t.Block
		t.Reset = touched && resets == v1alpha1.ResetPerTrial || next && resets == v1alpha1.ResetPerBlock
		t.Restart = (each || restarts && (next || !touched)) && !t.Reset
		last[t.Target] = t.Block
	}
}

// restarts says whether the trials start servers again. It refuses a server that Assay does not start. Those that are stopped while
// others are measured are started for their turn.
func restarts(spec v1alpha1.BenchmarkRunSpec, targets int) (bool, error) {
	if spec.Design.Starts != v1alpha1.StartsPerBlock {
		return false, nil
	}
	for i, t := range spec.Targets {
		if t.External != nil {
			return false, fmt.Errorf("spec.design.starts: PerBlock, and Assay does not start spec.targets[%d] (%s), which is external: set One", i, t.Name)
		}
	}
	return spec.Design.IdleTargets != v1alpha1.IdleStopped || targets == 1, nil
}
