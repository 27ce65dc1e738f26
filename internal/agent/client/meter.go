package client

import (
	"time"

	"github.com/assay-bench/assay/internal/agent/environment"

	"github.com/assay-bench/assay/internal/contract"
)

// meter reads the counters of this container.
type meter struct {
	machine environment.Reader
	sampler environment.Sampler
}

// before are the counters before the start of the tool.
func (m *meter) before(frequency *contract.Frequency) *contract.Usage {
	usage := m.machine.Usage(0)
	usage.CPUFrequency = frequency
	usage.VoluntarySwitches, usage.InvoluntarySwitches = new(int64(0)), new(int64(0))
	return &usage
}

// after are the counters after the end of the tool.
func (m *meter) after(in invocation) *contract.Usage {
	usage := m.machine.Usage(0)
	usage.CPUFrequency = m.machine.Frequency()
	usage.VoluntarySwitches, usage.InvoluntarySwitches = in.voluntary, in.involuntary
	return &usage
}

// usages are counters from before and after.
type usages struct{ before, after *contract.Usage }

// inside replaces the counters around the tool by those inside its window, if it is known, to
// exclude the preparation of the tool. For a window too short for samples, those around the
// tool stay.
func (m *meter) inside(around usages, w window) usages {
	if !w.known {
		return around
	}
	before, after, ok := m.sampler.Window(w.from, w.to)
	if !ok {
		return around
	}
	return usages{inside(around.before, before), inside(around.after, after)}
}

// inside is a sample with the context switches and the CPU frequency of the reading around the
// window, because these are too expensive for sampling.
func inside(around *contract.Usage, sample contract.Usage) *contract.Usage {
	if around != nil {
		sample.VoluntarySwitches, sample.InvoluntarySwitches = around.VoluntarySwitches, around.InvoluntarySwitches
		sample.CPUFrequency = around.CPUFrequency
	}
	return &sample
}

// clockStep is the difference in seconds between the progress of the wall clock and of the
// monotonic clock; both instants must have both readings.
func clockStep(from, to time.Time) float64 {
	return (to.Round(0).Sub(from.Round(0)) - to.Sub(from)).Seconds()
}
