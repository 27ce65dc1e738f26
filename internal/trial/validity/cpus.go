package validity

import (
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// othersCPUs are reasons for CPUs that the run did not ask for.
const othersCPUs = "it was started again, or one of their containers may use fewer CPUs than it has"

// CheckCPUs says where server and tool of a trial may run on the same CPUs of one machine, and where they run on others than the run asks
// for. It needs the results of all clients.
func CheckCPUs(results []contract.Result, asked v1alpha1.CPUs) []Finding {
	return onMachines(results, func(m *machine) []Finding { return m.sharedCPUs(asked) })
}

// sharedCPUs says how many CPUs both a server of the target and a client may run on.
func (m *machine) sharedCPUs(asked v1alpha1.CPUs) []Finding {
	most, severity, advice, together, ends := 0, Note, "", true, false
	for i, server := range m.sides {
		for j, client := range m.sides {
			if strings.HasPrefix(server, clientSide) || !strings.HasPrefix(client, clientSide) {
				continue
			}
			both := m.both(m.sets[i], m.sets[j])
			most, ends = max(most, both), true
			together = together && both == 1 && len(m.sets[i]) == 1 && len(m.sets[j]) == 1
			if both > 1 && m.sets[i] == nil && m.sets[j] == nil {
				advice = ": design.cpus: Apart gives each its own"
			}
		}
	}
	switch {
	case asked == v1alpha1.CPUsTogether && ends && !together && m.cpus > 1:
		return m.findingOf("cpu-shared", Warning, "server and tool do not take turns on one CPU, although design.cpus is Together: %s", othersCPUs)
	case most == 0 || asked == v1alpha1.CPUsTogether:
		return nil
	case asked == v1alpha1.CPUsApart:
		severity, advice = Warning, ", although design.cpus is Apart: the machine has one CPU, or "+othersCPUs
	}
	return m.findingOf("cpu-shared", severity, "server and tool may run on the same CPUs, %d of %g, and take them from each other%s", most, m.cpus, advice)
}

// both is the number of CPUs that are in two ascending sets; nil is all of the machine.
func (m *machine) both(a, b []int) int {
	switch {
	case a == nil && b == nil:
		return int(m.cpus)
	case a == nil:
		return len(b)
	case b == nil:
		return len(a)
	}
	n := 0
	for _, cpu := range b {
		if _, is := slices.BinarySearch(a, cpu); is {
			n++
		}
	}
	return n
}
