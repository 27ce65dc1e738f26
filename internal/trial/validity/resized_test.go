package validity

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// sized is a container with limits at the start and at the end of its window.
func sized(before, after size) contract.Environment {
	return contract.Environment{
		Before: &contract.Usage{CPULimit: before.cpus, MemoryLimitBytes: before.memory}, After: &contract.Usage{CPULimit: after.cpus, MemoryLimitBytes: after.memory},
		Limits: contract.Limits{CPUs: after.cpus, MemoryBytes: after.memory},
	}
}

func sizeOf(cpus float64, memory int64) size { return size{&cpus, &memory} }

func replicaOf(index int, before, after size) contract.Replica {
	e := sized(before, after)
	return contract.Replica{Index: index, Before: e.Before, After: e.After}
}

func serverWith(e contract.Environment, replicas ...contract.Replica) *contract.Environment {
	e.Replicas = replicas
	return &e
}

func TestCheckResized(t *testing.T) {
	small, large, unlimited := sizeOf(2, 1<<30), sizeOf(4, 2<<30), size{}
	loaded := contract.Result{Target: new(sized(small, small)), Client: contract.Client{Environment: sized(small, small)}}
	trialOn := func(target *contract.Environment, clients ...contract.Environment) []contract.Result {
		return besideAgent(target, nil, clients...)
	}
	tests := map[string]struct {
		loaded  contract.Result
		results []contract.Result
		want    []Finding
	}{
		"nobody changed anything": {loaded, trialOn(new(sized(small, small)), sized(small, small)), nil},
		"the server, before the trial": {loaded, trialOn(new(sized(large, large)), sized(small, small)), []Finding{{"resized", Disturbed,
			"the target was resized since the data was loaded: 2 CPUs became 4 and 1073741824 bytes of memory became 2147483648"}}},
		"a client, before the trial": {loaded, trialOn(new(sized(small, small)), sized(small, small), sized(sizeOf(1, 1<<30), small)), []Finding{{"resized", Disturbed,
			"client 1 was resized since the data was loaded: 2 CPUs became 1"}}},
		"a replica, before the trial": {loaded, trialOn(serverWith(sized(small, small), replicaOf(0, small, small), replicaOf(1, large, large)), sized(small, small)), []Finding{{"resized", Disturbed,
			"replica 1 was resized since the data was loaded, or never had the size of its primary: 2 CPUs became 4 and 1073741824 bytes of memory became 2147483648"}}},
		"a replica without counters": {loaded, trialOn(serverWith(sized(small, small), contract.Replica{Limits: &contract.Limits{CPUs: new(1.0)}}), sized(small, small)), []Finding{{"resized", Disturbed,
			"replica 0 was resized since the data was loaded, or never had the size of its primary: 2 CPUs became 1"}}},
		"a replica that said nothing":                   {loaded, trialOn(serverWith(sized(small, small), contract.Replica{}), sized(small, small)), nil},
		"a change within the window is another finding": {loaded, trialOn(new(sized(small, large)), sized(small, small)), nil},
		"a window too short for counters": {loaded, trialOn(&contract.Environment{Limits: contract.Limits{CPUs: new(3.0)}}, sized(small, small)), []Finding{{"resized", Disturbed,
			"the target was resized since the data was loaded: 2 CPUs became 3"}}},
		"a container without limits":                {loaded, trialOn(new(sized(unlimited, unlimited)), sized(unlimited, unlimited)), nil},
		"an external target":                        {loaded, trialOn(nil, sized(small, small)), nil},
		"a load that does not know its environment": {contract.Result{}, trialOn(new(sized(large, large)), sized(large, large)), nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, CheckResized(tc.loaded, tc.results)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// Within a window each container is compared with itself, and a limit that is known at one end only with nothing.
func TestResizedWithinTheWindow(t *testing.T) {
	small, large := sizeOf(2, 2<<20), sizeOf(4, 1<<20)
	tests := map[string]struct {
		target *contract.Environment
		client contract.Environment
		want   string
	}{
		"nobody changed anything": {serverWith(sized(small, small), replicaOf(0, small, small)), sized(small, small), ""},
		"the server": {serverWith(sized(small, large)), sized(small, small),
			"the target was resized during the measured window: 2 CPUs became 4 and 2097152 bytes of memory became 1048576"},
		"a replica and the client": {serverWith(sized(small, small), replicaOf(0, small, small), replicaOf(1, small, sizeOf(0.5, 2<<20))), sized(small, sizeOf(2, 3<<20)),
			"replica 1 was resized during the measured window: 2 CPUs became 0.5; the client was resized during the measured window: 2097152 bytes of memory became 3145728"},
		// 1.333 CPUs are a quota of 133300 of 100000 µs, which runc gives to systemd as 134000.
		"a rounded quota": {serverWith(sized(sizeOf(1.333, 2<<20), sizeOf(1.34, 2<<20))), sized(sizeOf(1.34, 2<<20), sizeOf(1.333, 2<<20)), ""},
		"a rounded page":  {serverWith(sized(sizeOf(2, 2<<20), sizeOf(2, 2<<20-4096))), sized(small, small), ""},
		"a small resize": {serverWith(sized(sizeOf(1.5, 2<<20), sizeOf(1.55, 2<<20))), sized(small, small),
			"the target was resized during the measured window: 1.5 CPUs became 1.55"},
		"a limit at the end only":   {serverWith(sized(size{}, large)), sized(size{}, large), ""},
		"a limit at the start only": {serverWith(sized(small, size{})), sized(small, size{}), ""},
		"nothing was counted":       {&contract.Environment{}, contract.Environment{}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := resized(contract.Result{Target: tc.target, Client: contract.Client{Environment: tc.client}}, runner.Expectations{})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
