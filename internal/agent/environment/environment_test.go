package environment

import (
	"maps"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/tree"
)

// reader of a tree of files.
func reader(t *testing.T, files map[string]string) Reader {
	t.Helper()
	return Reader{Root: tree.Of(t, files)}
}

// both joins trees of files.
func both(trees ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, files := range trees {
		maps.Copy(all, files)
	}
	return all
}

var (
	nodePressure = map[string]string{
		"proc/pressure/cpu":    "some avg10=1.00 avg60=0.50 avg300=0.00 total=1500000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
		"proc/pressure/memory": "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
		"proc/pressure/io":     "some avg10=0.00 avg60=0.00 avg300=0.00 total=250000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=garbage\n",
	}
	threads = map[string]string{
		"proc/7/task/7/status":  "Name:\tserver\nvoluntary_ctxt_switches:\t10\nnonvoluntary_ctxt_switches:\t1\n",
		"proc/7/task/8/status":  "Name:\tserver\nvoluntary_ctxt_switches:\t20\nnonvoluntary_ctxt_switches:\t2\n",
		"proc/7/task/9/comm":    "a thread that ends while it is read has no status\n",
		"proc/71/task/7/status": "Name:\tother\nvoluntary_ctxt_switches:\t1000\nnonvoluntary_ctxt_switches:\t1000\n",
	}
	v2Inside = map[string]string{
		"proc/self/cgroup":                 "0::/\n",
		"sys/devices/system/cpu/online":    "0-7\n",
		"sys/fs/cgroup/cgroup.controllers": "cpu memory\n",
		"sys/fs/cgroup/cpu.stat":           "usage_usec 9500000\nnr_periods 100\nnr_throttled 7\nthrottled_usec 1500000\n",
		"sys/fs/cgroup/cpu.max":            "150000 100000\n",
		"proc/self/status":                 "Name:\tassay-agent\nCpus_allowed_list:\t2-3\n",
		"sys/fs/cgroup/memory.max":         "1073741824\n",
		"sys/fs/cgroup/memory.current":     "1000\n",
		"sys/fs/cgroup/memory.peak":        "2000\n",
		"sys/fs/cgroup/cpu.pressure":       "some avg10=0.00 avg60=0.00 avg300=0.00 total=3\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=2000000\n",
		"sys/fs/cgroup/io.pressure":        "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
	}
	v2Outside = map[string]string{
		"proc/self/cgroup":                                    "0::/kubepods/pod1\n",
		"sys/devices/system/cpu/online":                       "0-3\n",
		"sys/fs/cgroup/cgroup.controllers":                    "cpu memory\n",
		"sys/fs/cgroup/cpu.stat":                              "usage_usec 9\n",
		"sys/fs/cgroup/kubepods/pod1/cpu.stat":                "usage_usec 0\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n",
		"sys/fs/cgroup/kubepods/pod1/cpu.max":                 "max 100000\n",
		"proc/self/status":                                    "Cpus_allowed_list:\t0-3\n",
		"sys/fs/cgroup/kubepods/pod1/memory.max":              "max\n",
		"sys/fs/cgroup/kubepods/pod1/memory.current":          "1000\n",
		"sys/fs/cgroup/kubepods/pod1/memory.pressure.ignored": "x",
	}
	v1 = map[string]string{
		"proc/self/cgroup":                                    "9:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n3:cpuset:/docker/1\n1:name=systemd:/x\n",
		"sys/fs/cgroup/cpu/cpu.stat":                          "nr_periods 10\nnr_throttled 3\nthrottled_time 2500000000\n",
		"sys/fs/cgroup/cpu/cpu.cfs_quota_us":                  "200000\n",
		"sys/fs/cgroup/cpu/cpu.cfs_period_us":                 "100000\n",
		"sys/fs/cgroup/cpuacct/cpuacct.usage":                 "1250000000\n",
		"proc/self/status":                                    "Cpus_allowed_list:\t0,2\n",
		"sys/fs/cgroup/memory/memory.usage_in_bytes":          "5\n",
		"sys/fs/cgroup/memory/memory.max_usage_in_bytes":      "6\n",
		"sys/fs/cgroup/memory/memory.limit_in_bytes":          "9223372036854771712\n",
		"sys/fs/cgroup/memory/docker/2/memory.usage_in_bytes": "7\n",
	}
	v1Partly = map[string]string{
		"proc/self/cgroup":                             "9:memory:/a\n4:cpu,cpuacct:/a\n",
		"sys/fs/cgroup/cpu/a/cpu.stat":                 "nr_periods garbage\n",
		"sys/fs/cgroup/cpu/a/cpu.cfs_quota_us":         "-1\n",
		"sys/fs/cgroup/cpu/a/cpu.cfs_period_us":        "100000\n",
		"sys/fs/cgroup/memory/a/memory.usage_in_bytes": "5\n",
		"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "4096\n",
	}
)

