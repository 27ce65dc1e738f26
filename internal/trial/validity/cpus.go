package validity

import (
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// CheckCPUs says where server and tool of a trial may run on the same CPUs of one machine. It needs the results of all clients. Apart: the
// run wants them on CPUs of their own.
func CheckCPUs(results []contract.Result, apart bool) []Finding {
	return onMachines(results, func(m *machine) []Finding { return m.sharedCPUs(apart) })
}

// sharedCPUs says how many CPUs both a server of the target and a client may run on.
func (m *machine) sharedCPUs(apart bool) []Finding {
	most, severity, advice := 0, Note, ""
	for i, server := range m.sides {
		for j, client := range m.sides {
			if strings.HasPrefix(server, clientSide) || !strings.HasPrefix(client, clientSide) {
				continue
			}
			both := m.both(m.sets[i], m.sets[j])
			most = max(most, both)
			if both > 1 && m.sets[i] == nil && m.sets[j] == nil {
				advice = ": design.cpus: Apart gives each its own"
			}
		}
	}
	if most == 0 {
		return nil
	}
	if apart {
		severity = Warning
		advice = ", although design.cpus is Apart: the machine has one CPU or was started again, or one of their containers may use fewer than it has"
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
