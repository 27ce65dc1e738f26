package environment

import (
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/engines/engine"
)

const cgroupRoot = "sys/fs/cgroup"

// unlimitedMemory is the least of the values with which version 1 says that there
// is no limit: the largest int64, rounded down to a page of at most 64 KiB.
const unlimitedMemory = 1<<63 - 1<<16

// Cgroup reads the agent's own control group, of version 2 or 1.
func (r Reader) Cgroup() engine.Cgroup {
	paths := r.membership()
	if _, err := os.Stat(r.path(cgroupRoot + "/cgroup.controllers")); err == nil {
		return r.version2(r.find("", paths[""], "cpu.stat"))
	}
	cpu := r.find("cpu", paths["cpu"], "cpu.stat")
	memory := r.find("memory", paths["memory"], "memory.usage_in_bytes")
	if cpu == "" && memory == "" {
		return engine.Cgroup{}
	}
	return r.version1(cpu, memory)
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
		if _, err := os.Stat(r.path(path.Join(dir, file))); err == nil {
			return dir
		}
	}
	return ""
}

func (r Reader) version2(dir string) engine.Cgroup {
	c := engine.Cgroup{Version: 2}
	if dir == "" {
		return c
	}
	stat := r.pairs(dir + "/cpu.stat")
	c.Periods, c.Throttled = stat["nr_periods"], stat["nr_throttled"]
	c.ThrottledSeconds = seconds(stat["throttled_usec"], 1e6)
	// "max 100000" is no limit.
	if quota, period, ok := strings.Cut(r.text(dir+"/cpu.max"), " "); ok {
		c.CPULimit = ratio(number(quota), number(period))
	}
	c.MemoryLimit = r.number(dir + "/memory.max")
	c.MemoryCurrent = r.number(dir + "/memory.current")
	c.MemoryPeak = r.number(dir + "/memory.peak")
	return c
}

func (r Reader) version1(cpu, memory string) engine.Cgroup {
	c := engine.Cgroup{Version: 1}
	if cpu != "" {
		stat := r.pairs(cpu + "/cpu.stat")
		c.Periods, c.Throttled = stat["nr_periods"], stat["nr_throttled"]
		c.ThrottledSeconds = seconds(stat["throttled_time"], 1e9)
		c.CPULimit = ratio(r.number(cpu+"/cpu.cfs_quota_us"), r.number(cpu+"/cpu.cfs_period_us"))
	}
	if memory != "" {
		if limit := r.number(memory + "/memory.limit_in_bytes"); limit != nil && *limit < unlimitedMemory {
			c.MemoryLimit = limit
		}
		c.MemoryCurrent = r.number(memory + "/memory.usage_in_bytes")
		c.MemoryPeak = r.number(memory + "/memory.max_usage_in_bytes")
	}
	return c
}

// pairs reads lines of a name and a number.
func (r Reader) pairs(name string) map[string]*int64 {
	out := map[string]*int64{}
	for line := range strings.Lines(r.text(name)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		out[key] = number(value)
	}
	return out
}

func (r Reader) number(name string) *int64 { return number(r.text(name)) }

func number(text string) *int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

func seconds(n *int64, perSecond float64) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n) / perSecond)
}

// ratio is absent for a negative part, with which version 1 says "no limit".
func ratio(part, whole *int64) *float64 {
	if part == nil || whole == nil || *part < 0 || *whole <= 0 {
		return nil
	}
	return new(float64(*part) / float64(*whole))
}
