package contract

import "time"

// Gap is the longest time within the measured window in which an agent took no sample of its container, although it
// takes two a second: its machine or its pod did not run, or gave it no CPU.
type Gap struct {
	// From is the sample before the gap, by the wall clock of the node.
	From time.Time `json:"from"`
	// Seconds from that sample to the next one, by the monotonic clock.
	Seconds float64 `json:"seconds"`
	// InsideSeconds is the part of it inside the measured window.
	InsideSeconds float64 `json:"insideSeconds"`
	// CPUSeconds that the container used meanwhile; absent where the kernel does not count them.
	CPUSeconds *float64 `json:"cpuSeconds,omitempty"`
	// MemorySeconds in which all of the container waited for memory meanwhile, within its own
	// limit; absent where the kernel does not count them.
	MemorySeconds *float64 `json:"memorySeconds,omitempty"`
}
