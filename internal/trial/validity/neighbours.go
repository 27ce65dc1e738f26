package validity

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
)

const (
	// maxForeign is the tolerated share of a machine's CPUs for foreign work during the measured window, such as that of
	// the kubelet and the container runtime.
	maxForeign = 0.10
	// ownOfCluster is tolerated, in CPUs, where the target and a client are on one machine. They are on nodes of their own
	// unless a run says otherwise, so that such a machine has several kubelets and runtimes, and the API server and etcd as well.
	// A kind cluster of three nodes, with nothing else on its machine of two CPUs, took 0.31 CPUs at rest and 0.42 to 0.51 in
	// windows of sysbench (its control groups, Linux 6.18, November 2026).
	ownOfCluster = 0.6
	// maxSteal is the tolerated share of steal time of a machine.
	maxSteal = 0.05
	// mostBelow is the share of a machine's CPUs by which the pods of a trial may have used more than all of it, before the
	// two counters do not fit. The columns of /proc/stat are sampled by ticks: over 1 s of two CPUs at 100 Hz, the standard
	// error of a half busy machine is 0.5/√200 = 3.5 %. The containers of a trial are not sampled at the same instants either.
	mostBelow = 0.05
)

// lasting are the checks of interference that can last for most of a run: use of its machines by others. The others find events.
var lasting = []string{"neighbours", "node-memory-pressure", "steal"}

// Lasts says whether the interference that a check finds can last for most of a run.
func Lasts(check string) bool { return slices.Contains(lasting, check) }

// LastsThroughout says whether what a check finds can be a condition of the run where all trials of a target have the same: a container
// that was resized before the first of them. Between two trials it is an event, and those before and after it are of other sizes.
func LastsThroughout(check string) bool { return check == checkResized }

// machine has the usage of one machine over the measured window. Nodes of kind share one
// machine: they have the same boot ID and the same /proc/stat.
type machine struct {
	// sides that ran there, such as client 0.
	sides []string
	// cpus of it; busy, interrupts and steal in CPUs, that is, seconds per second. Busy is without interrupts.
	cpus, busy, interrupts, steal float64
	knowsBusy, knowsSteal         bool
	// interruptTime is where its kernel counts the time of interrupts, as in contract.Machine.
	interruptTime string
	// ours is the usage of the trial's pods, and most the sum of their limits, in CPUs.
	ours, most float64
	// sets are the CPUs that each side may run on, in their order; nil for all.
	sets [][]int
	// blind: the usage of a pod of the trial, such as a replica, is unknown.
	blind bool
	// external: the machine of the target is unknown. If it is this one, its work looks like
	// foreign work.
	external bool
	// ownWait is the largest share of the window in which a pod of the trial waited for
	// memory, and nodeWait that in which all of the machine did.
	ownWait, nodeWait   float64
	knowsOwn, knowsNode bool
}

// CheckNeighbours checks the machines of a trial for foreign use of CPU and memory: foreign
// work, steal time, and memory pressure of a node. It needs the results of all clients.
//
// Foreign work is compared with the CPU limits of the trial's pods, not with their usage:
// otherwise a stalled server would count where a fast server is excluded.
func CheckNeighbours(results []contract.Result) []Finding {
	return onMachines(results, (*machine).findings)
}

// onMachines has what is found about each machine of a trial, in the order of the sides that ran there.
func onMachines(results []contract.Result, find func(*machine) []Finding) []Finding {
	machines := machinesOf(results)
	var findings []Finding
	for _, id := range slices.SortedFunc(maps.Keys(machines), func(a, b string) int {
		return cmp.Or(slices.Compare(machines[a].sides, machines[b].sides), cmp.Compare(a, b))
	}) {
		findings = append(findings, find(machines[id])...)
	}
	return findings
}

func machinesOf(results []contract.Result) map[string]*machine {
	machines := map[string]*machine{}
	external := !slices.ContainsFunc(results, func(r contract.Result) bool { return r.Target != nil && r.Target.Machine.BootID != "" })
	for _, r := range results {
		if r.State != contract.Succeeded {
			continue
		}
		if r.Target != nil {
			add(machines, *r.Target, serverOf(r))
			addReplicas(machines, *r.Target)
		}
		add(machines, r.Client.Environment, fmt.Sprintf(clientSide+"%d", r.Trial.Client))
		machines[r.Client.Machine.BootID].addAgent(environment(r, theAgent))
	}
	for _, m := range machines {
		m.external = external
	}
	return machines
}

