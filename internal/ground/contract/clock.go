package contract

import (
	"time"
)

// Reference clocks.
const (
	// ReferenceAgent is the clock of the target's agent.
	ReferenceAgent = "agent"
	// ReferenceServer is the clock of the database server, read with SYSDATE.
	ReferenceServer = "server"
)

// ClockOffset is the offset between a client's wall clock and a reference clock, from the
// exchange with the shortest round trip (as in NTP, RFC 5905).
type ClockOffset struct {
	// Reference is the reference clock: agent (of the target) or server.
	Reference string `json:"reference"`
	// OffsetSeconds is the reference minus the client's clock.
	OffsetSeconds float64 `json:"offsetSeconds"`
	// UncertaintySeconds is the possible error of the offset: half of the round trip, plus the
	// resolution of the reference clock.
	UncertaintySeconds float64 `json:"uncertaintySeconds"`
	// Exchanges is the number of exchanges.
	Exchanges int `json:"exchanges"`
	// At is the time of the measurement, on the client's clock.
	At time.Time `json:"at"`
}

// driftRate is the possible drift between two clocks in seconds per second: the frequency tolerance PHI of RFC 5905.
const driftRate = 15e-6

// Beyond reports whether the offset exceeds its uncertainty: the two clocks then certainly differ.
func (c ClockOffset) Beyond() bool {
	return c.OffsetSeconds > c.UncertaintySeconds || c.OffsetSeconds < -c.UncertaintySeconds
}

// Offset is OffsetSeconds as a duration.
func (c ClockOffset) Offset() time.Duration {
	return time.Duration(c.OffsetSeconds * float64(time.Second))
}

// UncertaintyAt is the uncertainty of the offset at the start of a result's measured window, drift included.
func (c ClockOffset) UncertaintyAt(r Result) float64 {
	began, _, ok := MeasuredWindow(r)
	if !ok {
		return c.UncertaintySeconds
	}
	return c.UncertaintySeconds + driftRate*max(0, began.Sub(c.At).Seconds())
}
