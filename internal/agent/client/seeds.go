package client

import (
	"github.com/assay-bench/assay/internal/contract"
)

// draw takes down what random numbers the tool draws in a phase: called when it has been
// started, so that a phase that never ran has no seed.
func (e *execution) draw(p contract.Phase, t armed) {
	if t.seed != 0 {
		if e.res.Tool.Seeds == nil {
			e.res.Tool.Seeds = map[string]int64{}
		}
		e.res.Tool.Seeds[string(p)] = t.seed
	}
	e.res.Tool.Unseeded = e.res.Tool.Unseeded || t.unseeded
}