// addReplicas adds the replicas' usage to the trial's. A replica without data may be on the
// machine of its primary.
func addReplicas(machines map[string]*machine, target contract.Environment) {
	for _, replica := range target.Replicas {
		if replica.Machine == nil || replica.Limits == nil {
			if m := machines[target.Machine.BootID]; m != nil {
				m.blind = true
			}
			continue
		}
		add(machines, contract.Environment{
			Machine: *replica.Machine, Limits: *replica.Limits, Before: replica.Before, After: replica.After,
		}, fmt.Sprintf("replica %d", replica.Index))
	}
}

// add one pod of the trial to its machine. Without a boot ID the machine is unknown.
func add(machines map[string]*machine, e contract.Environment, side string) {
	id := e.Machine.BootID
	if id == "" || e.Machine.CPUs == nil || *e.Machine.CPUs <= 0 {
		return
	}
	m := machines[id]
	if m == nil {
		m = &machine{cpus: float64(*e.Machine.CPUs), interruptTime: e.Machine.InterruptTime}
		machines[id] = m
	}
	m.sides = append(m.sides, side)
	m.sets = append(m.sets, contract.CPUList(e.Limits.CPUSet))
	if busy, ok := rateOf(e, func(u contract.Usage) *float64 { return u.NodeCPUSeconds }); ok && !m.knowsBusy {
		m.busy, m.knowsBusy = busy, true
		irq, _ := rateOf(e, func(u contract.Usage) *float64 { return u.NodeIRQSeconds })
		softIRQ, _ := rateOf(e, func(u contract.Usage) *float64 { return u.NodeSoftIRQSeconds })
		m.interrupts = irq + softIRQ // without these columns the machine is one that shows no interrupts
	}
	if steal, ok := rateOf(e, func(u contract.Usage) *float64 { return u.NodeStealSeconds }); ok && !m.knowsSteal {
		m.steal, m.knowsSteal = steal, true
	}
	used, ok := rateOf(e, func(u contract.Usage) *float64 { return u.CPUSeconds })
	m.ours += used
	m.blind = m.blind || !ok
	if limit := e.Limits.MostCPUs(); limit != nil {
		m.most += min(*limit, m.cpus)
	} else {
		m.most += m.cpus
	}
	if own, ok := pressureShare(e, contract.PressureOwnMemory); ok {
		m.ownWait, m.knowsOwn = max(m.ownWait, own), true
	}
	if node, ok := pressureShare(e, nodeMemory); ok && !m.knowsNode {
		m.nodeWait, m.knowsNode = node, true
	}
}

// addAgent adds the container of the agent in a client pod, whose other container was added. A
// window too short for its samples is also too short for it to work: it waits while a tool measures.
// The machine and the agent may be nil.
func (m *machine) addAgent(e *contract.Environment) {
	if m == nil || e == nil {
		return
	}
	if used, ok := rateOf(*e, func(u contract.Usage) *float64 { return u.CPUSeconds }); ok {
		m.ours += used
	}
	if limit := e.Limits.MostCPUs(); limit != nil {
		m.most += min(*limit, m.cpus)
	}
	if own, ok := pressureShare(*e, contract.PressureOwnMemory); ok {
		m.ownWait = max(m.ownWait, own)
	}
}

// tolerated is the share of the machine's CPUs that foreign work may use.
func (m *machine) tolerated() float64 {
	if strings.HasPrefix(m.sides[0], targetSide) && len(m.sides) > 1 {
		return max(maxForeign, ownOfCluster/m.cpus)
	}
	return maxForeign
}

const (
	// nodeMemory is the pressure of the whole machine.
	nodeMemory = "node.memory.full"
	// targetSide is the first side of a machine that it runs on.
	targetSide = "the target"
	// clientSide is how the name of each client begins.
	clientSide = "client "
)

// serverOf a result: the target, or that of the tenant whose first client it is, where tenants have servers of their own.
func serverOf(r contract.Result) string {
	if r.Trial.Client == 0 {
		return targetSide
	}
	return fmt.Sprintf(targetSide+"'s server of client %d", r.Trial.Client)
}

