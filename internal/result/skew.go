package result

import "time"

// Skew says how well the clients of one trial measured together.
type Skew struct {
	// Clients in the order of their indexes.
	Clients []ClientSkew `json:"clients"`
	// SpreadSeconds is how much later the last client began to measure than the
	// first; absent with one client, or where a client did not begin.
	SpreadSeconds *float64 `json:"spreadSeconds,omitempty"`
	// Overlap is the share (0 to 1) of the longest window in which all clients
	// measured; absent with one client, or where a window is not known.
	Overlap *float64 `json:"overlap,omitempty"`
	// SpreadUncertaintySeconds is by how much the spread may be wrong, for want of knowing
	// the clocks of the clients better; 0 where they share one. Absent without a spread.
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
func skewOf(results []Result) Skew {
	skew := Skew{Clients: make([]ClientSkew, 0, len(results))}
	for _, r := range results {
		c := ClientSkew{Client: r.Trial.Client}
		if r.Times.MeasureStarted != nil && r.Times.Planned != nil {
			c.Seconds = new(r.Times.MeasureStarted.Sub(*r.Times.Planned).Seconds())
		}
		skew.Clients = append(skew.Clients, c)
	}
	if len(results) < 2 {
		return skew
	}
	if first, last, ok := starts(results); ok {
		skew.SpreadSeconds = new(last.Sub(first).Seconds())
	}
	skew.Overlap = overlap(results)
	return skew
}

// starts are the first and the last begin of a measured window.
func starts(results []Result) (first, last time.Time, ok bool) {
	for i, r := range results {
		at := r.Times.MeasureStarted
		if at == nil {
			return time.Time{}, time.Time{}, false
		}
		if i == 0 || at.Before(first) {
			first = *at
		}
		if i == 0 || at.After(last) {
			last = *at
		}
	}
	return first, last, len(results) > 0
}

func overlap(results []Result) *float64 {
	first, last, ok := starts(results)
	if !ok {
		return nil
	}
	longest, end := 0.0, 0.0 // seconds after first
	for i, r := range results {
		length, ok := window(r)
		if !ok {
			return nil
		}
		ends := r.Times.MeasureStarted.Sub(first).Seconds() + length
		if i == 0 || ends < end {
			end = ends
		}
		longest = max(longest, length)
	}
	if longest <= 0 {
		return nil
	}
	return new(max(0, end-last.Sub(first).Seconds()) / longest)
}

// window is the length of the measured window in seconds: by the clock of the tool,
// or else of the agent around it.
func window(r Result) (float64, bool) {
	if m, ok := r.Find(NameTotalTime, nil); ok && m.Value != nil {
		return *m.Value, true
	}
	if r.Times.MeasureStarted == nil || r.Times.MeasureEnded == nil {
		return 0, false
	}
	return r.Times.MeasureEnded.Sub(*r.Times.MeasureStarted).Seconds(), true
}
