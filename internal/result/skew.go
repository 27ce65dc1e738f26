package result

import "time"

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
}

// ClientSkew is the skew of one client.
type ClientSkew struct {
	// Client is the index of the client pod, from 0.
	Client int `json:"client"`
	// Seconds by which the client began to measure later than planned; negative for
	// earlier, absent where it did not begin, or nothing was planned.
	Seconds *float64 `json:"seconds,omitempty"`
}

// shared is the measured window of a client on the clock that all clients of a trial share:
// the one place that says so. As long as nothing is known of how the clocks of nodes
// differ, it is that of each client's own node.
func shared(r Result) (start, end time.Time, ok bool) { return Window(r) }

// skewOf results in the order of their clients.
func skewOf(results []Result) Skew {
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
