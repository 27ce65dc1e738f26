package validity

import (
	"fmt"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	// lossy is the share of retransmits that a healthy network stays below.
	lossy = 0.001
	// leastLost is the number of retransmits that is reported for any share.
	leastLost = 10
	// outageLost is the number of retransmits that tell an outage of the network, or of a kernel
	// without time for it, from a stall of the server. Linux sends a segment again after 0.2 s, 0.6 s and 1.4 s. The kernel of a server
	// that stalls acknowledges all segments.
	outageLost = 3
)

// networkStall: a stall during which segments were lost is not the server's own. It depends on
// nothing that is compared, so the trial is disturbed.
func networkStall(r contract.Result, e runner.Expectations) string {
	stalled := stall(r, e)
	if stalled == "" {
		return ""
	}
	for _, side := range networkSides(r) {
		if again, _, known := side.resent(); known && again >= outageLost {
			return fmt.Sprintf("%s, while the %s sent %d segments again: the network was interrupted, or a machine on its way was too busy for it", stalled, side.name, again)
		}
	}
	return ""
}

// serverStall is a stall that neither the network nor a machine explains. The trial stays in the
// summary.
func serverStall(r contract.Result, e runner.Expectations) string {
	if networkStall(r, e) != "" || agentStall(r, e) != "" {
		return ""
	}
	return stall(r, e)
}

// networkSide is a pod whose segments were counted.
type networkSide struct {
	name string
	env  *contract.Environment
}

func networkSides(r contract.Result) (sides []networkSide) {
	sides = append(sides, networkSide{"client", &r.Client.Environment})
	if r.Target != nil {
		sides = append(sides, networkSide{"target", r.Target})
	}
	return sides
}

// resent segments of all that were sent in the window; not known where nobody counted them.
func (s networkSide) resent() (again, sent int64, known bool) {
	again, counted := contract.Increase(*s.env, func(u contract.Usage) *int64 { return u.TCPRetransmits })
	sent, known = contract.Increase(*s.env, func(u contract.Usage) *int64 { return u.TCPSegments })
	return again, sent, known && counted
}

// retransmits: each lost segment delays its statement by at least 200 ms (the minimum timeout
// of Linux), which is much longer than the measured latencies.
func retransmits(r contract.Result, _ runner.Expectations) string {
	var found []string
	for _, side := range networkSides(r) {
		again, sent, known := side.resent()
		if known && again >= leastLost && float64(again) > lossy*float64(sent) {
			found = append(found, fmt.Sprintf("the %s sent %d of %d segments again (%.2g %%)", side.name, again, sent, 100*float64(again)/float64(max(sent, 1))))
		}
	}
	if len(found) == 0 {
		return ""
	}
	return strings.Join(found, ", and ") + ": the network lost segments, and the latencies include the wait for them"
}
