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

// before are the counters when the tool is not there yet.
func (m *meter) before(frequency *contract.Frequency) *contract.Usage {
	usage := m.machine.Usage(0)
	usage.CPUFrequency = frequency
	usage.VoluntarySwitches, usage.InvoluntarySwitches = new(int64(0)), new(int64(0))
	return &usage
}

// after are the counters when the tool has ended.
func (m *meter) after(in invocation) *contract.Usage {
	usage := m.machine.Usage(0)
	usage.CPUFrequency = m.machine.Frequency()
	usage.VoluntarySwitches, usage.InvoluntarySwitches = in.voluntary, in.involuntary
	return &usage
}

// usages are counters from before and after.
type usages struct{ before, after *contract.Usage }

// inside replaces the counters around the tool by those inside its window, if that is known:
// what the tool did to get ready is no part of it. Those around it stay where the window is
// too short for samples.
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
// window: nobody reads those of many threads and CPUs twice a second.
func inside(around *contract.Usage, sample contract.Usage) *contract.Usage {
	if around != nil {
		sample.VoluntarySwitches, sample.InvoluntarySwitches = around.VoluntarySwitches, around.InvoluntarySwitches
		sample.CPUFrequency = around.CPUFrequency
	}
	return &sample
}

// clockStep is by how many seconds the wall clock advanced more than the monotonic
// one; both instants have to hold both readings.
func clockStep(from, to time.Time) float64 {
	return (to.Round(0).Sub(from.Round(0)) - to.Sub(from)).Seconds()
}
