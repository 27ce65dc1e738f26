package validity

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// CheckCPUs says where server and tool of a trial may run on the same CPUs of one machine. It needs the results of all clients.
func CheckCPUs(results []contract.Result) []Finding {
	var findings []Finding
	machines := machinesOf(results)
	for _, id := range slices.Sorted(maps.Keys(machines)) {
		findings = append(findings, machines[id].sharedCPUs()...)
	}
	return findings
}

// allowed are the CPUs that the processes of a pod may run on.
func allowed(e contract.Environment) []int {
	if e.Limits.CPUSet != "" {
		return contract.CPUList(e.Limits.CPUSet)
	}
	return contract.CPUList(fmt.Sprintf("0-%d", *e.Machine.CPUs-1))
}

// sharedCPUs says which CPUs both the target and a client may run on.
func (m *machine) sharedCPUs() []Finding {
	if m.sides[0] != targetSide {
		return nil
	}
	var shared []int
	for i := 1; i < len(m.sides); i++ {
		if strings.HasPrefix(m.sides[i], clientSide) {
			for _, cpu := range m.sets[i] {
				if slices.Contains(m.sets[0], cpu) {
					shared = append(shared, cpu)
				}
			}
		}
	}
	if len(shared) == 0 {
		return nil
	}
	slices.Sort(shared)
	return m.findingOf("cpu-shared", Note, "server and tool may run on the same CPUs, %d of %g, and take them from each other: design.cpus: Apart gives each its own",
		len(slices.Compact(shared)), m.cpus)
}
