package validity

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/assay-bench/assay/internal/contract"
)

const (
	// maxForeign is the share of a machine's CPUs that others may use during the measured
	// window: kubelet, container runtime and, on a machine of two cores with a control plane
	// on it, the API server use up to about that much without doing anything in particular.
	maxForeign = 0.10
	// maxSteal is the share of a machine's CPU time that its hypervisor may give to others.
	maxSteal = 0.05
)

// machine is what is known of one machine over the measured window. Nodes of kind share
// one: they have the same boot ID and the same /proc/stat.
type machine struct {
	// sides that ran there, such as client 0.
	sides []string
	// cpus of it; busy and steal in CPUs, that is, seconds per second.
	cpus, busy, steal     float64
	knowsBusy, knowsSteal bool
	// ours is what the pods of the trial used, and most what their limits let them use, in CPUs.
	ours, most float64
	// blind: of a pod of the trial, such as a replica, it is not known what it used.
	blind bool
	// external: nobody knows on which machine the target runs. It may be this one, and then what
	// it does looks like the work of others.
	external bool
	// ownWait is the largest share of the window in which a pod of the trial waited for
	// memory, and nodeWait that in which all of the machine did.
	ownWait, nodeWait   float64
	knowsOwn, knowsNode bool
}

// CheckNeighbours asks what else took CPU or memory on the machines of a trial: work of
// others, steal time, and pressure on a node. It takes the results of all clients.
//
// Whether others could take CPU from the trial does not depend on how much the trial used,
// but on how much it was allowed to use: else a server that stalls would be kept where a
// fast one is left out.
func CheckNeighbours(results []contract.Result) []Finding {
	machines := machinesOf(results)
	var findings []Finding
	for _, id := range slices.SortedFunc(maps.Keys(machines), func(a, b string) int {
		return cmp.Or(slices.Compare(machines[a].sides, machines[b].sides), cmp.Compare(a, b))
	}) {
		findings = append(findings, machines[id].findings()...)
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
			add(machines, *r.Target, "the target")
			addReplicas(machines, *r.Target)
		}
		add(machines, r.Client.Environment, fmt.Sprintf("client %d", r.Trial.Client))
	}
	for _, m := range machines {
		m.external = external
	}
	return machines
}

// addReplicas: what they do is work of the trial. One of which nothing is known may be on
// the machine of its primary.
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

// add one pod of the trial to its machine. Without a boot ID it is not known which that is.
func add(machines map[string]*machine, e contract.Environment, side string) {
	id := e.Machine.BootID
	if id == "" || e.Machine.CPUs == nil || *e.Machine.CPUs <= 0 {
		return
	}
	m := machines[id]
	if m == nil {
		m = &machine{cpus: float64(*e.Machine.CPUs)}
		machines[id] = m
	}
	m.sides = append(m.sides, side)
	if busy, ok := rateOf(e, func(u contract.Usage) *float64 { return u.NodeCPUSeconds }); ok && !m.knowsBusy {
		m.busy, m.knowsBusy = busy, true
	}
	if steal, ok := rateOf(e, func(u contract.Usage) *float64 { return u.NodeStealSeconds }); ok && !m.knowsSteal {
		m.steal, m.knowsSteal = steal, true
	}
	used, ok := rateOf(e, func(u contract.Usage) *float64 { return u.CPUSeconds })
	m.ours += used
	m.blind = m.blind || !ok
	if limit := e.Limits.CPUs; limit != nil {
		m.most += min(*limit, m.cpus)
	} else {
		m.most += m.cpus
	}
	if own, ok := pressureShare(e, ownMemory); ok {
		m.ownWait, m.knowsOwn = max(m.ownWait, own), true
	}
	if node, ok := pressureShare(e, nodeMemory); ok && !m.knowsNode {
		m.nodeWait, m.knowsNode = node, true
	}
}

// nodeMemory is the pressure of the whole machine.
const nodeMemory = "node.memory.full"

func (m *machine) findings() []Finding {
	var out []Finding
	say := func(check string, severity Severity, format string, args ...any) {
		out = append(out, Finding{check, severity, "on the machine of " + list(m.sides) + " " + fmt.Sprintf(format, args...)})
	}
	if foreign := (m.busy - m.ours) / m.cpus; m.knowsBusy && foreign > maxForeign {
		free := m.cpus - m.most - m.steal
		switch {
		case m.blind:
			say("neighbours", Note, "other work, some of it that of the trial itself, used %.1f %% of %g CPUs", 100*foreign, m.cpus)
		case foreign*m.cpus > free && m.external:
			// Left out for this, a fast server would be, and one that stalls would not.
			say("neighbours", Warning, "other work, or that of the target if it runs there, used %.1f %% of %g CPUs, and the pods of the trial may use %.4g CPUs",
				100*foreign, m.cpus, min(m.most, m.cpus))
		case foreign*m.cpus > free:
			say("neighbours", Disturbed, "other work used %.1f %% of %g CPUs during the measured window (at most %.0f %% expected), and the pods of the trial "+
				"may use %.4g CPUs: give the run nodes of its own, or leave CPUs free", 100*foreign, m.cpus, 100*maxForeign, min(m.most, m.cpus))
		default:
			say("neighbours", Note, "other work used %.1f %% of %g CPUs, which left the pods of the trial all that they may use", 100*foreign, m.cpus)
		}
	}
	if m.knowsSteal && m.steal/m.cpus > maxSteal {
		say("steal", Disturbed, "the hypervisor gave %.1f %% of the CPU time to others (at most %.0f %% expected)", 100*m.steal/m.cpus, 100*maxSteal)
	}
	switch more := m.nodeWait - m.ownWait; {
	case !m.knowsNode || more <= maxPressure:
	case m.knowsOwn:
		say("node-memory-pressure", Disturbed, "all work waited for memory in %.1f %% of the measured window, the trial's own for its own limits in %.1f %%",
			100*m.nodeWait, 100*m.ownWait)
	default:
		say("node-memory-pressure", Warning, "all work waited for memory in %.1f %% of the measured window; whether for that of the trial is not known", 100*m.nodeWait)
	}
	return out
}

// list joins words as people do.
func list(words []string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		text := words[0]
		for _, w := range words[1 : n-1] {
			text += ", " + w
		}
		return text + " and " + words[n-1]
	}
}
