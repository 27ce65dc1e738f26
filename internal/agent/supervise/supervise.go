// Package supervise starts and stops child processes, and reaps orphans, as process 1 of a
// container must. In: commands. Out: their output, exit codes and usage.
//
// Every child has its own process group, so its descendants end with it.
package supervise

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// outputDelay is the maximum time to read output after the end of a child whose own children
// keep the pipe open.
const outputDelay = 5 * time.Second

// Exit is how a process ended.
type Exit struct {
	// Code is the exit code; -1 for a process that died by a signal.
	Code int
	// Signal is the name of the signal that ended it, such as SIGKILL; empty for none.
	Signal string
}

// String is for people.
func (e Exit) String() string {
	if e.Signal != "" {
		return "died by " + e.Signal
	}
	return fmt.Sprintf("exited with code %d", e.Code)
}

// own are the children with a waiter, by process number: Reap finds every zombie of the process.
var own = struct {
	sync.Mutex
	pids map[int]bool
}{pids: map[int]bool{}}

// Process is one child.
type Process struct {
	pid   int
	done  chan struct{}
	exit  Exit
	usage *syscall.Rusage
}

// Start starts a command in its own process group and waits for it in the background.
func Start(cmd *exec.Cmd) (*Process, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = outputDelay
	// Under the lock, so that Reap never reaps a child that ended at once.
	own.Lock()
	defer own.Unlock()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	p := &Process{pid: cmd.Process.Pid, done: make(chan struct{})}
	own.pids[p.pid] = true
	go wait(cmd, p)
	return p, nil
}

func wait(cmd *exec.Cmd, p *Process) {
	// The error adds nothing to the state, except that output was cut.
	_ = cmd.Wait()
	p.exit = Exit{Code: -1}
	if state := cmd.ProcessState; state != nil { // nil: another waiter in this process took the exit code
		p.exit.Code = state.ExitCode()
		if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			p.exit.Signal = cmp.Or(unix.SignalName(status.Signal()), fmt.Sprintf("signal %d", status.Signal()))
		}
		p.usage, _ = state.SysUsage().(*syscall.Rusage)
	}
	own.Lock()
	delete(own.pids, p.pid)
	own.Unlock()
	close(p.done)
}

// PID is the number of the process, also after it has ended.
func (p *Process) PID() int { return p.pid }

// Done is closed when the process has ended and its output was read.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit is how the process ended; it waits for the end.
func (p *Process) Exit() Exit {
	<-p.done
	return p.exit
}

// Usage is the kernel's usage of the process over its lifetime, including all threads; nil if
// unknown. It waits for the end.
func (p *Process) Usage() *syscall.Rusage {
	<-p.done
	return p.usage
}

// Stop terminates the process group, and kills it after the grace period. It returns how the
// process ended, and whether it was killed.
func (p *Process) Stop(grace time.Duration) (exit Exit, killed bool) {
	p.signal(syscall.SIGTERM)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		killed = true
	}
	// Also after an ordinary end: descendants may still run.
	p.signal(syscall.SIGKILL)
	return p.Exit(), killed
}

// signal sends a signal to the group. The group exists as long as a member, even without its
// leader, and its number is not reused until then.
func (p *Process) signal(s syscall.Signal) {
	_ = syscall.Kill(-p.pid, s) // it fails for a group that is gone; no child changes its user
}

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

// Find returns the path of the first of the programs that PATH or one of the
// directories has.
func Find(programs []string, dirs ...string) (string, error) {
	for _, name := range programs {
		for _, dir := range append([]string{""}, dirs...) { // first without a directory: in PATH
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return path, nil
			}
		}
	}
	return "", fmt.Errorf("%s: %w in PATH and %s", strings.Join(programs, ", "), exec.ErrNotFound, strings.Join(dirs, ", "))
}