func TestLimits(t *testing.T) {
	tests := map[string]struct {
		files map[string]string
		want  contract.Limits
	}{
		"nothing is known without a control group": {nil, contract.Limits{}},
		"version 2, seen from inside the container": {v2Inside, contract.Limits{
			CgroupVersion: 2, CPUs: new(1.5), CPUSet: "2-3", MemoryBytes: new(int64(1 << 30)),
		}},
		"a part of the NUMA nodes": {both(v2Inside, map[string]string{
			"proc/self/status":               "Cpus_allowed_list:\t2-3\nMems_allowed_list:\t1,7\n",
			"sys/devices/system/node/online": "0-2", "sys/devices/system/node/has_memory": "0-2", "sys/devices/system/node/node0/cpulist": "0-2", "sys/devices/system/node/node1/cpulist": "3-5",
			"sys/devices/system/node/node2/cpulist": "6-7", "sys/devices/system/cpu/online": "0-7",
		}), contract.Limits{CgroupVersion: 2, CPUs: new(1.5), CPUSet: "2-3", CPUNodes: "0-1", MemoryNodes: "1", MemoryBytes: new(int64(1 << 30))}},
		"all NUMA nodes": {both(v2Outside, map[string]string{
			"proc/self/status":               "Cpus_allowed_list:\t0-3\nMems_allowed_list:\t0-1\n",
			"sys/devices/system/node/online": "0-1", "sys/devices/system/node/has_memory": "0-1", "sys/devices/system/node/node0/cpulist": "0-1", "sys/devices/system/node/node1/cpulist": "2-3",
			"sys/devices/system/cpu/online": "0-3",
		}), contract.Limits{CgroupVersion: 2}},
		"a node of memory alone": {both(v2Outside, map[string]string{
			"proc/self/status":               "Cpus_allowed_list:\t0-3\nMems_allowed_list:\t0-1\n",
			"sys/devices/system/node/online": "0-1", "sys/devices/system/node/has_memory": "0-1", "sys/devices/system/node/node0/cpulist": "0-3", "sys/devices/system/node/node1/cpulist": "\n",
			"sys/devices/system/cpu/online": "0-3",
		}), contract.Limits{CgroupVersion: 2}},
		"version 2 without limits, seen from outside":          {v2Outside, contract.Limits{CgroupVersion: 2}},
		"version 2 without a group":                            {map[string]string{"sys/fs/cgroup/cgroup.controllers": ""}, contract.Limits{CgroupVersion: 2}},
		"version 1":                                            {v1, contract.Limits{CgroupVersion: 1, CPUs: new(2.0), CPUSet: "0,2"}},
		"version 1 without a CPU limit and with one of memory": {v1Partly, contract.Limits{CgroupVersion: 1, MemoryBytes: new(int64(4096))}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, reader(t, tc.files).Limits()); diff != "" {
				t.Errorf("limits (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	tests := map[string]struct {
		files map[string]string
		pid   int
		want  contract.Usage
	}{
		"nothing is known without a control group": {nil, 7, contract.Usage{}},
		"version 2 with a process; what the group does not say of pressure, the node does": {both(v2Inside, nodePressure, threads), 7, contract.Usage{
			CPUSeconds: new(9.5), Periods: new(int64(100)), Throttled: new(int64(7)), ThrottledSeconds: new(1.5), CPULimit: new(1.5), MemoryLimitBytes: new(int64(1 << 30)),
			MemoryBytes: new(int64(1000)), MemoryPeakBytes: new(int64(2000)),
			Pressure:          map[string]float64{"cpu.some": 3e-6, "cpu.full": 2, "io.some": 0, "node.memory.some": 0, "node.memory.full": 0},
			VoluntarySwitches: new(int64(30)), InvoluntarySwitches: new(int64(3)),
		}},
		"version 2 on a kernel without memory.peak and pressure, seen from outside, without a process": {both(v2Outside, threads), 0, contract.Usage{
			CPUSeconds: new(0.0), Periods: new(int64(0)), Throttled: new(int64(0)), ThrottledSeconds: new(0.0), MemoryBytes: new(int64(1000)),
		}},
		"version 2 without a group": {map[string]string{"sys/fs/cgroup/cgroup.controllers": ""}, 0, contract.Usage{}},
		"version 1 has the node's pressure": {both(v1, nodePressure), 7, contract.Usage{
			CPUSeconds: new(1.25), Periods: new(int64(10)), Throttled: new(int64(3)), ThrottledSeconds: new(2.5), CPULimit: new(2.0),
			MemoryBytes: new(int64(5)), MemoryPeakBytes: new(int64(6)),
			Pressure: map[string]float64{"node.cpu.some": 1.5, "node.memory.some": 0, "node.memory.full": 0, "node.io.some": 0.25},
		}},
		"the times of all CPUs of the machine": {map[string]string{
			"proc/stat": "cpu  1000 200 300 5000 60 7 8 90 400 50\ncpu0 1 1 1 1 1 1 1 1 0 0\nbtime 1\n",
		}, 0, contract.Usage{NodeCPUSeconds: new(15.0), NodeIRQSeconds: new(0.07), NodeSoftIRQSeconds: new(0.08), NodeStealSeconds: new(0.9)}},
		"a kernel that knows of interrupts and not of steal": {map[string]string{"proc/stat": "cpu  100 0 50 5000 1 2 3\n"}, 0,
			contract.Usage{NodeCPUSeconds: new(1.5), NodeIRQSeconds: new(0.02), NodeSoftIRQSeconds: new(0.03)}},
		"a kernel that does not know of steal": {map[string]string{"proc/stat": "cpu  100 0 50 5000\n"}, 0, contract.Usage{NodeCPUSeconds: new(1.5)}},
		"times that are no numbers":            {map[string]string{"proc/stat": "cpu  100 0 x 5000\n"}, 0, contract.Usage{}},
		"memory of the container and the node": {both(v2Inside, nodePressure, map[string]string{
			"sys/fs/cgroup/memory.pressure": "some total=2000000\nfull total=1000000\n",
			"proc/pressure/memory":          "some total=9000000\nfull total=8000000\n",
		}), 0, contract.Usage{
			CPUSeconds: new(9.5), Periods: new(int64(100)), Throttled: new(int64(7)), ThrottledSeconds: new(1.5), CPULimit: new(1.5), MemoryLimitBytes: new(int64(1 << 30)),
			MemoryBytes: new(int64(1000)), MemoryPeakBytes: new(int64(2000)),
			Pressure: map[string]float64{"cpu.some": 3e-6, "cpu.full": 2, "io.some": 0, "memory.some": 2, "memory.full": 1, "node.memory.some": 9, "node.memory.full": 8},
		}},
		"what is garbage is absent": {v1Partly, 0, contract.Usage{MemoryBytes: new(int64(5)), MemoryLimitBytes: new(int64(4096))}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			got := reader(t, tc.files).Usage(tc.pid)
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreFields(contract.Usage{}, "At")); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
			if got.At.Before(begin) || got.At.After(time.Now()) {
				t.Errorf("at %s, want now", got.At)
			}
		})
	}
}

