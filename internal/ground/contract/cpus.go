package contract

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// CPUs says which of a machine the servers and the clients of a target have, where both run on it (design.cpus).
type CPUs struct {
	// Machines are the boot IDs of the machines that both run on. Whoever runs elsewhere keeps all its CPUs.
	Machines []string `json:"machines"`
	// Together: both have the same CPU, and nothing is divided.
	Together bool `json:"together,omitempty"`
	// Servers and Clients are the ratio in which the cores are divided: what both may use, in thousandths of a CPU, at least 1.
	Servers int64 `json:"servers"`
	Clients int64 `json:"clients"`
}

// On says whether a machine is one of those.
func (c CPUs) On(bootID string) bool { return bootID != "" && slices.Contains(c.Machines, bootID) }

// mostCPUs bounds what a list of the kernel may name.
const mostCPUs = 1 << 16

// CPUList reads a list of the kernel, such as 0-3,8, in ascending order; nil for other text, such as a list with a CPU twice.
func CPUList(text string) []int {
	var all []int
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err := strconv.ParseUint(from, 10, 31)
		if err != nil || len(all) > 0 && int(first) <= all[len(all)-1] {
			return nil
		}
		last, err := strconv.ParseUint(to, 10, 31)
		if err != nil || last < first || last >= mostCPUs {
			return nil
		}
		for cpu := first; cpu <= last; cpu++ {
			all = append(all, int(cpu))
		}
	}
	return all
}

// FormatCPUs writes CPUs in ascending order as a list of the kernel; empty for none.
func FormatCPUs(cpus []int) string {
	var parts []string
	for i := 0; i < len(cpus); {
		last := i
		for last+1 < len(cpus) && cpus[last+1] == cpus[last]+1 {
			last++
		}
		part := strconv.Itoa(cpus[i])
		if last > i {
			part = fmt.Sprintf("%d-%d", cpus[i], cpus[last])
		}
		parts, i = append(parts, part), last+1
	}
	return strings.Join(parts, ",")
}

// OneCPU reports whether two containers take turns on one CPU: they are on one machine, and it has no other, or both may use one alone, the same.
func (e Environment) OneCPU(o Environment) bool {
	cpus, set := e.Machine.CPUs, e.Limits.CPUSet
	return cpus != nil && e.Machine.BootID != "" && e.Machine.BootID == o.Machine.BootID &&
		(*cpus == 1 || len(CPUList(set)) == 1 && set == o.Limits.CPUSet)
}

// MostCPUs is what the processes of a container may use: its quota, or the CPUs that they run on, whichever is less. Absent without a limit.
func (l Limits) MostCPUs() *float64 {
	set := float64(len(CPUList(l.CPUSet)))
	if set > 0 && (l.CPUs == nil || *l.CPUs > set) {
		return &set
	}
	return l.CPUs
}
