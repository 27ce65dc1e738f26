package validity

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// pod of a trial that used some CPUs of its limit (0 for none) over 10 s, on a machine of
// cpus of which so many were busy and stolen.
type pod struct {
	boot                     string
	cpus                     int64
	used, limit, busy, steal float64
	own, node                float64
}

func (p pod) environment() contract.Environment {
	const window = 10
	usage := func(t float64) *contract.Usage {
		return &contract.Usage{
			At: noon.Add(time.Duration(t * float64(time.Second))), CPUSeconds: new(5 + p.used*t), NodeCPUSeconds: new(1000 + p.busy*t), NodeStealSeconds: new(p.steal * t),
			Pressure: map[string]float64{contract.PressureOwnMemory: p.own * t, nodeMemory: p.node * t},
		}
	}
	e := contract.Environment{Machine: contract.Machine{BootID: p.boot, CPUs: &p.cpus}, Before: usage(0), After: usage(window)}
	if p.limit > 0 {
		e.Limits.CPUs = &p.limit
	}
	return e
}

func trialOf(client pod, target *pod, others ...pod) []contract.Result {
	var out []contract.Result
	for i, p := range append([]pod{client}, others...) {
		r := contract.Result{State: contract.Succeeded, Client: contract.Client{Environment: p.environment()}}
		r.Trial.Client = i
		if i == 0 && target != nil {
			e := target.environment()
			r.Target = &e
		}
		out = append(out, r)
	}
	return out
}

// onOneCPU keeps the server and the client to one CPU.
func onOneCPU(results []contract.Result) []contract.Result {
	results[0].Client.Limits.CPUSet, results[0].Target.Limits.CPUSet = "3", "3"
	return results
}

func withReplica(results []contract.Result, p *pod) []contract.Result {
	replica := contract.Replica{}
	if p != nil {
		e := p.environment()
		replica.Machine, replica.Limits, replica.Before, replica.After = &e.Machine, &e.Limits, e.Before, e.After
	}
	results[0].Target.Replicas = []contract.Replica{replica}
	return results
}

// withAgent gives the first client an agent in a container of its own, without counters for a pod
// that is empty.
func withAgent(results []contract.Result, p pod) []contract.Result {
	agent := &contract.AgentContainer{}
	if e := p.environment(); p.boot != "" {
		agent.Limits, agent.Before, agent.After = e.Limits, e.Before, e.After
	}
	results[0].Client.Agent = agent
	return results
}

