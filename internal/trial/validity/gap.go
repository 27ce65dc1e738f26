package validity

import (
	"fmt"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	// longGap is the gap (s) in an agent's samples that no busy machine explains. An agent takes
	// a sample every 0.5 s.
	longGap = 5.0
	// ownGap is the share of a gap from which on the container caused it: by work, as a share of
	// the CPUs that it may use, or by waiting for memory within its own limit.
	ownGap = 0.5
)

// agentStall: an agent took no sample for a while, and its container did nothing meanwhile that
// explains it. So its pod, its node or its machine did not run. It depends on nothing that is
// compared, so the trial is disturbed.
func agentStall(r contract.Result, _ runner.Expectations) string {
	var found []string
	for _, s := range sampledSides(r) {
		if s.gap != nil && s.gap.InsideSeconds >= longGap && !s.byItself() {
			found = append(found, fmt.Sprintf("that of the %s for %.1f s (from %s)", s.name, s.gap.InsideSeconds, s.gap.From.UTC().Format("15:04:05.0")))
		}
	}
	if len(found) == 0 {
		return ""
	}
	return "an agent takes a sample every half a second, and took none: " + strings.Join(found, ", ") + ": its pod or its machine did not run"
}

// sampledSide is a container in which an agent takes samples.
type sampledSide struct {
	name   string
	gap    *contract.Gap
	limits contract.Limits
	// cpus of the machine; nil where they are not known.
	cpus *int64
}

func sampledSides(r contract.Result) []sampledSide {
	sides := []sampledSide{{theClient, r.Client.Gap, r.Client.Limits, r.Client.Machine.CPUs}}
	if r.Target == nil {
		return sides
	}
	sides = append(sides, sampledSide{theTarget, r.Target.Gap, r.Target.Limits, r.Target.Machine.CPUs})
	for _, replica := range r.Target.Replicas {
		if replica.Machine != nil && replica.Limits != nil {
			sides = append(sides, sampledSide{fmt.Sprintf("replica %d", replica.Index), replica.Gap, *replica.Limits, replica.Machine.CPUs})
		}
	}
	return sides
}

// byItself: the container kept its agent from its samples. A server that uses up its CPU or its
// memory must not lose the trial for it.
func (s sampledSide) byItself() bool {
	g := s.gap
	if g.MemorySeconds != nil && *g.MemorySeconds >= ownGap*g.Seconds {
		return true
	}
	cpus := 1.0
	switch {
	case s.limits.CPUs != nil:
		cpus = *s.limits.CPUs
	case s.cpus != nil:
		cpus = float64(*s.cpus)
	}
	return g.CPUSeconds != nil && *g.CPUSeconds >= ownGap*g.Seconds*cpus
}
