package merge

import (
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Skew is how closely the measured windows of the clients of one trial coincide.
type Skew struct {
	// Clients in the order of their indexes.
	Clients []ClientSkew `json:"clients"`
	// SpreadSeconds is the time between the first and the last client's start of the measured
	// window, by the clocks of their tools; absent with one client, or where a window is
	// unknown.
	SpreadSeconds *float64 `json:"spreadSeconds,omitempty"`
	// Overlap is the share (0 to 1) of the longest window in which all clients
	// measured, by the clocks of their tools; absent with one client, or where a window is not
	// known.
	Overlap *float64 `json:"overlap,omitempty"`
	// SpreadUncertaintySeconds is the possible error of the spread: of the clock offsets (0
	// for a shared clock), and of windows computed back from the end of a process. Absent
	// without a spread.
	SpreadUncertaintySeconds *float64 `json:"spreadUncertaintySeconds,omitempty"`
	// FromSeconds and ToSeconds bound the time in which all clients measured, from the first
	// client's start of the measured window. They are equal where there was no such time, and absent
	// without Overlap.
	FromSeconds *float64 `json:"fromSeconds,omitempty"`
	ToSeconds   *float64 `json:"toSeconds,omitempty"`
	// OverlapUncertainty is the possible error of the overlap, as a share of the longest
	// window.
	OverlapUncertainty *float64 `json:"overlapUncertainty,omitempty"`
	// ClocksUnknown: the clients do not share a clock and their offsets were not measured, so
	// there is neither spread nor overlap.
	ClocksUnknown bool `json:"clocksUnknown,omitempty"`
}

// ClientSkew is the skew of one client.
type ClientSkew struct {
	// Client is the index of the client pod, from 0.
	Client int `json:"client"`
	// Seconds between the planned and the actual start of the client's measured window;
	// negative for an early start, absent where either is absent.
	Seconds *float64 `json:"seconds,omitempty"`
}

// skewOf results in the order of their clients.
func skewOf(results []contract.Result) Skew {
	skew := Skew{Clients: make([]ClientSkew, 0, len(results))}
	parts := measured(results)
	for i, r := range results {
		c := ClientSkew{Client: r.Trial.Client}
		if parts[i].started != nil && r.Times.Planned != nil {
			c.Seconds = new(parts[i].started.Sub(*r.Times.Planned).Seconds())
		}
		skew.Clients = append(skew.Clients, c)
	}
	from, to, share, ok := common(parts)
	if len(results) < 2 || !ok {
		return skew
	}
	skew.Overlap = &share
	var first *time.Time
	for _, p := range parts {
		if first == nil || p.started.Before(*first) {
			first = p.started
		}
	}
	skew.SpreadSeconds = new(from.Sub(*first).Seconds())
	skew.FromSeconds, skew.ToSeconds = skew.SpreadSeconds, new(max(from.Sub(*first), to.Sub(*first)).Seconds())
	return skew
}
