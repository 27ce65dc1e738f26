package contract

import (
	"time"
)

// Clocks that a client's can be compared with.
const (
	// ReferenceAgent is the clock of the target's agent.
	ReferenceAgent = "agent"
	// ReferenceServer is the clock of the database server, as SYSDATE tells it.
	ReferenceServer = "server"
)

// ClockOffset is how a client's wall clock stood to another one, by the exchange that had
// the least round trip (as in NTP, RFC 5905).
type ClockOffset struct {
	// Reference is the other clock: agent (of the target) or server.
	Reference string `json:"reference"`
	// OffsetSeconds is the reference minus the client's clock.
	OffsetSeconds float64 `json:"offsetSeconds"`
	// UncertaintySeconds is by how much the offset may be wrong: half of the round trip,
	// whose two ways may have been of any length, and the step in which the reference is read.
	UncertaintySeconds float64 `json:"uncertaintySeconds"`
	// Exchanges that were made.
	Exchanges int `json:"exchanges"`
	// At is when it was measured, on the client's clock.
	At time.Time `json:"at"`
}

// driftRate is by how much two clocks may drift apart in a second: the frequency tolerance
// PHI of RFC 5905.
const driftRate = 15e-6

// Beyond says whether the offset is more than the uncertainty, so that the two clocks are
// known to differ.
func (c ClockOffset) Beyond() bool {
	return c.OffsetSeconds > c.UncertaintySeconds || c.OffsetSeconds < -c.UncertaintySeconds
}

// Offset is OffsetSeconds as a duration.
func (c ClockOffset) Offset() time.Duration {
	return time.Duration(c.OffsetSeconds * float64(time.Second))
}

// UncertaintyAt is that of the offset when the measured window of a result began.
func (c ClockOffset) UncertaintyAt(r Result) float64 {
	began, _, ok := MeasuredWindow(r)
	if !ok {
		return c.UncertaintySeconds
	}
	return c.UncertaintySeconds + driftRate*max(0, began.Sub(c.At).Seconds())
}
