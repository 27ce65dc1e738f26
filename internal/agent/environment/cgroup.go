package environment

import (
	"os"
	"path"
	"strings"

	"github.com/assay-bench/assay/internal/contract"
)

const cgroupRoot = "sys/fs/cgroup"

// unlimitedMemory is the least of the values with which version 1 says that there
// is no limit: the largest int64, rounded down to a page of at most 64 KiB.
const unlimitedMemory = 1<<63 - 1<<16

// groups are the directories of the reader's own control group. In version 2 all
// are the same; a directory that was not found is empty.
type groups struct {
	version                      int
	cpu, cpuacct, cpuset, memory string
}

func (r Reader) groups() groups {
	paths := r.membership()
	if r.exists(cgroupRoot + "/cgroup.controllers") {
		dir := r.find("", paths[""], "cpu.stat")
		return groups{version: 2, cpu: dir, cpuacct: dir, cpuset: dir, memory: dir}
	}
	g := groups{
		cpu:     r.find("cpu", paths["cpu"], "cpu.stat"),
		cpuacct: r.find("cpuacct", paths["cpuacct"], "cpuacct.usage"),
		cpuset:  r.find("cpuset", paths["cpuset"], "cpuset.cpus"),
		memory:  r.find("memory", paths["memory"], "memory.usage_in_bytes"),
	}
	if g != (groups{}) {
		g.version = 1
	}
	return g
}

// membership maps each controller to the path of the group; version 2 has the
// empty name.
func (r Reader) membership() map[string]string {
	paths := map[string]string{}
	for line := range strings.Lines(r.text("proc/self/cgroup")) {
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

// find returns the directory of the group, or "" if there is none. Where the
// container has its own view of the tree, the group is at the root of it.
func (r Reader) find(controller, group, file string) string {
	for _, dir := range []string{path.Join(cgroupRoot, controller, group), path.Join(cgroupRoot, controller)} {
		if r.exists(path.Join(dir, file)) {
			return dir
		}
	}
	return ""
}

func (r Reader) exists(name string) bool {
	_, err := os.Stat(r.path(name))
	return err == nil
}

// Throttled returns a function that tells in how many periods the reader's own control group
// had to wait until now; it gives nil where that is not told. It reads one file.
func (r Reader) Throttled() func() *int64 {
	g := r.groups()
	if g.cpu == "" {
		return func() *int64 { return nil }
	}
	return func() *int64 { return r.numbers(g.cpu + "/cpu.stat")["nr_throttled"] }
}

// Limits of the reader's own control group, of version 2 or 1. A set of CPUs that
// is the whole node's is no limit.
func (r Reader) Limits() contract.Limits {
	g := r.groups()
	l := contract.Limits{CgroupVersion: g.version}
	switch g.version {
	case 2:
		// "max 100000" is no limit.
		quota, period, _ := strings.Cut(r.in(g.cpu, "cpu.max"), " ")
		l.CPUs = ratio(number(quota), number(period))
		l.CPUSet = r.in(g.cpuset, "cpuset.cpus.effective")
		l.MemoryBytes = number(r.in(g.memory, "memory.max"))
	case 1:
		l.CPUs = ratio(number(r.in(g.cpu, "cpu.cfs_quota_us")), number(r.in(g.cpu, "cpu.cfs_period_us")))
		l.CPUSet = r.in(g.cpuset, "cpuset.cpus")
		if limit := number(r.in(g.memory, "memory.limit_in_bytes")); limit != nil && *limit < unlimitedMemory {
			l.MemoryBytes = limit
		}
	}
	if l.CPUSet == r.text(onlineCPUs) {
		l.CPUSet = ""
	}
	return l
}

// in is the text of a file of a group; empty if the group was not found.
func (r Reader) in(group, file string) string {
	if group == "" {
		return ""
	}
	return r.text(path.Join(group, file))
}

// ratio is absent for a negative part, with which version 1 says "no limit".
func ratio(part, whole *int64) *float64 {
	if part == nil || whole == nil || *part < 0 || *whole <= 0 {
		return nil
	}
	return new(float64(*part) / float64(*whole))
}
