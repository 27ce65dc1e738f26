package validity

import (
	"fmt"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// minWarmup is the minimum share of the requested warm-up before the window.
const minWarmup = 0.9

// shortWarmup: for a process with its own warm-up, the start of the window is fixed before its
// start. A slow start shortens its warm-up.
func shortWarmup(r contract.Result, e runner.Expectations) string {
	if e.WarmupSeconds == 0 || r.Tool.WarmupCut != contract.WarmupInProcess {
		return ""
	}
	done := runner.Value(r.Tool.WarmupSeconds)
	if done >= minWarmup*float64(e.WarmupSeconds) {
		return ""
	}
	return fmt.Sprintf("the warm-up took %.1f s instead of %d s, because the tool started slowly: give the clients more CPU, or raise design.warmup",
		done, e.WarmupSeconds)
}
