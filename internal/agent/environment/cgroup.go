package environment

import (
	"path"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const cgroupRoot = "sys/fs/cgroup"

// unlimitedMemory is the smallest value of "no limit" in version 1: the largest int64, rounded
// down to a page of at most 64 KiB.
const unlimitedMemory = 1<<63 - 1<<16

// groups are the directories of the reader's own control group. In version 2 all are the same;
// an unknown directory is empty.
type groups struct {
	files                                 files
	version                               int
	cpu, cpuacct, cpuset, memory, hugetlb string
}

func groupsOf(f files) groups {
	paths := membership(f)
	if f.exists(cgroupRoot + "/cgroup.controllers") {
		dir := find(f, "", paths[""], "cpu.stat")
		return groups{files: f, version: 2, cpu: dir, cpuacct: dir, cpuset: dir, memory: dir, hugetlb: dir}
	}
	g := groups{
		files:   f,
		cpu:     find(f, "cpu", paths["cpu"], "cpu.stat"),
		cpuacct: find(f, "cpuacct", paths["cpuacct"], "cpuacct.usage"),
		cpuset:  find(f, "cpuset", paths["cpuset"], "cpuset.effective_cpus"),
		memory:  find(f, "memory", paths["memory"], "memory.usage_in_bytes"),
		hugetlb: find(f, "hugetlb", paths["hugetlb"], "hugetlb.2MB.usage_in_bytes"),
	}
	if g != (groups{files: f}) {
		g.version = 1
	}
	return g
}

// membership maps each controller to the path of the group; version 2 has the
// empty name.
func membership(f files) map[string]string {
	paths := map[string]string{}
	for line := range strings.Lines(f.text("proc/self/cgroup")) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		for controller := range strings.SplitSeq(parts[1], ",") {
			paths[controller] = parts[2]
		}
	}
	return paths
}

// find returns the directory of the group, or "" if there is none. In a container with its own
// cgroup namespace, the group is the root of the tree.
func find(f files, controller, group, file string) string {
	for _, dir := range []string{path.Join(cgroupRoot, controller, group), path.Join(cgroupRoot, controller)} {
		if f.exists(path.Join(dir, file)) {
			return dir
		}
	}
	return ""
}

// Throttled returns a function that reads the number of throttled periods of the reader's own
// control group so far; it returns nil where that is unknown. It reads one file.
func (r Reader) Throttled() func() *int64 {
	g := groupsOf(r.files())
	if g.cpu == "" {
		return func() *int64 { return nil }
	}
	return func() *int64 { return g.files.numbers(g.cpu + "/cpu.stat")["nr_throttled"] }
}

// Limits of the reader's own control group, of version 2 or 1, and of the reader itself. A CPU set with all CPUs of the
// node is no limit.
func (r Reader) Limits() contract.Limits {
	g := groupsOf(r.files())
	l := contract.Limits{CgroupVersion: g.version}
	l.CPUs, l.MemoryBytes = g.sizes()
	l.CPUGroup = g.cpus()
	// What the group allows, and what the process was kept to beside that (package affinity). The kernel also names CPUs that
	// the machine could have, and has not.
	online := contract.CPUList(g.files.text(onlineCPUs))
	set := contract.CPUList(g.files.field("proc/self/status", "Cpus_allowed_list"))
	set = slices.DeleteFunc(set, func(cpu int) bool { return len(online) > 0 && !slices.Contains(online, cpu) })
	if len(online) == 0 || len(set) < len(online) {
		l.CPUSet = contract.FormatCPUs(set)
	}
	l.CPUNodes = nodesOf(g.files, set)
	// A list of nodes is written as one of CPUs.
	memory, nodes := contract.CPUList(g.files.field("proc/self/status", "Mems_allowed_list")), contract.CPUList(g.files.text(nodesRoot+"/has_memory"))
	memory = slices.DeleteFunc(memory, func(node int) bool { return !slices.Contains(nodes, node) })
	if len(memory) < len(nodes) {
		l.MemoryNodes = contract.FormatCPUs(memory)
	}
	return l
}

// sizes are the CPUs as quota over period, and the memory in bytes; each is absent without a limit.
func (g groups) sizes() (cpus *float64, memory *int64) {
	switch g.version {
	case 2:
		// "max 100000" is no limit.
		quota, period, _ := strings.Cut(g.in(g.cpu, "cpu.max"), " ")
		return ratio(number(quota), number(period)), number(g.in(g.memory, "memory.max"))
	case 1:
		cpus = ratio(number(g.in(g.cpu, "cpu.cfs_quota_us")), number(g.in(g.cpu, "cpu.cfs_period_us")))
		if limit := number(g.in(g.memory, "memory.limit_in_bytes")); limit != nil && *limit < unlimitedMemory {
			memory = limit
		}
	}
	return cpus, memory
}

// cpus that the group allows; nil where the kernel does not show them.
func (g groups) cpus() *contract.CPUGroup {
	file := "cpuset.cpus.effective"
	if g.version == 1 {
		file = "cpuset.effective_cpus"
	}
	set := contract.CPUList(g.in(g.cpuset, file))
	if set == nil {
		return nil
	}
	return &contract.CPUGroup{CPUs: contract.FormatCPUs(set), Cores: contract.FormatCPUs(coresOf(g.files, set)), Nodes: contract.FormatCPUs(homesOf(g.files, set))}
}

// hugePages that the group has touched, and reserved, in bytes: the sum over the sizes that a shape can have, as the kernel names them
// (mem_fmt in mm/hugetlb_cgroup.c). Each is absent where the kernel shows it for no size.
func (g groups) hugePages() (touched, reserved *int64) {
	usage := "current"
	if g.version == 1 {
		usage = "usage_in_bytes"
	}
	for _, size := range []string{"2MB", "1GB"} {
		touched = add(touched, number(g.in(g.hugetlb, "hugetlb."+size+"."+usage)))
		reserved = add(reserved, number(g.in(g.hugetlb, "hugetlb."+size+".rsvd."+usage)))
	}
	return touched, reserved
}

// in is the text of a file of a group; empty if the group was not found.
func (g groups) in(group, file string) string {
	if group == "" {
		return ""
	}
	return g.files.text(path.Join(group, file))
}

// ratio is absent for a negative part, with which version 1 says "no limit".
func ratio(part, whole *int64) *float64 {
	if part == nil || whole == nil || *part < 0 || *whole <= 0 {
		return nil
	}
	return new(float64(*part) / float64(*whole))
}
