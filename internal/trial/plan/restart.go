package plan

import (
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// markRestarts marks the trials before which a server is started again: the first ones of a target in a block. The very first
// trial of a target has the start after which its data was loaded, and a reset starts the server by itself. It refuses a server
// that Assay does not start.
func markRestarts(p *Plan, spec v1alpha1.BenchmarkRunSpec) error {
	for i, t := range spec.Targets {
		if t.External != nil {
			return fmt.Errorf("spec.design.starts: PerBlock, and Assay does not start spec.targets[%d] (%s), which is external: set One", i, t.Name)
		}
	}
	if spec.Design.IdleTargets == v1alpha1.IdleStopped && len(p.Targets) > 1 {
		return nil // each is started for its turn
	}
	last := map[int32]int32{} // the block of the last trial on each target
	for i := range p.Trials {
		t := &p.Trials[i]
		block, touched := last[t.Target]
		t.Restart = touched && block != t.Block && !t.Reset
		last[t.Target] = t.Block
	}
	return nil
}
