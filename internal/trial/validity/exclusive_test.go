package validity

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// allowed is a container of a machine of 8 CPUs in 4 cores on 2 NUMA nodes.
func allowed(boot string, group *contract.CPUGroup) contract.Environment {
	return contract.Environment{Machine: contract.Machine{BootID: boot, CPUs: new(int64(8)), NUMANodes: new(int64(2))}, Limits: contract.Limits{CPUGroup: group}}
}

// besideAgent are the results of clients, the first of which has the environment of the target. The agents are on the shared pool.
func besideAgent(target *contract.Environment, pool *contract.CPUGroup, clients ...contract.Environment) []contract.Result {
	var out []contract.Result
	for i, e := range clients {
		r := contract.Result{State: contract.Succeeded, Client: contract.Client{Environment: e, Agent: &contract.AgentContainer{Limits: contract.Limits{CPUGroup: pool}}}}
		r.Trial.Client = i
		if i == 0 {
			r.Target = target
		}
		out = append(out, r)
	}
	return out
}

func TestCheckExclusive(t *testing.T) {
	core := &contract.CPUGroup{CPUs: "1,5", Cores: "1,5", Nodes: "0"}
	other := &contract.CPUGroup{CPUs: "2,6", Cores: "2,6", Nodes: "1"}
	all := &contract.CPUGroup{CPUs: "0-7", Cores: "0-7", Nodes: "0-1"}
	pool := &contract.CPUGroup{CPUs: "0,3-4,7", Cores: "0,3-4,7", Nodes: "0-1"}
	halves := &contract.CPUGroup{CPUs: "2-3", Cores: "2-3,6-7", Nodes: "1"}
	far := &contract.CPUGroup{CPUs: "1-2,5-6", Cores: "1-2,5-6", Nodes: "0-1"}
	two := Exclusive{Servers: 2, Clients: 2}
	const needs = ", and so may other pods: the kubelet of the node needs cpuManagerPolicy: static"
	const burstable = ": cpus is Exclusive, and the 2 CPUs were not given: the QoS class of the pod is Burstable, and kubelets give CPUs to pods that are Guaranteed: " +
		"something added a container to it, or changed its resources"
	tests := map[string]struct {
		results []contract.Result
		asked   Exclusive
		want    []Finding
	}{
		"both have a core":                {besideAgent(new(allowed("a", core)), pool, allowed("b", other)), two, nil},
		"both have a core of one machine": {besideAgent(new(allowed("a", core)), pool, allowed("a", other)), two, nil},
		"nobody asked":                    {besideAgent(new(allowed("a", all)), all, allowed("b", nil)), Exclusive{}, nil},
		"only the server asked":           {besideAgent(new(allowed("a", core)), all, allowed("b", all)), Exclusive{Servers: 2}, nil},
		"no policy on either node": {besideAgent(new(allowed("a", all)), all, allowed("b", all), allowed("c", all)), two, []Finding{{"cpu-not-exclusive", Warning,
			"the target, client 0 and client 1: cpus is Exclusive, and the 2 CPUs were not given: the container may run on 8 of 8 CPUs (0-7)" + needs}}},
		"the shared pool of a node with the policy": {besideAgent(new(allowed("a", pool)), pool, allowed("b", other)), two, []Finding{{"cpu-not-exclusive", Warning,
			"the target: cpus is Exclusive, and the 2 CPUs were not given: the container may run on 4 of 8 CPUs (0,3-4,7)" + needs}}},
		"as many as the machine has": {besideAgent(new(allowed("a", all)), pool, allowed("b", other)), Exclusive{Servers: 8}, []Finding{{"cpu-not-exclusive", Warning,
			"the target: cpus is Exclusive, and the 8 CPUs were not given: the container may run on 8 of 8 CPUs (0-7)" + needs}}},
		"a pool that has as many CPUs by chance": {besideAgent(nil, pool, allowed("b", pool)), Exclusive{Clients: 4}, []Finding{{"cpu-not-exclusive", Warning,
			"client 0: cpus is Exclusive, and the 4 CPUs were not given: the container may run on 0,3-4,7, and so may the agent of client 0 on 0,3-4,7"}}},
		"two nodes of one machine that gave the same": {besideAgent(new(allowed("a", core)), pool, allowed("a", core)), two, []Finding{
			{"cpu-not-exclusive", Warning, "the target: cpus is Exclusive, and the 2 CPUs were not given: the container may run on 1,5, and so may client 0 on 1,5"},
			{"cpu-not-exclusive", Warning, "client 0: cpus is Exclusive, and the 2 CPUs were not given: the container may run on 1,5, and so may the target on 1,5"}}},
		"a kernel that shows nothing": {besideAgent(new(allowed("a", nil)), nil, allowed("b", nil)), Exclusive{Servers: 1, Clients: 1}, []Finding{{"cpu-not-exclusive", Warning,
			"the target and client 0: cpus is Exclusive, and nobody knows whether the CPU was given: the kernel does not show the CPUs of the container"}}},
		"an agent of the target that said nothing": {besideAgent(nil, pool, allowed("b", core)), two, []Finding{{"cpu-not-exclusive", Warning,
			"the target: cpus is Exclusive, and nobody knows whether the 2 CPUs were given: the kernel does not show the CPUs of the container"}}},
		"pods that are known to be Guaranteed": {besideAgent(new(allowed("a", core)), pool, allowed("b", other)), Exclusive{2, 2, "Guaranteed", "Guaranteed"}, nil},
		"a sidecar without limits, and a pool that has as many CPUs by chance": {besideAgent(new(allowed("a", core)), pool, allowed("b", other)), Exclusive{2, 2, "Burstable", "Guaranteed"},
			[]Finding{{"cpu-not-exclusive", Warning, "the target" + burstable}}},
		"sidecars everywhere, and an agent that said nothing": {besideAgent(nil, pool, allowed("b", all)), Exclusive{2, 2, "Burstable", "Burstable"},
			[]Finding{{"cpu-not-exclusive", Warning, "the target and client 0" + burstable}}},
		"a sidecar where nobody asked": {besideAgent(new(allowed("a", all)), all, allowed("b", all)), Exclusive{TargetQOS: "Burstable", ClientQOS: "Burstable"}, nil},
		"an agent whose CPUs nobody knows": {besideAgent(new(allowed("a", core)), nil, allowed("b", other)), two, []Finding{{"cpu-not-exclusive", Note,
			"client 0: it is not known whether the agent of client 0 may run on the CPUs 2,6, too: the kernel does not show the CPUs of the container"}}},
		"a client of the same machine whose CPUs nobody knows": {besideAgent(new(allowed("a", core)), nil, allowed("a", nil)), Exclusive{Servers: 2}, []Finding{{"cpu-not-exclusive", Note,
			"the target: it is not known whether client 0 and the agent of client 0 may run on the CPUs 1,5, too: the kernel does not show the CPUs of the container"}}},
		"halves of cores": {besideAgent(new(allowed("a", halves)), pool, allowed("b", core)), two, []Finding{{"cpu-half-core", Warning,
			"the target: the CPUs 2-3 share cores with 6-7, where other pods may run and slow them: the option full-pcpus-only of the static CPU manager gives whole cores"}}},
		"two NUMA nodes": {besideAgent(new(allowed("a", far)), pool, allowed("b", core)), Exclusive{Servers: 4, Clients: 2}, []Finding{{"cpu-numa", Note,
			"the target: the CPUs 1-2,5-6 are on the NUMA nodes 0-1, and the memory of each is farther from the others: topologyManagerPolicy: single-numa-node of the kubelet gives CPUs of one"}}},
		"a topology that is not shown": {besideAgent(new(allowed("a", &contract.CPUGroup{CPUs: "1,5"})), pool, allowed("b", core)), two, []Finding{
			{"cpu-half-core", Note, "the target: the kernel does not show the cores of the CPUs 1,5: others may run on a part of them"},
			{"cpu-numa", Note, "the target: the kernel does not show the NUMA nodes of the CPUs 1,5"}}},
		"a replica on the shared pool, and one that said nothing": {withReplicas(besideAgent(new(allowed("a", core)), pool, allowed("b", other)), pool, nil), two, []Finding{
			{"cpu-not-exclusive", Warning, "replica 0: cpus is Exclusive, and the 2 CPUs were not given: the container may run on 4 of 8 CPUs (0,3-4,7)" + needs},
			{"cpu-not-exclusive", Warning, "replica 1: cpus is Exclusive, and nobody knows whether the 2 CPUs were given: the kernel does not show the CPUs of the container"}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, CheckExclusive(tc.results, tc.asked)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// withReplicas gives the target replicas on machines of their own; one without a group said nothing.
func withReplicas(results []contract.Result, groups ...*contract.CPUGroup) []contract.Result {
	for i, group := range groups {
		replica := contract.Replica{Index: i}
		if group != nil {
			e := allowed("of a replica", group)
			replica.Machine, replica.Limits = &e.Machine, &e.Limits
		}
		results[0].Target.Replicas = append(results[0].Target.Replicas, replica)
	}
	return results
}

// A machine with one NUMA node needs no list of them, and results that failed say nothing.
func TestCheckExclusiveNeedsNoMoreThanItUses(t *testing.T) {
	e := allowed("a", &contract.CPUGroup{CPUs: "1,5", Cores: "1,5"})
	e.Machine.NUMANodes = new(int64(1))
	if got := CheckExclusive(besideAgent(&e, nil, allowed("b", nil)), Exclusive{Servers: 2}); len(got) != 0 {
		t.Errorf("%+v, want none", got)
	}
	failed := besideAgent(&e, nil, allowed("b", nil))
	failed[0].State = contract.Failed
	if got := CheckExclusive(failed, Exclusive{Servers: 4, Clients: 4}); len(got) != 0 {
		t.Errorf("%+v of a trial that failed", got)
	}
}
