package merge

import (
	"slices"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// clocks relates the clocks of the clients of a trial.
type clocks struct {
	// known: the clients share a clock, or their offsets were measured.
	known bool
	// shifts convert the instants of each client to the clock of the first client.
	shifts []time.Duration
	// uncertainty of the difference of two instants of different clients, in s.
	uncertainty float64
}

// clocksOf results in the order of their clients. Clients on one boot of a kernel share its
// clock: the best of their measurements counts for all of them.
func clocksOf(results []contract.Result) clocks {
	c := clocks{known: true, shifts: make([]time.Duration, len(results))}
	best := make([]*contract.ClockOffset, len(results))
	var uncertainties []float64
	for i, r := range results {
		first := slices.IndexFunc(results[:i], func(o contract.Result) bool { return sameClock(o, r) })
		if first >= 0 {
			best[i] = best[first]
		} else if best[i] = bestOf(results, r); best[i] != nil {
			uncertainties = append(uncertainties, best[i].UncertaintyAt(r))
		}
		switch {
		case sameClock(results[0], r):
		case best[0] == nil || best[i] == nil || best[0].Reference != best[i].Reference:
			c.known = false
		default:
			c.shifts[i] = best[i].Offset() - best[0].Offset()
		}
	}
	slices.Sort(uncertainties)
	if n := len(uncertainties); n > 1 { // of two clocks, the two that are known least
		c.uncertainty = uncertainties[n-1] + uncertainties[n-2]
	}
	return c
}

// bestOf the measurements of one clock is that with the least uncertainty.
func bestOf(results []contract.Result, of contract.Result) *contract.ClockOffset {
	best := of.Client.Clock
	for _, r := range results {
		if o := r.Client.Clock; o != nil && sameClock(r, of) && (best == nil || o.UncertaintySeconds < best.UncertaintySeconds) {
			best = o
		}
	}
	return best
}

// sameClock: the clients ran on one boot of one kernel, or are one client.
func sameClock(a, b contract.Result) bool {
	return a.Trial.Client == b.Trial.Client || a.Client.Machine.BootID != "" && a.Client.Machine.BootID == b.Client.Machine.BootID
}

// align moves the instants of all clients to the clock of the first, if that is known.
func (c clocks) align(results []contract.Result) []contract.Result {
	if !c.known {
		return results
	}
	aligned := slices.Clone(results)
	for i := range aligned {
		t := &aligned[i].Times
		if c.shifts[i] == 0 {
			continue
		}
		for _, at := range []**time.Time{&t.AgentStarted, &t.Ready, &t.Planned, &t.WarmupStarted, &t.MeasureStarted, &t.MeasureEnded,
			&t.WindowStarted, &t.WindowEnded} {
			if *at != nil {
				*at = new((*at).Add(c.shifts[i]))
			}
		}
	}
	return aligned
}

// judge adds the uncertainties to a skew. Without known clock offsets there is no skew between
// clients; each client's own start skew remains.
func (c clocks) judge(s Skew, results []contract.Result) Skew {
	if len(results) < 2 {
		return s
	}
	if !c.known {
		s.SpreadSeconds, s.FromSeconds, s.ToSeconds, s.Overlap, s.ClocksUnknown = nil, nil, nil, nil, true
		return s
	}
	longest, slack := 0.0, 0.0
	for _, r := range results {
		if from, to, ok := contract.MeasuredWindow(r); ok {
			longest, slack = max(longest, to.Sub(from).Seconds()), max(slack, contract.WindowSlack(r))
		}
	}
	// Each start may be earlier by its slack, so that the difference of two is wrong by the larger
	// one at most.
	if s.SpreadSeconds != nil {
		s.SpreadUncertaintySeconds = new(c.uncertainty + slack)
	}
	if s.Overlap != nil && longest > 0 {
		s.OverlapUncertainty = new((c.uncertainty + slack) / longest)
	}
	return s
}
