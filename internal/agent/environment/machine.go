package environment

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Machine is the node, as far as it is visible in a container. Architectures other than x86
// report neither the CPU's model nor its microcode; a virtual machine rarely has a governor.
func (r Reader) Machine() contract.Machine {
	f := r.files()
	cpu := firstCPU(f)
	m := contract.Machine{
		Kernel:      f.text("proc/sys/kernel/osrelease"),
		CPUModel:    cpu["model name"],
		Microcode:   cpu["microcode"],
		Governor:    f.text("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
		Clocksource: f.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
		HugePages:   chosen(f.text("sys/kernel/mm/transparent_hugepage/enabled")),
		IdleStates:  idleStates(f),
		NUMANodes:   countList(f.text(onlineNodes)),
		CPUs:        countList(f.text(onlineCPUs)),
		BootID:      r.BootID(),
	}
	memory := f.numbers("proc/meminfo")
	if kib := memory["MemTotal"]; kib != nil {
		m.MemoryBytes = new(*kib << 10)
	}
	if kib := memory["Hugepagesize"]; kib != nil {
		m.HugePageBytes = new(*kib << 10)
		if pages := memory["HugePages_Total"]; pages != nil {
			m.HugePagesSetAsideBytes = new(*pages * *m.HugePageBytes)
		}
	}
	if boot := f.numbers("proc/stat")["btime"]; boot != nil {
		m.BootTime = new(time.Unix(*boot, 0).UTC())
	}
	m.InterruptTime = interruptTime(f, m.Kernel)
	return m
}

// interruptTime is where the kernel counts the time of interrupts; empty where it does not show it.
//
// A kernel with CONFIG_IRQ_TIME_ACCOUNTING takes that time off the clock of the tasks, unless it finds the clock too slow or
// unsteady when it starts. It has /proc/pressure/irq since 6.1 (kernel/sched/psi.c), whose total grows only while it counts.
// Without the option the file does not exist, and a task's time has that of the interrupts in it (update_rq_clock_task in
// kernel/sched/core.c). Kernels older than 6.1 and those without pressure show neither. Ubuntu's kernels (22.04, 24.04)
// do not have the option.
func interruptTime(f files, kernel string) string {
	switch total, counts := totals(f.text("proc/pressure/irq"))["full"]; {
	case counts && total > 0:
		return contract.InterruptsApart
	case counts, contract.AtLeast(kernel, 6, 1) && f.exists("proc/pressure/cpu"):
		return contract.InterruptsInTasks
	}
	return ""
}

// BootID of the kernel, as in contract.Machine.
func (r Reader) BootID() string { return r.files().text("proc/sys/kernel/random/boot_id") }

const (
	onlineCPUs  = "sys/devices/system/cpu/online"
	onlineNodes = nodesRoot + "/online"
	nodesRoot   = "sys/devices/system/node"
)

// idleStates are the driver of idle CPUs and the states of the first CPU that nobody has disabled.
func idleStates(f files) string {
	driver := f.text("sys/devices/system/cpu/cpuidle/current_driver")
	var states []string
	for i := 0; ; i++ {
		state := fmt.Sprintf("sys/devices/system/cpu/cpu0/cpuidle/state%d/", i)
		name := f.text(state + "name")
		if name == "" {
			break
		}
		if f.text(state+"disable") == "0" {
			states = append(states, name)
		}
	}
	if driver == "" || len(states) == 0 {
		return driver
	}
	return driver + ": " + strings.Join(states, ", ")
}

// coresOf CPUs are all CPUs of their cores, in ascending order; nil where the topology of one is not known.
func coresOf(f files, cpus []int) []int {
	var all []int
	for _, cpu := range cpus {
		core := coreOf(f, cpu)
		if core == nil {
			return nil
		}
		all = append(all, core...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// coreOf a CPU are the CPUs of its core; nil where the kernel does not say.
func coreOf(f files, cpu int) []int {
	core := contract.CPUList(f.text(topologyOf(cpu) + "thread_siblings_list"))
	if !slices.Contains(core, cpu) {
		return nil
	}
	return core
}

// topologyOf a CPU is the folder that says where it is.
func topologyOf(cpu int) string {
	return "sys/devices/system/cpu/cpu" + strconv.Itoa(cpu) + "/topology/"
}

// homesOf CPUs are the NUMA nodes that they belong to; nil where that is not known of all.
func homesOf(f files, cpus []int) []int {
	var nodes []int
	placed := 0
	for _, node := range contract.CPUList(f.text(onlineNodes)) {
		of := contract.CPUList(f.text(fmt.Sprintf("%s/node%d/cpulist", nodesRoot, node)))
		before := placed
		for _, cpu := range cpus {
			if _, is := slices.BinarySearch(of, cpu); is {
				placed++
			}
		}
		if placed > before {
			nodes = append(nodes, node)
		}
	}
	if placed < len(cpus) {
		return nil
	}
	return nodes
}

// nodesOf CPUs are the NUMA nodes that they belong to, as a list of the kernel; empty where that is all nodes, or not known.
func nodesOf(f files, cpus []int) string {
	var some []int
	online := 0
	for _, node := range contract.CPUList(f.text(onlineNodes)) {
		of := contract.CPUList(f.text(fmt.Sprintf("%s/node%d/cpulist", nodesRoot, node)))
		if len(of) > 0 { // there are nodes of memory alone
			online++
		}
		if slices.ContainsFunc(of, func(cpu int) bool { return slices.Contains(cpus, cpu) }) {
			some = append(some, node)
		}
	}
	if len(some) == online {
		return ""
	}
	return contract.FormatCPUs(some)
}

// firstCPU is the entry of the first CPU in /proc/cpuinfo.
func firstCPU(f files) map[string]string {
	facts := map[string]string{}
	first, _, _ := strings.Cut(f.text("proc/cpuinfo"), "\n\n")
	for line := range strings.Lines(first) {
		key, value, _ := strings.Cut(line, ":")
		facts[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	return facts
}

// chosen is the word in brackets, as in "always [madvise] never".
func chosen(text string) string {
	_, rest, _ := strings.Cut(text, "[")
	word, _, ok := strings.Cut(rest, "]")
	if !ok {
		return ""
	}
	return word
}

// countList counts the members of a kernel list; it is absent for other text.
func countList(text string) *int64 {
	all := contract.CPUList(text)
	if all == nil {
		return nil
	}
	return new(int64(len(all)))
}

// Frequency of the CPUs now; nil where it cannot be read. The cpufreq driver has it for each
// CPU; without a driver, x86 has it in /proc/cpuinfo, and other architectures do not. It is
// slow on machines with many CPUs, so it must not be called inside a measured window.
func (r Reader) Frequency() *contract.Frequency {
	var mhz []float64
	f := r.files()
	names, _ := fs.Glob(os.DirFS(string(f)), "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq") // the pattern is a valid one
	for _, name := range names {
		if kHz := f.number(name); kHz != nil && *kHz > 0 {
			mhz = append(mhz, float64(*kHz)/1000)
		}
	}
	if len(mhz) == 0 {
		mhz = nominal(f.text("proc/cpuinfo"))
	}
	n := len(mhz)
	if n == 0 {
		return nil
	}
	slices.Sort(mhz)
	return &contract.Frequency{CPUs: int64(n), MinMHz: mhz[0], P50MHz: mhz[(n-1)/2], MaxMHz: mhz[n-1]}
}

// nominal reads the lines "cpu MHz : 2599.998".
func nominal(text string) []float64 {
	var mhz []float64
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(key) != "cpu MHz" {
			continue
		}
		if v, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && v > 0 {
			mhz = append(mhz, v)
		}
	}
	return mhz
}

// Cores of the machine that are online, each with its CPUs, in the order of packages and of the first CPU. Without a topology each CPU
// is a core.
func (r Reader) Cores() [][]int {
	f := r.files()
	type core struct {
		socket int64
		cpus   []int
	}
	var cores []core
	known := map[int]bool{}
	for _, cpu := range contract.CPUList(f.text(onlineCPUs)) {
		if known[cpu] {
			continue
		}
		c := core{cpus: coreOf(f, cpu)}
		if c.cpus == nil {
			c.cpus = []int{cpu}
		}
		if socket := f.number(topologyOf(cpu) + "physical_package_id"); socket != nil {
			c.socket = *socket
		}
		for _, sibling := range c.cpus {
			known[sibling] = true
		}
		cores = append(cores, c)
	}
	slices.SortStableFunc(cores, func(a, b core) int { return cmp.Compare(a.socket, b.socket) })
	out := make([][]int, len(cores))
	for i, c := range cores {
		out[i] = c.cpus
	}
	return out
}