func TestCheckNeighbours(t *testing.T) {
	without := func(results []contract.Result, change func(*contract.Environment)) []contract.Result {
		change(&results[0].Client.Environment)
		return results
	}
	tests := map[string]struct {
		results []contract.Result
		want    []Finding
	}{
		"one kind cluster on two cores, with its control plane": {
			trialOf(pod{"a", 2, 0.5, 0.5, 1.2, 0, 0, 0}, &pod{"a", 2, 0.5, 0.5, 1.2, 0, 0, 0}), nil},
		"an agent that works beside its tool": {
			withAgent(trialOf(pod{"a", 2, 1.5, 1.75, 1.85, 0, 0, 0}, nil), pod{"a", 2, 0.24, 0.25, 1.85, 0, 0, 0}), nil},
		"others beside an agent": {
			withAgent(trialOf(pod{"a", 2, 1, 1.5, 1.5, 0, 0, 0}, &pod{"b", 2, 1, 1, 1, 0, 0, 0}), pod{"a", 2, 0.1, 0.25, 1.5, 0, 0, 0}), []Finding{{"neighbours", Disturbed,
				"on the machine of client 0 other work used 20.0 % of 2 CPUs during the measured window (at most 10 % expected), " +
					"and the pods of the trial may use 1.75 CPUs: give the run nodes of its own, or leave CPUs free"}}},
		"an agent without counters": {
			withAgent(trialOf(pod{"a", 2, 1.8, 2, 1.85, 0, 0, 0}, nil), pod{}), nil},
		"others beside a server and a client on one CPU, who cannot give way": {
			onOneCPU(trialOf(pod{"a", 4, 0.4, 1, 1.9, 0, 0, 0}, &pod{"a", 4, 0.5, 1, 1.9, 0, 0, 0})), []Finding{{"neighbours", Disturbed,
				"on the machine of the target and client 0 other work used 25.0 % of 4 CPUs during the measured window (at most 15 % expected), " +
					"and the pods of the trial may use 1 CPUs: give the run nodes of its own, or leave CPUs free"}}},
		"others that use what is left": {
			trialOf(pod{"a", 4, 0.5, 1, 2.5, 0, 0, 0}, &pod{"a", 4, 1, 1, 2.5, 0, 0, 0}), []Finding{{"neighbours", Note,
				"on the machine of the target and client 0 other work used 25.0 % of 4 CPUs, which left the pods of the trial all that they may use"}}},
		"the parts of a cluster whose nodes are one machine": {
			trialOf(pod{"a", 2, 0.5, 1, 1.59, 0, 0, 0}, &pod{"a", 2, 0.5, 1, 1.59, 0, 0, 0}), nil},
		"a large machine has as much room as any": {
			trialOf(pod{"a", 16, 4, 8, 10, 0, 0, 0}, &pod{"a", 16, 4, 8, 10, 0, 0, 0}), []Finding{{"neighbours", Disturbed,
				"on the machine of the target and client 0 other work used 12.5 % of 16 CPUs during the measured window (at most 10 % expected), " +
					"and the pods of the trial may use 16 CPUs: give the run nodes of its own, or leave CPUs free"}}},
		"others that take what the trial may use": {
			trialOf(pod{"a", 2, 0.3, 1, 1.8, 0, 0, 0}, &pod{"a", 2, 0.8, 1, 1.8, 0, 0, 0}), []Finding{{"neighbours", Disturbed,
				"on the machine of the target and client 0 other work used 35.0 % of 2 CPUs during the measured window (at most 30 % expected), " +
					"and the pods of the trial may use 2 CPUs: give the run nodes of its own, or leave CPUs free"}}},
		"the same others, and a server that stalls": {
			trialOf(pod{"a", 2, 0.1, 1, 0.9, 0, 0, 0}, &pod{"a", 2, 0.1, 1, 0.9, 0, 0, 0}), []Finding{{"neighbours", Disturbed,
				"on the machine of the target and client 0 other work used 35.0 % of 2 CPUs during the measured window (at most 30 % expected), " +
					"and the pods of the trial may use 2 CPUs: give the run nodes of its own, or leave CPUs free"}}},
		"a client without a limit": {
			trialOf(pod{"a", 8, 2, 0, 4, 0, 0, 0}, &pod{"b", 8, 2, 0, 2, 0, 0, 0}), []Finding{{"neighbours", Disturbed,
				"on the machine of client 0 other work used 25.0 % of 8 CPUs during the measured window (at most 10 % expected), " +
					"and the pods of the trial may use 8 CPUs: give the run nodes of its own, or leave CPUs free"}}},
		"an external target that may be on the client's machine": {
			trialOf(pod{"a", 2, 0.5, 1.5, 1.5, 0, 0, 0}, nil), []Finding{{"neighbours", Warning,
				"on the machine of client 0 other work, or that of the target if it runs there, used 50.0 % of 2 CPUs, and the pods of the trial may use 1.5 CPUs"}}},
		"the clients of a trial are no neighbours of each other": {
			trialOf(pod{"a", 4, 1, 1, 3.1, 0, 0, 0}, nil, pod{"a", 4, 1, 1, 3.1, 0, 0, 0}, pod{"a", 4, 1, 1, 3.1, 0, 0, 0}), nil},
		"nor are pods on another machine": {
			trialOf(pod{"a", 2, 2, 2, 2.1, 0, 0, 0}, &pod{"b", 2, 2, 2, 2.1, 0, 0, 0}), nil},
		"others on the machine of the target only": {
			trialOf(pod{"a", 2, 1, 2, 1, 0, 0, 0}, &pod{"b", 2, 1, 2, 1.5, 0, 0, 0}), []Finding{{"neighbours", Disturbed,
				"on the machine of the target other work used 25.0 % of 2 CPUs during the measured window (at most 10 % expected), " +
					"and the pods of the trial may use 2 CPUs: give the run nodes of its own, or leave CPUs free"}}},
		"a machine that is not known": {trialOf(pod{"", 2, 0, 2, 2, 1, 0, 1}, nil), nil},
		"a machine whose counters are not known": {without(trialOf(pod{"a", 2, 0, 2, 2, 1, 0, 1}, nil), func(e *contract.Environment) {
			e.Before.NodeCPUSeconds, e.After.NodeStealSeconds, e.After.Pressure = nil, nil, nil
		}), nil},
		"a pod of the trial of which nothing is known": {without(trialOf(pod{"a", 2, 1.9, 2, 2, 0, 0, 0}, nil), func(e *contract.Environment) {
			e.Before.CPUSeconds = nil
		}), []Finding{{"neighbours", Note, "on the machine of client 0 other work, including unknown pods of the trial, used 100.0 % of 2 CPUs"}}},
		"a replica on the machine of its primary": {
			withReplica(trialOf(pod{"a", 4, 1, 1, 3.5, 0, 0, 0}, &pod{"a", 4, 1, 1, 3.5, 0, 0, 0}), &pod{"a", 4, 1.4, 2, 3.5, 0, 0, 0}), nil},
		"a replica on another machine": {
			withReplica(trialOf(pod{"a", 2, 1, 1, 2, 0, 0, 0}, &pod{"a", 2, 0.9, 1, 2, 0, 0, 0}), &pod{"b", 2, 1, 2, 1.5, 0, 0, 0}), []Finding{{"neighbours", Disturbed,
				"on the machine of replica 0 other work used 25.0 % of 2 CPUs during the measured window (at most 10 % expected), " +
					"and the pods of the trial may use 2 CPUs: give the run nodes of its own, or leave CPUs free"}}},
		"a replica of which nothing is known": {
			withReplica(trialOf(pod{"a", 2, 0.5, 1, 1.9, 0, 0, 0}, &pod{"a", 2, 0.5, 1, 1.9, 0, 0, 0}), nil), []Finding{{"neighbours", Note,
				"on the machine of the target and client 0 other work, including unknown pods of the trial, used 45.0 % of 2 CPUs"}}},
		"a hypervisor that gives CPU to others": {
			trialOf(pod{"a", 2, 1, 1, 1, 0.11, 0, 0}, nil), []Finding{{"steal", Disturbed,
				"on the machine of client 0 the steal time was 5.5 % of the CPU time (at most 5 % expected)"}}},
		"a little more than the limit is not shown as the limit": {
			trialOf(pod{"a", 2, 1, 1, 1, 0.1004, 0, 0}, nil), []Finding{{"steal", Disturbed,
				"on the machine of client 0 the steal time was 5.02 % of the CPU time (at most 5 % expected)"}}},
		"nor is other work": {
			trialOf(pod{"a", 2, 1, 2, 1.2001, 0, 0, 0}, nil), []Finding{{"neighbours", Warning,
				"on the machine of client 0 other work, or that of the target if it runs there, used 10.005 % of 2 CPUs, and the pods of the trial may use 2 CPUs"}}},
		"a hypervisor that gives little": {trialOf(pod{"a", 2, 1, 1, 1, 0.1, 0, 0}, nil), nil},
		"a calm pod on a node without memory": {trialOf(pod{"a", 2, 1, 1, 1, 0, 0.005, 0.02}, nil), []Finding{{"node-memory-pressure", Disturbed,
			"on the machine of client 0 all work waited for memory in 2.0 % of the measured window, the trial's own for its own limits in 0.5 %"}}},
		"a node that waits for a pod of the trial": {trialOf(pod{"a", 2, 1, 1, 1, 0, 0.3, 0.3}, nil), nil},
		"a node of which nobody knows for whom it waits": {without(trialOf(pod{"a", 2, 1, 1, 1, 0, 0, 0.3}, nil), func(e *contract.Environment) {
			delete(e.Before.Pressure, contract.PressureOwnMemory)
		}), []Finding{{"node-memory-pressure", Warning,
			"on the machine of client 0 all work waited for memory in 30.0 % of the measured window; the share of the trial is unknown"}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, CheckNeighbours(tc.results)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// packets are the counters of a machine of two CPUs that did nothing but send packets over loopback for 10 s: those of
// /proc/stat ("cpu 56803 18423 20318 49027 1473 0 348 465" and "57363 18497 21270 49027 1473 0 761 466"), and of the root
// control group (cpuacct.usage), which is the pod. Linux 6.18, CONFIG_IRQ_TIME_ACCOUNTING not set.
func packets(interruptTime string, change func(before, after *contract.Usage)) []contract.Result {
	before := contract.Usage{At: noon, CPUSeconds: new(961.716), NodeCPUSeconds: new(955.44), NodeIRQSeconds: new(0.0), NodeSoftIRQSeconds: new(3.48), NodeStealSeconds: new(4.65)}
	after := contract.Usage{
		At: noon.Add(10 * time.Second), CPUSeconds: new(981.704), NodeCPUSeconds: new(971.30), NodeIRQSeconds: new(0.0), NodeSoftIRQSeconds: new(7.61), NodeStealSeconds: new(4.66),
	}
	change(&before, &after)
	e := contract.Environment{Machine: contract.Machine{BootID: "a", CPUs: new(int64(2)), InterruptTime: interruptTime}, Before: &before, After: &after}
	return []contract.Result{{State: contract.Succeeded, Client: contract.Client{Environment: e}, Target: &contract.Environment{Machine: contract.Machine{BootID: "b"}}}}
}

// The time of interrupts counts on both sides, or on neither.
func TestInterrupts(t *testing.T) {
	asItWas := func(_, _ *contract.Usage) {}
	// less of the work was that of the pod.
	less := func(cpus float64) func(_, after *contract.Usage) {
		return func(_, after *contract.Usage) { *after.CPUSeconds -= 10 * cpus }
	}
	// apart takes the interrupts off the time of the pod, as another kernel does.
	apart := less(0.413)
	const where = "on the machine of client 0 "
	other := func(share string) []Finding {
		return []Finding{{"neighbours", Disturbed, where + "other work used " + share + " % of 2 CPUs during the measured window (at most 10 % expected), " +
			"and the pods of the trial may use 2 CPUs: give the run nodes of its own, or leave CPUs free"}}
	}
	tests := map[string]struct {
		results []contract.Result
		want    []Finding
	}{
		"packets of the pod alone, in its time":                  {packets(contract.InterruptsInTasks, asItWas), nil},
		"packets of the pod alone, not in its time":              {packets(contract.InterruptsApart, apart), nil},
		"half a CPU of neighbours, which packets hid":            {packets(contract.InterruptsInTasks, less(0.5)), other("25.0")},
		"half a CPU of neighbours where interrupts are apart":    {packets(contract.InterruptsApart, less(0.5+0.413)), other("25.0")},
		"a kernel that does not show it, and the pods used more": {packets("", less(0.22)), other("11.0")},
		"a kernel that does not show it, without neighbours":     {packets("", asItWas), nil},
		"a kernel that does not show it, and both may be": {packets("", apart), []Finding{{"neighbours", Note,
			where + "other work used 0.0 to 20.7 % of 2 CPUs: the kernel does not show whether interrupts are part of the work of the pods"}}},
		"a kernel that does not show it, with neighbours either way": {packets("", less(0.413+0.3)), other("15.0")},
		"a pod that used more than the machine": {packets(contract.InterruptsApart, asItWas), []Finding{{"cpu-accounting", Note,
			where + "the pods of the trial used 0.41 CPUs more than all work on it by the counters of the kernel: they do not fit each other, and as much other work would not be seen"}}},
		"a kernel that does not count interrupts": {packets("", func(before, after *contract.Usage) {
			before.NodeIRQSeconds, before.NodeSoftIRQSeconds, after.NodeIRQSeconds, after.NodeSoftIRQSeconds = nil, nil, nil, nil
		}), []Finding{{"cpu-accounting", Note,
			where + "the pods of the trial used 0.41 CPUs more than all work on it by the counters of the kernel: they do not fit each other, and as much other work would not be seen"}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, CheckNeighbours(tc.results)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