// Where the kernel counts the time of interrupts shows in what it has of their pressure.
func TestInterruptTime(t *testing.T) {
	const release, cpu, irq = "proc/sys/kernel/osrelease", "proc/pressure/cpu", "proc/pressure/irq"
	tests := map[string]struct {
		files map[string]string
		want  string
	}{
		"a kernel without the option":                      {map[string]string{release: "6.18.44-fc-v657\n", cpu: "some total=1\n"}, contract.InterruptsInTasks},
		"a kernel with it":                                 {map[string]string{release: "6.12.0-1\n", cpu: "some total=1\n", irq: "full avg10=0.00 avg60=0.00 avg300=0.00 total=5\n"}, contract.InterruptsApart},
		"a kernel with it, whose clock is not good enough": {map[string]string{release: "6.12.0-1\n", cpu: "some total=1\n", irq: "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"}, contract.InterruptsInTasks},
		"a kernel that refuses to show it":                 {map[string]string{release: "6.5.0\n", cpu: "some total=1\n", irq: ""}, contract.InterruptsInTasks},
		"a kernel that is too old to show it":              {map[string]string{release: "5.15.0-119-generic\n", cpu: "some total=1\n"}, ""},
		"a kernel without pressure":                        {map[string]string{release: "6.12.0-1\n"}, ""},
		"nothing":                                          {nil, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := reader(t, tc.files).Machine().InterruptTime; got != tc.want {
				t.Errorf("interrupts are %q, want %q", got, tc.want)
			}
		})
	}
}

