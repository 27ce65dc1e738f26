package environment

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// mounts of a database pod: the volume, a tmpfs, and a mount that hides another.
const mounts = `1010 840 0:190 / / ro,relatime master:300 - overlay overlay rw,lowerdir=/l/1:/l/2,upperdir=/u
1011 1010 0:192 / /proc rw,nosuid - proc proc rw
1012 1010 254:1 /var/lib/kubelet/pods/x/volume /var/lib/assay/data rw,noatime master:1 - ext4 /dev/nvme1n1 rw,discard,errors=remount-ro
1013 1010 0:200 / /var/lib/assay/data/tmp\040dir rw,relatime - tmpfs tmpfs rw,size=65536k
1014 1010 0:201 / /mnt rw - tmpfs one rw
1015 1010 0:202 / /mnt rw - xfs /dev/two rw
garbage
1016 1010 0:203 /
`

func first(s contract.Storage, _ string) contract.Storage { return s }

func TestMountOf(t *testing.T) {
	tests := map[string]struct {
		dir  string
		want contract.Storage
	}{
		"the volume itself": {"/var/lib/assay/data", contract.Storage{Filesystem: "ext4", Device: "/dev/nvme1n1", Options: "rw,noatime,discard,errors=remount-ro"}},
		"a directory of it": {"/var/lib/assay/data/db", contract.Storage{Filesystem: "ext4", Device: "/dev/nvme1n1", Options: "rw,noatime,discard,errors=remount-ro"}},
		"one beside it":     {"/var/lib/assay/database", contract.Storage{Filesystem: "overlay", Device: "overlay", Options: "ro,relatime,rw,lowerdir=/l/1:/l/2,upperdir=/u"}},
		"a blank in a name": {"/var/lib/assay/data/tmp dir/x", contract.Storage{Filesystem: "tmpfs", Device: "tmpfs", Options: "rw,relatime,size=65536k"}},
		"the later of two":  {"/mnt/x", contract.Storage{Filesystem: "xfs", Device: "/dev/two", Options: "rw"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, first(mountOf(mounts, tc.dir))); diff != "" {
				t.Errorf("storage (-want +got):\n%s", diff)
			}
		})
	}
	if got, _ := mountOf("", "/x"); got != (contract.Storage{}) {
		t.Errorf("without mounts there is %+v", got)
	}
}

func TestStorageOfThisMachine(t *testing.T) {
	s := Reader{}.Storage(t.TempDir())
	if s.Filesystem == "" || s.Options == "" || s.SizeBytes == nil || s.FreeBytes == nil || *s.FreeBytes > *s.SizeBytes {
		t.Errorf("storage %+v", s)
	}
	if s := (Reader{}).Storage("/nonexistent"); s.SizeBytes != nil || s.FreeBytes != nil {
		t.Errorf("a directory that is missing has a size: %+v", s)
	}
}

func FuzzMountOf(f *testing.F) {
	f.Add(mounts, "/mnt")
	f.Add(`1 2 3 4 /a\0 rw - x y`, "/a")
	f.Fuzz(func(t *testing.T, text, dir string) {
		s, _ := mountOf(text, dir)
		if s.Filesystem != "" && !strings.Contains(text, s.Filesystem) {
			t.Errorf("the file system %q is not in the text", s.Filesystem)
		}
	})
}
