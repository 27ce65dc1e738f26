package validity

import (
	"fmt"
	"math"

	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

// achievedLow is the share of the offered rate below which a target is saturated.
const achievedLow = 0.99

// arrivalSigmas: tools draw the times of an open loop at random (sysbench:
// exponential), so the number of operations offered in a window has a standard
// deviation of its square root. At 200/s in 10 s that is 2.2 %, more than the 1 %
// looked for.
const arrivalSigmas = 3

// fellBehind: of an open loop, achieved and offered rate are two numbers.
func fellBehind(r result.Result, f runner.Facts) string {
	achieved, ok := value(r, result.NameThroughput, nil)
	if !ok || f.Rate == 0 {
		return ""
	}
	seconds, timed := value(r, result.NameTotalTime, nil)
	if !timed || seconds <= 0 {
		return ""
	}
	low := achievedLow*f.Rate - arrivalSigmas*math.Sqrt(f.Rate/seconds)
	if setup, ok := whole(r, result.NameSetupTime); ok {
		low *= max(0, 1-setup/seconds) // nothing was offered while connecting
	}
	if achieved >= low {
		return ""
	}
	return fmt.Sprintf("%g operations per second were offered, and %g achieved (%.1f %%): latencies hold the wait before each operation, "+
		"which grows as long as the rate is offered", f.Rate, achieved, 100*achieved/f.Rate)
}
