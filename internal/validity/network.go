package validity

import (
	"fmt"
	"strings"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

const (
	// lossy is the share of segments sent again that a sound network stays below.
	lossy = 0.001
	// leastLost segments are worth a word, whatever share they are.
	leastLost = 10
)

// retransmits: each segment that was lost holds up its statement by 200 ms or more (Linux'
// least timeout), which is much beside the latencies that are measured.
func retransmits(r contract.Result, _ runner.Facts) string {
	var found []string
	for _, side := range []struct {
		name string
		env  *contract.Environment
	}{{"client", &r.Client.Environment}, {"target", r.Target}} {
		if side.env == nil {
			continue
		}
		again, known := contract.Increase(*side.env, func(u contract.Usage) *int64 { return u.TCPRetransmits })
		sent, counted := contract.Increase(*side.env, func(u contract.Usage) *int64 { return u.TCPSegments })
		if known && counted && again >= leastLost && float64(again) > lossy*float64(sent) {
			found = append(found, fmt.Sprintf("the %s sent %d of %d segments again (%.2g %%)", side.name, again, sent, 100*float64(again)/float64(max(sent, 1))))
		}
	}
	if len(found) == 0 {
		return ""
	}
	return strings.Join(found, ", and ") + ": the network lost what was sent, and the latencies hold the wait for it"
}
