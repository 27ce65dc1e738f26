package supervise

import (
	"bytes"
	"context"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

// Reap waits for adopted children until the context ends: process 1 inherits the orphans of
// its container, and each stays a zombie until its exit code is read.
func Reap(ctx context.Context) {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	defer signal.Stop(ended)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ended:
			reapOnce()
		}
	}
}

// reapOnce waits for zombies by their process numbers, not with wait4(-1), which would take
// the exit codes from Start's own waiters.
func reapOnce() {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return
	}
	own.Lock()
	defer own.Unlock()
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || own.pids[pid] || !isZombieOf(os.Getpid(), pid) {
			continue
		}
		// It fails only if the exit code was already read.
		_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
	}
}

func isZombieOf(parent, pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	// pid (name) state ppid ...; the name may hold blanks and parentheses.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return len(fields) > 1 && string(fields[0]) == "Z" && string(fields[1]) == strconv.Itoa(parent)
}
