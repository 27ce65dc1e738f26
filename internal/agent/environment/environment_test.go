package environment

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/engines/engine"
)

func tree(t *testing.T, files map[string]string) Reader {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Reader{Root: root}
}

func TestCgroup(t *testing.T) {
	tests := map[string]struct {
		files map[string]string
		want  engine.Cgroup
	}{
		"nothing is known without a control group": {nil, engine.Cgroup{}},
		"version 2, seen from inside the container": {
			map[string]string{
				"proc/self/cgroup":                 "0::/\n",
				"sys/fs/cgroup/cgroup.controllers": "cpu memory\n",
				"sys/fs/cgroup/cpu.stat":           "usage_usec 9\nnr_periods 100\nnr_throttled 7\nthrottled_usec 1500000\n",
				"sys/fs/cgroup/cpu.max":            "150000 100000\n",
				"sys/fs/cgroup/memory.max":         "1073741824\n",
				"sys/fs/cgroup/memory.current":     "1000\n",
				"sys/fs/cgroup/memory.peak":        "2000\n",
			},
			engine.Cgroup{
				Version: 2, CPULimit: new(1.5), Periods: new(int64(100)), Throttled: new(int64(7)), ThrottledSeconds: new(1.5),
				MemoryLimit: new(int64(1 << 30)), MemoryCurrent: new(int64(1000)), MemoryPeak: new(int64(2000)),
			},
		},
		"version 2 without limits, on a kernel without memory.peak, seen from outside": {
			map[string]string{
				"proc/self/cgroup":                           "0::/kubepods/pod1\n",
				"sys/fs/cgroup/cgroup.controllers":           "cpu memory\n",
				"sys/fs/cgroup/cpu.stat":                     "usage_usec 9\n",
				"sys/fs/cgroup/kubepods/pod1/cpu.stat":       "usage_usec 9\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n",
				"sys/fs/cgroup/kubepods/pod1/cpu.max":        "max 100000\n",
				"sys/fs/cgroup/kubepods/pod1/memory.max":     "max\n",
				"sys/fs/cgroup/kubepods/pod1/memory.current": "1000\n",
			},
			engine.Cgroup{
				Version: 2, Periods: new(int64(0)), Throttled: new(int64(0)), ThrottledSeconds: new(0.0), MemoryCurrent: new(int64(1000)),
			},
		},
		"version 1": {
			map[string]string{
				"proc/self/cgroup":                                    "9:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n1:name=systemd:/x\n",
				"sys/fs/cgroup/cpu/cpu.stat":                          "nr_periods 10\nnr_throttled 3\nthrottled_time 2500000000\n",
				"sys/fs/cgroup/cpu/cpu.cfs_quota_us":                  "200000\n",
				"sys/fs/cgroup/cpu/cpu.cfs_period_us":                 "100000\n",
				"sys/fs/cgroup/memory/memory.usage_in_bytes":          "5\n",
				"sys/fs/cgroup/memory/memory.max_usage_in_bytes":      "6\n",
				"sys/fs/cgroup/memory/memory.limit_in_bytes":          "9223372036854771712\n",
				"sys/fs/cgroup/memory/docker/2/memory.usage_in_bytes": "7\n",
			},
			engine.Cgroup{
				Version: 1, CPULimit: new(2.0), Periods: new(int64(10)), Throttled: new(int64(3)), ThrottledSeconds: new(2.5),
				MemoryCurrent: new(int64(5)), MemoryPeak: new(int64(6)),
			},
		},
		"version 1 without a CPU limit and with one of memory": {
			map[string]string{
				"proc/self/cgroup":                             "9:memory:/a\n4:cpu,cpuacct:/a\n",
				"sys/fs/cgroup/cpu/a/cpu.stat":                 "nr_periods garbage\n",
				"sys/fs/cgroup/cpu/a/cpu.cfs_quota_us":         "-1\n",
				"sys/fs/cgroup/cpu/a/cpu.cfs_period_us":        "100000\n",
				"sys/fs/cgroup/memory/a/memory.usage_in_bytes": "5\n",
				"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "4096\n",
			},
			engine.Cgroup{Version: 1, MemoryLimit: new(int64(4096)), MemoryCurrent: new(int64(5))},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tree(t, tc.files).Cgroup()); diff != "" {
				t.Errorf("cgroup (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMachine(t *testing.T) {
	r := tree(t, map[string]string{
		"proc/sys/kernel/osrelease": "6.12.0-1\n",
		"proc/cpuinfo":              "processor\t: 0\nmodel name\t: A CPU @ 2.5GHz\n\nprocessor\t: 1\nmodel name\t: Another\n",
	})
	if got := r.Kernel(); got != "6.12.0-1" {
		t.Errorf("Kernel() = %q", got)
	}
	if got := r.CPUModel(); got != "A CPU @ 2.5GHz" {
		t.Errorf("CPUModel() = %q", got)
	}
	if got := tree(t, nil).CPUModel() + tree(t, nil).Kernel(); got != "" {
		t.Errorf("without files: %q, want nothing", got)
	}
	if (Reader{}).Kernel() == "" {
		t.Error("this machine has no kernel release")
	}
}
