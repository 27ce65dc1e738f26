package validity

import (
	"fmt"

	"github.com/assay-bench/assay/internal/result"
)

const (
	// minOverlap is the share of the longest window in which all clients measured.
	minOverlap = 0.95
	// maxSpread is how much later (s) the last client may begin than the first.
	maxSpread = 1.0
)

// CheckClients asks whether the clients of one trial measured together, by the clocks of their
// tools: rates are those of the common time, but latencies and counts are those of all windows,
// and hold what a client did while another one was not at work. One client has no findings.
func CheckClients(skew result.Skew) []Finding {
	var findings []Finding
	if o := skew.Overlap; o != nil && *o < minOverlap {
		findings = append(findings, Finding{"clients-overlap", Invalid, fmt.Sprintf(
			"all %d clients measured in only %.1f %% of the longest window (at least %.0f %% expected, by the tools' clocks): the rest of the time, the load was another",
			len(skew.Clients), 100**o, 100*minOverlap)})
	}
	if s := skew.SpreadSeconds; s != nil && *s > maxSpread {
		findings = append(findings, Finding{"clients-skew", Warning, fmt.Sprintf(
			"the last of %d clients began to measure %.3f s after the first", len(skew.Clients), *s)})
	}
	return findings
}
