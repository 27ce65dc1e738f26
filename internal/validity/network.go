package validity

import (
	"fmt"
	"strings"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

const (
	// lossy is the share of retransmits that a healthy network stays below.
	lossy = 0.001
	// leastLost is the number of retransmits that is reported for any share.
	leastLost = 10
)

// retransmits: each lost segment delays its statement by at least 200 ms (the minimum timeout
// of Linux), which is much longer than the measured latencies.
func retransmits(r contract.Result, _ runner.Expectations) string {
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
	return strings.Join(found, ", and ") + ": the network lost segments, and the latencies include the wait for them"
}
