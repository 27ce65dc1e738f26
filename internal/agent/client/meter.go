package client

import (
	"context"
	"time"

	"github.com/assay-bench/assay/internal/agent/environment"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// meter reads the machine and the counters of the agent's own container. Those of the tool's
// container are asked for there.
type meter struct {
	machine environment.Reader
	sampler environment.Sampler
}

// usageBefore has the counters of the tool's container before the start of the tool.
func usageBefore(ctx context.Context, s session, frequency *contract.Frequency) (o outcome[*contract.Usage]) {
	usage, err := s.tool.side.Usage(ctx)
	if err != nil {
		return o.failed(s.tool.failure("reading the counters of the tool's container", err))
	}
	usage.CPUFrequency = frequency
	usage.VoluntarySwitches, usage.InvoluntarySwitches = new(int64(0)), new(int64(0))
	o.found = &usage
	return o
}

// usageAfter has the counters of the tool's container after the end of the tool; nil where it no
// longer answers, which is only a problem.
func usageAfter(ctx context.Context, s session, in invocation) (o outcome[*contract.Usage]) {
	usage, err := s.tool.side.Usage(ctx)
	if err != nil {
		o.problem("client/environment", "reading the counters of the tool's container: %v", err)
		return o
	}
	usage.CPUFrequency = s.meter.machine.Frequency()
	usage.VoluntarySwitches, usage.InvoluntarySwitches = in.voluntary, in.involuntary
	o.found = &usage
	return o
}

// usages are counters from before and after, and the gap in the samples between them; nil for
// none.
type usages struct {
	before, after *contract.Usage
	gap           *contract.Gap
}

// usageInside replaces the counters around the tool by those inside its window, if it is known, to
// exclude the preparation of the tool. For a window too short for samples, those around the
// tool stay.
func usageInside(ctx context.Context, s session, around usages, w window) (o outcome[usages]) {
	o.found = around
	if !w.known {
		return o
	}
	sampled, err := s.tool.side.Window(ctx, w.from, w.to)
	if err != nil {
		o.problem("client/environment", "reading the samples of the tool's container: %v", err)
	}
	o.found.gap = sampled.Gap
	if in := sampled.Samples; err == nil && in != nil {
		o.found.before, o.found.after = inside(around.before, in.Before), inside(around.after, in.After)
	}
	return o
}

// own has the counters of the agent's container inside the window; they are absent where the
// window is not known or too short for samples.
func (m *meter) own(w window) *contract.AgentContainer {
	c := &contract.AgentContainer{Limits: m.machine.Limits()}
	if !w.known {
		return c
	}
	if in := m.sampler.Window(w.from, w.to); in != nil {
		c.Before, c.After = &in.Before, &in.After
	}
	return c
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
