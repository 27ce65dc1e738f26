package environment

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// root has files of a made-up machine, and links.
func root(t *testing.T, files, links map[string]string) Reader {
	t.Helper()
	r := Reader{Root: t.TempDir()}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(r.files().path(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(r.files().path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range links {
		if err := os.MkdirAll(filepath.Dir(r.files().path(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(r.files().path(to), r.files().path(name)); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func TestWriteCache(t *testing.T) {
	const disk = "sys/devices/pci0/block/sda"
	mount := func(device string) string {
		return "36 35 " + device + " / /data rw - ext4 /dev/sda1 rw\n"
	}
	tests := map[string]struct{ mounts, cache, want string }{
		"a disk with a cache":        {mount("8:0"), "write back\n", contract.WriteBack},
		"a disk without one":         {mount("8:0"), "write through\n", contract.WriteThrough},
		"a partition of it":          {mount("8:1"), "write back\n", contract.WriteBack},
		"a file system of no device": {mount("0:50"), "write back\n", ""},
		"a word that nobody knows":   {mount("8:0"), "write sideways\n", ""},
		"a number that is none":      {mount("../8"), "write back\n", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := root(t, map[string]string{
				"proc/self/mountinfo": tc.mounts, disk + "/queue/write_cache": tc.cache, disk + "/sda1/partition": "1\n",
			}, map[string]string{"sys/dev/block/8:0": disk, "sys/dev/block/8:1": disk + "/sda1"})
			if diff := cmp.Diff(tc.want, r.Storage("/data/db").WriteCache); diff != "" {
				t.Errorf("write cache (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTCP(t *testing.T) {
	const names = "Tcp: RtoAlgorithm OutSegs RetransSegs\n"
	tests := map[string]struct {
		text       string
		sent, lost *int64
	}{
		"as kernels print it":  {"Ip: Forwarding\nIp: 1\n" + names + "Tcp: 1 2797054 160\nUdp: OutSegs\nUdp: 5\n", new(int64(2797054)), new(int64(160))},
		"no such file":         {"", nil, nil},
		"names alone":          {names, nil, nil},
		"fewer numbers":        {names + "Tcp: 1 5\n", new(int64(5)), nil},
		"something else there": {names + "Tcp: 1 x 160\n", nil, new(int64(160))},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			sent, lost := tcp(tc.text)
			if diff := cmp.Diff([]*int64{tc.sent, tc.lost}, []*int64{sent, lost}); diff != "" {
				t.Errorf("segments and those sent again (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFrequency(t *testing.T) {
	const info = "processor : 0\ncpu MHz\t\t: 2599.998\n\nprocessor : 1\ncpu MHz\t\t: 1200.5\n"
	policy := func(cpu string) string { return "sys/devices/system/cpu/" + cpu + "/cpufreq/scaling_cur_freq" }
	tests := map[string]struct {
		files map[string]string
		want  *contract.Frequency
	}{
		"what the driver says goes before": {
			map[string]string{"proc/cpuinfo": info, policy("cpu0"): "3000000\n", policy("cpu1"): "800000\n", policy("cpu10"): "2000000\n"},
			&contract.Frequency{CPUs: 3, MinMHz: 800, P50MHz: 2000, MaxMHz: 3000},
		},
		"a virtual machine":                {map[string]string{"proc/cpuinfo": info}, &contract.Frequency{CPUs: 2, MinMHz: 1200.5, P50MHz: 1200.5, MaxMHz: 2599.998}},
		"a driver that does not know":      {map[string]string{policy("cpu0"): "<unknown>\n"}, nil},
		"another architecture, no cpufreq": {map[string]string{"proc/cpuinfo": "processor : 0\nBogoMIPS : 50.00\n"}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, root(t, tc.files, nil).Frequency()); diff != "" {
				t.Errorf("frequency (-want +got):\n%s", diff)
			}
		})
	}
}

func TestThrottled(t *testing.T) {
	group := map[string]string{
		"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cgroup.controllers": "cpu\n", "sys/fs/cgroup/cpu.stat": "usage_usec 5\nnr_throttled 7\n",
	}
	if n := root(t, group, nil).Throttled()(); n == nil || *n != 7 {
		t.Errorf("throttled %v times, want 7", n)
	}
	if n := root(t, nil, nil).Throttled()(); n != nil {
		t.Errorf("throttled %d times, want none known", *n)
	}
}
