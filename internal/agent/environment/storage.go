package environment

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Storage describes the file system of a directory: the mount with the longest prefix of its
// path, and of two mounts at the same place the later one.
func (r Reader) Storage(dir string) contract.Storage {
	f := r.files()
	s, device := mountOf(f.text("proc/self/mountinfo"), dir)
	s.WriteCache = writeCache(f, device)
	var stat unix.Statfs_t
	if unix.Statfs(f.path(dir), &stat) == nil {
		s.SizeBytes = new(int64(stat.Blocks) * stat.Bsize)
		s.FreeBytes = new(int64(stat.Bavail) * stat.Bsize)
	}
	return s
}

// mountOf reads lines of /proc/self/mountinfo (proc_pid_mountinfo(5)):
//
//	36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
//
// The options are those of the mount and, where they differ, those of the file system.
//
// The device is its number, such as 98:0.
func mountOf(text, dir string) (s contract.Storage, device string) {
	longest := -1
	for line := range strings.Lines(text) {
		mount, system, found := strings.Cut(strings.TrimSpace(line), " - ")
		place, of := strings.Fields(mount), strings.Fields(system)
		if !found || len(place) < 6 || len(of) < 2 {
			continue
		}
		at := unescape(place[4])
		if !below(dir, at) || len(at) < longest {
			continue
		}
		longest = len(at)
		device = place[2]
		s = contract.Storage{Filesystem: of[0], Device: unescape(of[1]), Options: place[5]}
		if len(of) > 2 {
			s.Options = join(place[5], of[2])
		}
	}
	return s, device
}

// writeCache is the cache mode of a block device, as the kernel reports it. A partition uses
// the queue of its disk, one level higher. Numbers that begin with 0 are those of file systems
// without a device (tmpfs, overlay, btrfs).
func writeCache(f files, device string) string {
	if device == "" || strings.Contains(device, "/") {
		return ""
	}
	// Behind the link is the disk, or a partition below its disk.
	at, err := filepath.EvalSymlinks(f.path("sys/dev/block/" + device))
	if err != nil {
		return ""
	}
	for _, dir := range []string{at, filepath.Dir(at)} {
		text, err := os.ReadFile(filepath.Join(dir, "queue/write_cache"))
		if err != nil {
			continue
		}
		switch strings.TrimSpace(string(text)) {
		case "write back":
			return contract.WriteBack
		case "write through":
			return contract.WriteThrough
		}
	}
	return ""
}

func below(dir, at string) bool {
	return at == "/" || dir == at || strings.HasPrefix(dir, at+"/")
}

// join adds those of the second options that the first do not have.
func join(first, second string) string {
	all := strings.Split(first, ",")
	for o := range strings.SplitSeq(second, ",") {
		if !slices.Contains(all, o) {
			all = append(all, o)
		}
	}
	return strings.Join(all, ",")
}

// unescape decodes blanks and other characters, which the kernel writes as \040.
func unescape(text string) string {
	plain, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
	if err != nil {
		return text
	}
	return plain
}
