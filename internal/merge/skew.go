package merge

import (
	"time"

	"github.com/assay-bench/assay/internal/contract"
)

// Skew says how well the clients of one trial measured together.
type Skew struct {
	// Clients in the order of their indexes.
	Clients []ClientSkew `json:"clients"`
	// SpreadSeconds is how much later the last client began to measure than the
	// first, by the clocks of their tools; absent with one client, or where a window is not
	// known.
	SpreadSeconds *float64 `json:"spreadSeconds,omitempty"`
	// Overlap is the share (0 to 1) of the longest window in which all clients
	// measured, by the clocks of their tools; absent with one client, or where a window is not
	// known.
	Overlap *float64 `json:"overlap,omitempty"`
	// SpreadUncertaintySeconds is by how much the spread may be wrong, for want of knowing
	// better the clocks of the clients (0 where they share one) and, of windows that are counted
	// back from the end of a process, when these were. Absent without a spread.
	SpreadUncertaintySeconds *float64 `json:"spreadUncertaintySeconds,omitempty"`
	// OverlapUncertainty is the same for the overlap, as a share of the longest window.
	OverlapUncertainty *float64 `json:"overlapUncertainty,omitempty"`
	// ClocksUnknown: the clients do not share a clock, and nobody measured how theirs stand
	// to one another, so that there is neither spread nor overlap.
	ClocksUnknown bool `json:"clocksUnknown,omitempty"`
}

// ClientSkew is the skew of one client.
type ClientSkew struct {
	// Client is the index of the client pod, from 0.
	Client int `json:"client"`
	// Seconds by which the client began to measure later than planned; negative for
	// earlier, absent where it did not begin, or nothing was planned.
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
	from, _, share, ok := common(parts)
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
	return skew
}
