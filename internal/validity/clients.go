package validity

import (
	"fmt"

	"github.com/assay-bench/assay/internal/result"
)

const (
	// minOverlap is the share of the longest window in which all clients should measure.
	minOverlap = 0.95
	// maxSpread is how much later (s) the last client may begin than the first.
	maxSpread = 1.0
)

// CheckClients asks whether the clients of one trial measured together. Without a time in
// which all of them did, there is no rate of all; with less of it than expected there is one,
// of that time: a server that stalls at the end of one client's window must not lose that
// trial. One client has no findings.
func CheckClients(skew result.Skew) []Finding {
	var findings []Finding
	switch o := skew.Overlap; {
	case o == nil || *o >= minOverlap:
	case *o <= 0:
		findings = append(findings, Finding{"clients-overlap", Invalid, fmt.Sprintf(
			"there was no time in which all %d clients measured: the sum of their rates is none", len(skew.Clients))})
	default:
		findings = append(findings, Finding{"clients-overlap", Warning, fmt.Sprintf(
			"all %d clients measured in only %.1f %% of the longest window (at least %.0f %% expected)", len(skew.Clients), 100**o, 100*minOverlap)})
	}
	if s := skew.SpreadSeconds; s != nil && *s > maxSpread {
		findings = append(findings, Finding{"clients-skew", Warning, fmt.Sprintf(
			"the last of %d clients began to measure %.3f s after the first", len(skew.Clients), *s)})
	}
	return findings
}
