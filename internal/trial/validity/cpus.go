package validity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// CheckCPUs says where server and tool of a trial may run on the same CPUs of one machine, and where they run on others than the run asks
// for. It needs the results of all clients.
func CheckCPUs(results []contract.Result, asked v1alpha1.CPUs) []Finding {
	if asked == v1alpha1.CPUsTogether {
		return takeTurns(results)
	}
	return onMachines(results, func(m *machine) []Finding { return m.sharedCPUs(asked == v1alpha1.CPUsApart) })
}

// takeTurns says how many clients take turns with the server on one CPU. A trial in which not all do is another measurement.
func takeTurns(results []contract.Result) []Finding {
	var servers []contract.Environment
	for _, r := range results {
		if r.Target != nil {
			servers = append(servers, *r.Target)
		}
	}
	turns, of := 0, 0
	for _, r := range results {
		if r.State != contract.Succeeded {
			continue
		}
		of++
		if slices.ContainsFunc(servers, func(s contract.Environment) bool { return s.OneCPU(r.Client.Environment) }) {
			turns++
		}
	}
	if of == 0 {
		return nil
	}
	if turns == of {
		return []Finding{{"cpu-shared", Note, "server and tool took turns on one CPU, as design.cpus: Together wants"}}
	}
	return []Finding{{"cpu-shared", Warning, fmt.Sprintf("design.cpus is Together, and %d of %d clients took turns with the server on one CPU: the others are on other machines, "+
		"or their containers or that of the server may use fewer CPUs than the machine has, or it was started again", turns, of)}}
}

// sharedCPUs says how many CPUs both a server of the target and a client may run on. Apart: the run wants them on CPUs of their own.
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

// onOneCPU says whether all that is known to have run on the machine for the trial was kept to one CPU, the same.
func (m *machine) onOneCPU() bool {
	return len(m.sets) > 1 && !slices.ContainsFunc(m.sets, func(set []int) bool { return len(set) != 1 || set[0] != m.sets[0][0] })
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
