package validity

import (
	"fmt"
	"math"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/trial/merge"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	// minOverlap is the expected share of common time in the longest window.
	minOverlap = 0.95
	// maxSpread is the tolerated time (s) between the first and the last client's start.
	maxSpread = 1.0
)

// CheckClients checks that the clients of one trial measured at the same time, by the clocks
// of their tools. Without common time there is no total rate, and the result is invalid. With
// less common time than expected, rates are of that time, but latencies and counts are of all
// windows. This is only a warning, because a server that stalls at the end of one client's
// window must not lose that trial. Differences within the uncertainty of the clocks are
// ignored. One client has no findings.
func CheckClients(skew merge.Skew) []Finding {
	var findings []Finding
	switch o := skew.Overlap; {
	case o == nil || *o+runner.Value(skew.OverlapUncertainty) >= minOverlap:
	case *o+runner.Value(skew.OverlapUncertainty) <= 0:
		findings = append(findings, Finding{"clients-overlap", Invalid, fmt.Sprintf(
			"the measured windows of the %d clients have no common time: they did not work at once, and their rates cannot be added up", len(skew.Clients))})
	default:
		findings = append(findings, Finding{"clients-overlap", Warning, fmt.Sprintf(
			"all %d clients measured in only %s %% of the longest window (at least %.0f %% expected, by the tools' clocks): the load was lower in the rest of the time",
			len(skew.Clients), figure.PercentBeside(*o, minOverlap), 100*minOverlap)})
	}
	if s := skew.SpreadSeconds; s != nil && *s-runner.Value(skew.SpreadUncertaintySeconds) > maxSpread {
		findings = append(findings, Finding{"clients-skew", Warning, fmt.Sprintf(
			"the last of %d clients began to measure %.3f s after the first%s", len(skew.Clients), *s, giveOrTake(skew.SpreadUncertaintySeconds))})
	}
	if skew.ClocksUnknown {
		findings = append(findings, Finding{"clients-clocks", Warning, fmt.Sprintf(
			"the offsets between the clocks of the %d clients are unknown, so it is unknown whether they measured at the same time: "+
				"use a target with an agent or with the MySQL protocol, which has a reference clock", len(skew.Clients))})
	}
	return findings
}

// giveOrTake is the uncertainty as text; empty for none.
func giveOrTake(seconds *float64) string {
	if runner.Value(seconds) == 0 {
		return ""
	}
	return fmt.Sprintf(" (give or take %.4f s)", *seconds)
}

const (
	// noteOffset (s) is larger than the usual offset between machines with NTP in one network.
	noteOffset = 0.010
	// warnOffset (s) is large enough to reverse the apparent order of events on different
	// nodes.
	warnOffset = 0.100
)

// clockOffset is one beyond its uncertainty and between two bounds: instants of this client and of the target
// are not comparable. Rates and latencies are not affected, because each uses one clock.
func clockOffset(above, upTo float64) say {
	return func(r contract.Result, _ runner.Expectations) string {
		c := r.Client.Clock
		if c == nil || !c.Beyond() || math.Abs(c.OffsetSeconds) <= above || math.Abs(c.OffsetSeconds) > upTo {
			return ""
		}
		return fmt.Sprintf("the clock of the target (%s) differed by %+.4f s (give or take %.4f s) from that of the client: "+
			"instants of the two nodes are not comparable; synchronise both with NTP", c.Reference, c.OffsetSeconds, c.UncertaintySeconds)
	}
}
