package environment

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// hyperthreads are 8 CPUs in 4 cores on 2 NUMA nodes, numbered as x86 servers do: the second threads follow all first ones.
var hyperthreads = map[string]string{
	"sys/devices/system/cpu/online":                             "0-7\n",
	"sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "0,4\n",
	"sys/devices/system/cpu/cpu1/topology/thread_siblings_list": "1,5\n",
	"sys/devices/system/cpu/cpu2/topology/thread_siblings_list": "2,6\n",
	"sys/devices/system/cpu/cpu3/topology/thread_siblings_list": "3,7\n",
	"sys/devices/system/cpu/cpu4/topology/thread_siblings_list": "0,4\n",
	"sys/devices/system/cpu/cpu5/topology/thread_siblings_list": "1,5\n",
	"sys/devices/system/cpu/cpu6/topology/thread_siblings_list": "2,6\n",
	"sys/devices/system/cpu/cpu7/topology/thread_siblings_list": "3,7\n",
	"sys/devices/system/node/online":                            "0-1\n",
	"sys/devices/system/node/node0/cpulist":                     "0-1,4-5\n",
	"sys/devices/system/node/node1/cpulist":                     "2-3,6-7\n",
	"proc/self/cgroup":                                          "0::/\n",
	"sys/fs/cgroup/cgroup.controllers":                          "cpuset cpu io memory hugetlb pids\n",
	"sys/fs/cgroup/cpu.stat":                                    "usage_usec 1\n",
}

func TestTheCPUsOfAGroup(t *testing.T) {
	group := func(set string) map[string]string {
		return both(hyperthreads, map[string]string{"sys/fs/cgroup/cpuset.cpus.effective": set + "\n"})
	}
	without := func(files map[string]string, names ...string) map[string]string {
		for _, name := range names {
			delete(files, name)
		}
		return files
	}
	tests := map[string]struct {
		files map[string]string
		want  *contract.CPUGroup
	}{
		"a whole core of the static policy":  {group("1,5"), &contract.CPUGroup{CPUs: "1,5", Cores: "1,5", Nodes: "0"}},
		"the shared pool":                    {group("0,2-4,6-7"), &contract.CPUGroup{CPUs: "0,2-4,6-7", Cores: "0,2-4,6-7", Nodes: "0-1"}},
		"all CPUs, without a policy":         {group("0-7"), &contract.CPUGroup{CPUs: "0-7", Cores: "0-7", Nodes: "0-1"}},
		"halves of two cores":                {group("2-3"), &contract.CPUGroup{CPUs: "2-3", Cores: "2-3,6-7", Nodes: "1"}},
		"a core and a half, on two nodes":    {group("1-2,5"), &contract.CPUGroup{CPUs: "1-2,5", Cores: "1-2,5-6", Nodes: "0-1"}},
		"a group without the controller":     {hyperthreads, nil},
		"a list that nobody understands":     {group("all"), nil},
		"a CPU whose core is not shown":      {without(group("1,5"), "sys/devices/system/cpu/cpu5/topology/thread_siblings_list"), &contract.CPUGroup{CPUs: "1,5", Nodes: "0"}},
		"a CPU whose NUMA node is not shown": {without(group("1-2"), "sys/devices/system/node/node1/cpulist"), &contract.CPUGroup{CPUs: "1-2", Cores: "1-2,5-6"}},
		"a machine without NUMA nodes":       {without(group("1,5"), "sys/devices/system/node/online"), &contract.CPUGroup{CPUs: "1,5", Cores: "1,5"}},
		"version 1": {both(without(group("0-7"), "sys/fs/cgroup/cgroup.controllers"), v1, map[string]string{
			"sys/fs/cgroup/cpuset/docker/1/cpuset.effective_cpus": "2,6\n", "sys/fs/cgroup/cpuset/cpuset.effective_cpus": "0-7\n",
		}), &contract.CPUGroup{CPUs: "2,6", Cores: "2,6", Nodes: "1"}},
		"a process that keeps to a part of its group": {both(group("0-7"), map[string]string{"proc/self/status": "Cpus_allowed_list:\t0,4\n"}),
			&contract.CPUGroup{CPUs: "0-7", Cores: "0-7", Nodes: "0-1"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, reader(t, tc.files).Limits().CPUGroup); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The files are named as the kernel names them (Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/hugetlb.rst).
func TestHugePagesOfAGroup(t *testing.T) {
	v2 := map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cgroup.controllers": "cpu memory hugetlb\n", "sys/fs/cgroup/cpu.stat": "usage_usec 1\n"}
	one := map[string]string{"proc/self/cgroup": "9:hugetlb:/docker/1\n4:cpu,cpuacct:/docker/1\n"}
	tests := map[string]struct {
		files             map[string]string
		touched, reserved *int64
	}{
		"version 2": {both(v2, map[string]string{
			"sys/fs/cgroup/hugetlb.2MB.current": "419430400\n", "sys/fs/cgroup/hugetlb.2MB.rsvd.current": "553648128\n",
			"sys/fs/cgroup/hugetlb.2MB.max": "1073741824\n", "sys/fs/cgroup/hugetlb.2MB.events": "max 0\n",
			"sys/fs/cgroup/hugetlb.1GB.current": "0\n", "sys/fs/cgroup/hugetlb.1GB.rsvd.current": "0\n",
		}), new(int64(419430400)), new(int64(553648128))},
		"pages of 1 GiB": {both(v2, map[string]string{
			"sys/fs/cgroup/hugetlb.2MB.current": "0\n", "sys/fs/cgroup/hugetlb.1GB.current": "2147483648\n",
		}), new(int64(2147483648)), nil},
		"none in use":                    {both(v2, map[string]string{"sys/fs/cgroup/hugetlb.2MB.current": "0\n"}), new(int64(0)), nil},
		"a group without the controller": {v2, nil, nil},
		"a number that is none":          {both(v2, map[string]string{"sys/fs/cgroup/hugetlb.2MB.current": "max\n"}), nil, nil},
		"version 1": {both(one, map[string]string{
			"sys/fs/cgroup/hugetlb/docker/1/hugetlb.2MB.usage_in_bytes":      "419430400\n",
			"sys/fs/cgroup/hugetlb/docker/1/hugetlb.2MB.rsvd.usage_in_bytes": "553648128\n",
			"sys/fs/cgroup/hugetlb/docker/1/hugetlb.2MB.max_usage_in_bytes":  "600000000\n",
			"sys/fs/cgroup/hugetlb/hugetlb.2MB.usage_in_bytes":               "1\n",
		}), new(int64(419430400)), new(int64(553648128))},
		"version 1 without what is reserved, in a namespace of its own": {both(one, map[string]string{
			"sys/fs/cgroup/hugetlb/hugetlb.2MB.usage_in_bytes": "2097152\n",
		}), new(int64(2097152)), nil},
		"version 1 without the controller": {v1, nil, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			u := reader(t, tc.files).Usage(0)
			if diff := cmp.Diff([]*int64{tc.touched, tc.reserved}, []*int64{u.HugePagesBytes, u.HugePagesReservedBytes}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
