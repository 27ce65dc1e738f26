package environment

import (
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Usage reads the counters now: those of the reader's own control group, and the
// context switches of one process; 0 for none.
func (r Reader) Usage(pid int) contract.Usage {
	f := r.files()
	g := groupsOf(f)
	u := contract.Usage{At: time.Now().UTC(), Pressure: g.pressure()}
	nodeTimes(f, &u)
	u.CPULimit, u.MemoryLimitBytes = g.sizes()
	u.HugePagesBytes, u.HugePagesReservedBytes = g.hugePages()
	switch g.version {
	case 2:
		g.usage2(&u)
	case 1:
		g.usage1(&u)
	}
	if r.Reused {
		u.MemoryPeakBytes = nil
	}
	u.TCPSegments, u.TCPRetransmits = tcp(f.text("proc/net/snmp"))
	if pid > 0 {
		u.VoluntarySwitches, u.InvoluntarySwitches = switches(f, pid)
	}
	return u
}

func (g groups) usage2(u *contract.Usage) {
	if g.cpu == "" {
		return
	}
	stat := g.files.numbers(g.cpu + "/cpu.stat")
	u.CPUSeconds = seconds(stat["usage_usec"], 1e6)
	u.Periods, u.Throttled = stat["nr_periods"], stat["nr_throttled"]
	u.ThrottledSeconds = seconds(stat["throttled_usec"], 1e6)
	u.MemoryBytes = g.files.number(g.cpu + "/memory.current")
	u.MemoryPeakBytes = g.files.number(g.cpu + "/memory.peak")
}

func (g groups) usage1(u *contract.Usage) {
	u.CPUSeconds = seconds(number(g.in(g.cpuacct, "cpuacct.usage")), 1e9)
	if g.cpu != "" {
		stat := g.files.numbers(g.cpu + "/cpu.stat")
		u.Periods, u.Throttled = stat["nr_periods"], stat["nr_throttled"]
		u.ThrottledSeconds = seconds(stat["throttled_time"], 1e9)
	}
	u.MemoryBytes = number(g.in(g.memory, "memory.usage_in_bytes"))
	u.MemoryPeakBytes = number(g.in(g.memory, "memory.max_usage_in_bytes"))
}

// pressure is that of the group where the kernel reports it, else that of the node; nil
// without both. For memory it has both, which differ when other work on the node lacks memory.
func (g groups) pressure() map[string]float64 {
	all := map[string]float64{}
	for _, resource := range []string{"cpu", "memory", "io"} {
		var own map[string]float64
		if g.version == 2 {
			own = totals(g.in(g.cpu, resource+".pressure"))
		}
		for kind, total := range own {
			all[resource+"."+kind] = total
		}
		if len(own) > 0 && resource != "memory" {
			continue
		}
		node := totals(g.files.text("proc/pressure/" + resource))
		if resource == "cpu" {
			// Not defined for the whole node; kernels since 5.13 print a constant 0.
			delete(node, "full")
		}
		for kind, total := range node {
			all["node."+resource+"."+kind] = total
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// totals reads lines such as "some avg10=0.00 avg60=0.00 avg300=0.00 total=5",
// whose total is in microseconds, to seconds by kind.
func totals(text string) map[string]float64 {
	out := map[string]float64{}
	for line := range strings.Lines(text) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		_, total, _ := strings.Cut(rest, "total=")
		if n := number(total); n != nil && (kind == "some" || kind == "full") {
			out[kind] = float64(*n) / 1e6
		}
	}
	return out
}

// switches sums the context switches of the present threads of a process. The kernel reports
// those of ended threads only to the parent, after the end of the process, so the sum can
// decrease.
func switches(f files, pid int) (voluntary, involuntary *int64) {
	tasks := path.Join("proc", strconv.Itoa(pid), "task")
	threads, err := os.ReadDir(f.path(tasks))
	if err != nil {
		return nil, nil
	}
	for _, thread := range threads {
		status := f.numbers(path.Join(tasks, thread.Name(), "status"))
		voluntary = add(voluntary, status["voluntary_ctxt_switches"])
		involuntary = add(involuntary, status["nonvoluntary_ctxt_switches"])
	}
	return voluntary, involuntary
}

// add is absent only if both are.
func add(sum, n *int64) *int64 {
	switch {
	case n == nil:
		return sum
	case sum == nil:
		return n
	}
	return new(*sum + *n)
}

// userHz is the unit of /proc/stat (USER_HZ): 1/100 s on every architecture that Linux has.
const userHz = 100

// nodeTimes reads the times of the whole machine, in seconds over all CPUs since its start.
//
// Busy is user, nice and system: guest and guest_nice are parts of the first two (account_guest_time in
// kernel/sched/cputime.c). Interrupts stay apart, because it depends on the kernel whether the time of a pod has them
// in it: Machine.InterruptTime.
func nodeTimes(f files, u *contract.Usage) {
	line, _, _ := strings.Cut(f.text("proc/stat"), "\n")
	fields := strings.Fields(line)
	// cpu user nice system idle iowait irq softirq steal guest guest_nice
	const user, nice, system, irq, softirq, stolen = 1, 2, 3, 6, 7, 8
	if len(fields) <= system || fields[0] != "cpu" {
		return
	}
	seconds := make([]float64, len(fields))
	for i, field := range fields[1:] {
		ticks, err := strconv.ParseUint(field, 10, 63)
		if err != nil {
			return
		}
		seconds[i+1] = float64(ticks) / userHz
	}
	u.NodeCPUSeconds = new(seconds[user] + seconds[nice] + seconds[system])
	for i, into := range map[int]**float64{irq: &u.NodeIRQSeconds, softirq: &u.NodeSoftIRQSeconds, stolen: &u.NodeStealSeconds} {
		if len(fields) > i {
			*into = &seconds[i]
		}
	}
}

// tcp reads the sent segments of the network namespace, from the two lines of /proc/net/snmp
// that begin with "Tcp:": the names and the numbers.
func tcp(text string) (segments, retransmits *int64) {
	var names []string
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != "Tcp:" {
			continue
		}
		if names == nil {
			names = fields
			continue
		}
		for i, name := range names[:min(len(names), len(fields))] {
			switch name {
			case "OutSegs":
				segments = number(fields[i])
			case "RetransSegs":
				retransmits = number(fields[i])
			}
		}
		break
	}
	return segments, retransmits
}
