package target

import (
	"cmp"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/agent/supervise"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// lastWords are the last lines of a server's log, and what lines of its log mean.
type lastWords struct {
	engine.Log
	lines []string
}

// classify returns why a server ended unexpectedly, from its last lines and its exit. Before its
// first readiness (starting), its settings may be the cause.
func (w lastWords) classify(exit supervise.Exit, starting bool, otherwise contract.TargetReason) contract.TargetReason {
	// SIGKILL comes from the kernel when memory runs out.
	if exit.Signal == "SIGKILL" {
		return contract.ReasonServerKilled
	}
	return cmp.Or(w.ReasonOf(w.lines, starting), otherwise)
}