// foreign is the least and the most that others can have used of the machine, as shares of its CPUs.
//
// The root control group has all of it: since Linux 5.8 its cpu.stat is user, nice, system, irq and softirq of /proc/stat
// (root_cgroup_cputime in kernel/cgroup/rstat.c). A container does not see that file, and sees /proc/stat. Whether the pods' time,
// which goes off, has interrupts in it depends on the kernel. Where they are in it, leaving them out of the machine's time hides
// neighbours: two pairs of processes that sent each other packets over loopback used 19.99 s of two CPUs in 10 s by the root
// control group, and 15.86 s without and 19.99 s with interrupts by /proc/stat (Linux 6.18, ticks of 250 Hz). Where they are not,
// including them would count the packets of the trial itself as neighbours. Interrupts of idle CPUs are in no task's time: there
// they count as other work.
//
// A kernel that does not show where it counts has shown it when the pods used clearly more than the machine without interrupts.
func (m *machine) foreign() (least, most float64) {
	least, most = (m.busy-m.ours)/m.cpus, (m.busy+m.interrupts-m.ours)/m.cpus
	switch {
	case m.interruptTime == contract.InterruptsApart:
		return least, least
	case m.interruptTime == contract.InterruptsInTasks, least < -mostBelow:
		return most, most
	}
	return least, most
}

func (m *machine) findings() []Finding {
	out := m.otherWork()
	if m.knowsSteal && m.steal/m.cpus > maxSteal {
		out = append(out, m.findingOf("steal", Disturbed, "the steal time was %s %% of the CPU time (at most %.0f %% expected)", figure.PercentBeside(m.steal/m.cpus, maxSteal), 100*maxSteal)...)
	}
	switch more := m.nodeWait - m.ownWait; {
	case !m.knowsNode || more <= maxPressure:
	case m.knowsOwn:
		out = append(out, m.findingOf("node-memory-pressure", Disturbed, "all work waited for memory in %s %% of the measured window, the trial's own for its own limits in %.1f %%",
			figure.PercentBeside(m.nodeWait, maxPressure), 100*m.ownWait)...)
	default:
		out = append(out, m.findingOf("node-memory-pressure", Warning, "all work waited for memory in %s %% of the measured window; the share of the trial is unknown", figure.PercentBeside(m.nodeWait, maxPressure))...)
	}
	return out
}

// findingOf has one finding about a machine.
func (m *machine) findingOf(check string, severity Severity, format string, args ...any) []Finding {
	return []Finding{{check, severity, "on the machine of " + list(m.sides) + " " + fmt.Sprintf(format, args...)}}
}

// otherWork says what others did on the CPUs, where that may matter.
func (m *machine) otherWork() []Finding {
	foreign, most := m.foreign()
	tolerated := m.tolerated()
	free, may, other := m.cpus-m.most-m.steal, min(m.most, m.cpus), figure.PercentBeside(foreign, tolerated)
	if m.onOneCPU() { // where others did their work is unknown, and who is kept to a CPU cannot give way
		free, may = 0, 1
	}
	switch {
	case !m.knowsBusy || most >= -mostBelow && most <= tolerated:
		return nil
	case most < 0:
		return m.findingOf("cpu-accounting", Note, "the pods of the trial used %.2f CPUs more than all work on it by the counters of the kernel: they do not fit each other, "+
			"and as much other work would not be seen", -most*m.cpus)
	case foreign <= tolerated:
		return m.findingOf("neighbours", Note, "other work used %s to %s %% of %g CPUs: the kernel does not show whether interrupts are part of the work of the pods",
			figure.PercentBeside(max(foreign, 0), tolerated), figure.PercentBeside(most, tolerated), m.cpus)
	case m.blind:
		return m.findingOf("neighbours", Note, "other work, including unknown pods of the trial, used %s %% of %g CPUs", other, m.cpus)
	case foreign*m.cpus > free && m.external:
		// Excluding such trials would exclude fast servers and keep stalled ones.
		return m.findingOf("neighbours", Warning, "other work, or that of the target if it runs there, used %s %% of %g CPUs, and the pods of the trial may use %.4g CPUs",
			other, m.cpus, may)
	case foreign*m.cpus > free:
		return m.findingOf("neighbours", Disturbed, "other work used %s %% of %g CPUs during the measured window (at most %.0f %% expected), and the pods of the trial "+
			"may use %.4g CPUs: give the run nodes of its own, or leave CPUs free", other, m.cpus, 100*tolerated, may)
	default:
		return m.findingOf("neighbours", Note, "other work used %s %% of %g CPUs, which left the pods of the trial all that they may use", other, m.cpus)
	}
}

// list joins words as people do.
func list(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
