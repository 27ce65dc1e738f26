package validity

import (
	"fmt"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// minWarmup is the share of the warm-up that was asked for which has to be done before the window.
const minWarmup = 0.9

// shortWarmup: a process that warms up itself began its window at an instant that was fixed
// before it was started. If it took long to begin, it had the less time to warm up.
func shortWarmup(r contract.Result, f runner.Facts) string {
	if f.WarmupSeconds == 0 || r.Tool.WarmupCut != contract.WarmupInProcess {
		return ""
	}
	done := 0.0
	if r.Tool.WarmupSeconds != nil {
		done = *r.Tool.WarmupSeconds
	}
	if done >= minWarmup*float64(f.WarmupSeconds) {
		return ""
	}
	return fmt.Sprintf("the warm-up took %.1f s instead of %d s, as the tool was so long in starting: give the clients more CPU, or raise design.warmup",
		done, f.WarmupSeconds)
}