func TestMachine(t *testing.T) {
	tests := map[string]struct {
		files map[string]string
		want  contract.Machine
	}{
		"nothing is known without files": {nil, contract.Machine{}},
		"a node": {
			map[string]string{
				"proc/sys/kernel/osrelease": "6.12.0-1\n",
				"proc/cpuinfo": "processor\t: 0\nmodel name\t: A CPU @ 2.5GHz\nmicrocode\t: 0xd000404\nflags\t\t: a b\n\n" +
					"processor\t: 1\nmodel name\t: Another\nmicrocode\t: 0x1\n",
				"proc/meminfo":                   "MemTotal:       16384 kB\nMemFree:  1 kB\nHugePages_Total:     512\nHugePages_Free:      500\nHugePages_Rsvd:        0\nHugepagesize:       2048 kB\nHugetlb:         1048576 kB\n",
				"proc/sys/kernel/random/boot_id": "618eccf9-c1fa-4832-9b98-da8d3f638c28\n",
				"proc/stat":                      "cpu  1 2 3\nbtime 1700000000\nprocesses 5\n",
				"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor":              "performance\n",
				"sys/devices/system/clocksource/clocksource0/current_clocksource":   "tsc\n",
				"sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet\n",
				"sys/kernel/mm/transparent_hugepage/enabled":                        "always [madvise] never\n",
				"sys/devices/system/cpu/online":                                     "0-3,8,10-11\n",
				"sys/devices/system/node/online":                                    "0-1\n",
				"sys/devices/system/cpu/cpuidle/current_driver":                     "intel_idle\n",
				"sys/devices/system/cpu/cpu0/cpuidle/state0/name":                   "POLL\n",
				"sys/devices/system/cpu/cpu0/cpuidle/state0/disable":                "0\n",
				"sys/devices/system/cpu/cpu0/cpuidle/state1/name":                   "C1\n",
				"sys/devices/system/cpu/cpu0/cpuidle/state1/disable":                "0\n",
				"sys/devices/system/cpu/cpu0/cpuidle/state2/name":                   "C6\n",
				"sys/devices/system/cpu/cpu0/cpuidle/state2/disable":                "1\n",
			},
			contract.Machine{
				Kernel: "6.12.0-1", CPUModel: "A CPU @ 2.5GHz", Microcode: "0xd000404", Governor: "performance", Clocksource: "tsc",
				HugePages: "madvise", HugePageBytes: new(int64(2 << 20)), HugePagesSetAsideBytes: new(int64(1 << 30)), IdleStates: "intel_idle: POLL, C1", NUMANodes: new(int64(2)), CPUs: new(int64(7)), MemoryBytes: new(int64(16 << 20)),
				BootID: "618eccf9-c1fa-4832-9b98-da8d3f638c28", BootTime: new(time.Unix(1700000000, 0).UTC()),
			},
		},
		"a virtual machine": {
			map[string]string{"sys/devices/system/cpu/cpuidle/current_driver": "none\n", "sys/devices/system/node/online": "0\n"},
			contract.Machine{IdleStates: "none", NUMANodes: new(int64(1))},
		},
		"files that hold something else": {
			map[string]string{
				"sys/devices/system/cpu/cpu0/cpuidle/state0/name": "POLL", "sys/devices/system/node/online": "x",
				"proc/cpuinfo": "Processor: ARM\n", "proc/meminfo": "MemTotal: much\n", "proc/stat": "btime\n",
				"sys/kernel/mm/transparent_hugepage/enabled": "never", "sys/devices/system/cpu/online": "3-0",
			},
			contract.Machine{},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, reader(t, tc.files).Machine()); diff != "" {
				t.Errorf("machine (-want +got):\n%s", diff)
			}
		})
	}
}

func TestThisMachineIsKnown(t *testing.T) {
	var r Reader
	m, u := r.Machine(), r.Usage(os.Getpid())
	if m.Kernel == "" || m.CPUs == nil || m.MemoryBytes == nil || m.BootTime == nil || !m.BootTime.Before(time.Now()) {
		t.Errorf("machine %+v", m)
	}
	if u.VoluntarySwitches == nil || u.InvoluntarySwitches == nil {
		t.Errorf("usage %+v has no context switches of this process", u)
	}
}

func FuzzText(f *testing.F) {
	for _, text := range []string{"0-3,8", "some avg10=0.00 total=5\nfull total=6", "always [madvise] never", "", "-", "5-", "total=", "]["} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if n := countList(text); n != nil && *n < 1 {
			t.Errorf("a list of %d", *n)
		}
		for kind := range totals(text) {
			if kind != "some" && kind != "full" {
				t.Errorf("a pressure of kind %q", kind)
			}
		}
		_ = chosen(text)
	})
}
