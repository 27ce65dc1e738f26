package validity

import (
	"fmt"
	"slices"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Exclusive is how many CPUs of its own each server and each tool of a trial is to have; 0 for those that share theirs.
type Exclusive struct {
	Servers, Clients int64
	// TargetQOS and ClientQOS are the QoS classes of the pods of the target, without its replicas, and of the clients; empty where unknown.
	TargetQOS, ClientQOS string
}

// guaranteed is the QoS class of pods whose requests are their limits (corev1.PodQOSGuaranteed).
const guaranteed = "Guaranteed"

// member is a container of a trial.
type member struct {
	// side, such as client 0.
	side string
	// asked is how many CPUs of its own it is to have; 0 for one that shares them.
	asked int64
	// qos is the QoS class of its pod; empty where unknown.
	qos     string
	machine contract.Machine
	// group has the CPUs that it may run on; nil where that is unknown.
	group *contract.CPUGroup
}

// CheckExclusive says which containers of a trial have no CPUs of their own although their shape wants them (cpus: Exclusive), and where
// those that they have are. It needs the results of all clients.
//
// A container sees no policy of the kubelet. It has what it asked for when its pod is Guaranteed, since others are given none, and when
// it may run on as many CPUs as it asked for, on fewer than the machine has, since the static CPU manager keeps some for the system, and
// on none that another container of the trial may run on.
func CheckExclusive(results []contract.Result, asked Exclusive) []Finding {
	all := membersOf(results, asked)
	var out []Finding
	var sides [][]string
	for _, m := range all {
		for _, f := range m.exclusive(all) {
			i := slices.Index(out, f)
			if i < 0 {
				i, out, sides = len(out), append(out, f), append(sides, nil)
			}
			sides[i] = append(sides[i], m.side)
		}
	}
	for i := range out {
		out[i].Message = list(sides[i]) + ": " + out[i].Message
	}
	return out
}

// membersOf a trial are its servers, and the tool and the agent of each client.
func membersOf(results []contract.Result, asked Exclusive) []member {
	var servers, clients []member
	for _, r := range results {
		if r.State != contract.Succeeded {
			continue
		}
		if r.Target != nil {
			servers = append(servers, member{serverOf(r), asked.Servers, asked.TargetQOS, r.Target.Machine, r.Target.Limits.CPUGroup})
			servers = append(servers, replicasOf(*r.Target, asked)...)
		}
		client := fmt.Sprintf(clientSide+"%d", r.Trial.Client)
		clients = append(clients, member{client, asked.Clients, asked.ClientQOS, r.Client.Machine, r.Client.Limits.CPUGroup})
		if agent := r.Client.Agent; agent != nil {
			clients = append(clients, member{"the agent of " + client, 0, asked.ClientQOS, r.Client.Machine, agent.Limits.CPUGroup})
		}
	}
	if len(servers) == 0 && asked.Servers > 0 && len(clients) > 0 {
		servers = []member{{side: targetSide, asked: asked.Servers, qos: asked.TargetQOS}} // its agent said nothing
	}
	return append(servers, clients...)
}

// replicasOf a target. One whose agent said nothing is on an unknown machine.
func replicasOf(target contract.Environment, asked Exclusive) []member {
	var out []member
	for _, replica := range target.Replicas {
		m := member{side: fmt.Sprintf("replica %d", replica.Index), asked: asked.Servers}
		if replica.Machine != nil && replica.Limits != nil {
			m.machine, m.group = *replica.Machine, replica.Limits.CPUGroup
		}
		out = append(out, m)
	}
	return out
}

// exclusive are the findings about a container, whose messages leave out which one it is.
func (m member) exclusive(all []member) []Finding {
	if m.asked == 0 {
		return nil
	}
	if problem := m.notGiven(all); problem != "" {
		return []Finding{{"cpu-not-exclusive", Warning, problem}}
	}
	return slices.Concat(m.unseen(all), m.halfCores(), m.acrossNodes())
}

// unseen says which others of its machine may run on the CPUs of a container for all that is known.
func (m member) unseen(all []member) []Finding {
	var sides []string
	for _, other := range all {
		if m.beside(other) && other.group == nil {
			sides = append(sides, other.side)
		}
	}
	if len(sides) == 0 {
		return nil
	}
	return []Finding{{"cpu-not-exclusive", Note, fmt.Sprintf("it is not known whether %s may run on the CPUs %s, too: the kernel does not show the CPUs of the container", list(sides), m.group.CPUs)}}
}

// beside says whether another container is known to be on the same machine.
func (m member) beside(other member) bool {
	return other.side != m.side && m.machine.BootID != "" && other.machine.BootID == m.machine.BootID
}

// notGiven says why a container has no CPUs of its own, or that nobody knows; empty where it has them.
func (m member) notGiven(all []member) string {
	if m.qos != "" && m.qos != guaranteed {
		return fmt.Sprintf("cpus is Exclusive, and %s not given: the QoS class of the pod is %s, and kubelets give CPUs to pods that are %s: "+
			"something added a container to it, or changed its resources", m.wanted(), m.qos, guaranteed)
	}
	if m.group == nil {
		return fmt.Sprintf("cpus is Exclusive, and nobody knows whether %s given: the kernel does not show the CPUs of the container", m.wanted())
	}
	set := contract.CPUList(m.group.CPUs)
	of := ""
	if cpus := m.machine.CPUs; cpus != nil {
		of = fmt.Sprintf(" of %d", *cpus)
	}
	if int64(len(set)) != m.asked || m.machine.CPUs != nil && m.asked >= *m.machine.CPUs {
		return fmt.Sprintf("cpus is Exclusive, and %s not given: the container may run on %d%s CPUs (%s), and so may other pods: "+
			"the kubelet of the node needs cpuManagerPolicy: static", m.wanted(), len(set), of, m.group.CPUs)
	}
	for _, other := range all {
		if !m.beside(other) || other.group == nil {
			continue
		}
		if both := common(set, contract.CPUList(other.group.CPUs)); len(both) > 0 {
			return fmt.Sprintf("cpus is Exclusive, and %s not given: the container may run on %s, and so may %s on %s",
				m.wanted(), m.group.CPUs, other.side, contract.FormatCPUs(both))
		}
	}
	return ""
}

// wanted is the subject of a sentence.
func (m member) wanted() string {
	if m.asked == 1 {
		return "the CPU was"
	}
	return fmt.Sprintf("the %d CPUs were", m.asked)
}

// halfCores says that others may run on the cores of a container.
func (m member) halfCores() []Finding {
	cores := contract.CPUList(m.group.Cores)
	if cores == nil {
		return []Finding{{"cpu-half-core", Note, "the kernel does not show the cores of the CPUs " + m.group.CPUs + ": others may run on a part of them"}}
	}
	set := contract.CPUList(m.group.CPUs)
	others := slices.DeleteFunc(cores, func(cpu int) bool { return slices.Contains(set, cpu) })
	if len(others) == 0 {
		return nil
	}
	return []Finding{{"cpu-half-core", Warning, fmt.Sprintf("the CPUs %s share cores with %s, where other pods may run and slow them: "+
		"the option full-pcpus-only of the static CPU manager gives whole cores", m.group.CPUs, contract.FormatCPUs(others))}}
}

// acrossNodes says that the CPUs of a container are on several NUMA nodes.
func (m member) acrossNodes() []Finding {
	switch nodes := contract.CPUList(m.group.Nodes); {
	case len(nodes) == 1, len(nodes) == 0 && m.machine.NUMANodes != nil && *m.machine.NUMANodes == 1:
		return nil
	case len(nodes) == 0:
		return []Finding{{"cpu-numa", Note, "the kernel does not show the NUMA nodes of the CPUs " + m.group.CPUs}}
	}
	return []Finding{{"cpu-numa", Note, fmt.Sprintf("the CPUs %s are on the NUMA nodes %s, and the memory of each is farther from the others: "+
		"topologyManagerPolicy: single-numa-node of the kubelet gives CPUs of one", m.group.CPUs, m.group.Nodes)}}
}

// common CPUs of two ascending sets.
func common(a, b []int) []int {
	var out []int
	for _, cpu := range a {
		if _, is := slices.BinarySearch(b, cpu); is {
			out = append(out, cpu)
		}
	}
	return out
}
