package validity

import (
	"fmt"
	"math"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"

	"github.com/assay-bench/assay/internal/merge"
)

const (
	// minOverlap is the share of the longest window in which all clients should measure.
	minOverlap = 0.95
	// maxSpread is how much later (s) the last client may begin than the first.
	maxSpread = 1.0
)

// CheckClients asks whether the clients of one trial measured together, by the clocks of their
// tools. Without a time in which all of them did, there is no rate of all. With less of it than
// expected there is one, of that time, but latencies and counts are those of all windows: a server
// that stalls at the end of one client's window must not lose that trial. What the clocks of the
// clients do not prove is not claimed. One client has no findings.
func CheckClients(skew merge.Skew) []Finding {
	var findings []Finding
	switch o := skew.Overlap; {
	case o == nil || *o+zero(skew.OverlapUncertainty) >= minOverlap:
	case *o+zero(skew.OverlapUncertainty) <= 0:
		findings = append(findings, Finding{"clients-overlap", Invalid, fmt.Sprintf(
			"there was no time in which all %d clients measured: the sum of their rates is none", len(skew.Clients))})
	default:
		findings = append(findings, Finding{"clients-overlap", Warning, fmt.Sprintf(
			"all %d clients measured in only %.1f %% of the longest window (at least %.0f %% expected, by the tools' clocks): the rest of the time, the load was another",
			len(skew.Clients), 100**o, 100*minOverlap)})
	}
	if s := skew.SpreadSeconds; s != nil && *s-zero(skew.SpreadUncertaintySeconds) > maxSpread {
		findings = append(findings, Finding{"clients-skew", Warning, fmt.Sprintf(
			"the last of %d clients began to measure %.3f s after the first%s", len(skew.Clients), *s, giveOrTake(skew.SpreadUncertaintySeconds))})
	}
	if skew.ClocksUnknown {
		findings = append(findings, Finding{"clients-clocks", Warning, fmt.Sprintf(
			"nobody knows how the clocks of the %d clients stand to one another, so that it is not known whether they measured together: "+
				"a target with an agent, or one that speaks the protocol of MySQL, has a clock to compare them with", len(skew.Clients))})
	}
	return findings
}

// giveOrTake is empty where nothing has to be.
func giveOrTake(seconds *float64) string {
	if zero(seconds) == 0 {
		return ""
	}
	return fmt.Sprintf(" (give or take %.4f s)", *seconds)
}

func zero(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

const (
	// noteOffset (s) is more than NTP leaves between machines of one network.
	noteOffset = 0.010
	// warnOffset (s) makes instants of different nodes tell another order of events.
	warnOffset = 0.100
)

// clockDiffers and clockDiffersMuch: instants of this client and of the target are not of
// one clock. Rates and latencies are each of one clock, and bear it.
func clockDiffers(r contract.Result, _ runner.Facts) string {
	return clockText(r, noteOffset, warnOffset)
}

func clockDiffersMuch(r contract.Result, _ runner.Facts) string {
	return clockText(r, warnOffset, math.Inf(1))
}

// clockText is about an offset that is beyond its uncertainty and between two bounds.
func clockText(r contract.Result, above, upTo float64) string {
	c := r.Client.Clock
	if c == nil || !c.Beyond() || math.Abs(c.OffsetSeconds) <= above || math.Abs(c.OffsetSeconds) > upTo {
		return ""
	}
	return fmt.Sprintf("the clock of the target (%s) was %+.4f s (give or take %.4f s) beside that of the client: "+
		"instants of the two nodes do not compare; have both follow NTP", c.Reference, c.OffsetSeconds, c.UncertaintySeconds)
}
