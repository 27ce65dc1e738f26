package environment

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/assay-bench/assay/internal/result"
)

// Storage is where a directory lies: the mount that has the longest part of its path,
// the later one of two at the same place.
func (r Reader) Storage(dir string) result.Storage {
	s := mountOf(r.text("proc/self/mountinfo"), dir)
	var stat unix.Statfs_t
	if unix.Statfs(r.path(dir), &stat) == nil {
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
func mountOf(text, dir string) result.Storage {
	var s result.Storage
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
		s = result.Storage{Filesystem: of[0], Device: unescape(of[1]), Options: place[5]}
		if len(of) > 2 {
			s.Options = join(place[5], of[2])
		}
	}
	return s
}

func below(dir, at string) bool {
	return at == "/" || dir == at || strings.HasPrefix(dir, at+"/")
}

// join adds those of the second options that the first do not have.
func join(first, second string) string {
	all := strings.Split(first, ",")
	has := map[string]bool{}
	for _, o := range all {
		has[o] = true
	}
	for o := range strings.SplitSeq(second, ",") {
		if !has[o] {
			all = append(all, o)
		}
	}
	return strings.Join(all, ",")
}

// unescape puts back blanks and the like, which the kernel writes as \040.
func unescape(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+3 < len(text) {
			if n, err := strconv.ParseUint(text[i+1:i+4], 8, 8); err == nil {
				out.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		out.WriteByte(text[i])
	}
	return out.String()
}
