// Package supervise starts child processes, ends them, and collects the ones
// that nobody waits for, as process 1 of a container has to.
//
// Every child leads a process group of its own: what it starts ends with it.
package supervise

import (
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// outputDelay is how long output is read after a child ended while one of its
// own children keeps the pipe open.
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

// own are the children that somebody waits for, by process number. There is one
// list in a process, because Reap finds every zombie of the process, whoever
// started it: with a list per Children, one would take the exit codes of another.
var own = struct {
	sync.Mutex
	pids map[int]bool
}{pids: map[int]bool{}}

// Children starts the processes of one agent.
type Children struct{}

// Process is one child.
type Process struct {
	pid   int
	done  chan struct{}
	exit  Exit
	usage *syscall.Rusage
}

// Start starts a command in its own process group and waits for it in the background.
func (c *Children) Start(cmd *exec.Cmd) (*Process, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = outputDelay
	// Under the lock, so that Reap never takes a child that ended at once for one
	// that nobody waits for.
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
	// An error says no more than the state does, except that output was cut.
	_ = cmd.Wait()
	p.exit = exitOf(cmd)
	if cmd.ProcessState != nil {
		p.usage, _ = cmd.ProcessState.SysUsage().(*syscall.Rusage)
	}
	own.Lock()
	delete(own.pids, p.pid)
	own.Unlock()
	close(p.done)
}

func exitOf(cmd *exec.Cmd) Exit {
	if cmd.ProcessState == nil {
		// Somebody else in this process took the exit code.
		return Exit{Code: -1}
	}
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return Exit{Code: -1, Signal: signalName(status.Signal())}
	}
	return Exit{Code: cmd.ProcessState.ExitCode()}
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

// Usage is what the kernel counted of the process over its life, all its threads
// included; nil if the kernel did not say. It waits for the end.
func (p *Process) Usage() *syscall.Rusage {
	<-p.done
	return p.usage
}

// Stop asks the process group to end, and after the grace kills it. It returns
// how the process ended, and whether it had to be killed.
func (p *Process) Stop(grace time.Duration) (exit Exit, killed bool) {
	p.signal(syscall.SIGTERM)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		killed = true
	}
	// Also after an ordinary end: what the process started may still be there.
	p.signal(syscall.SIGKILL)
	return p.Exit(), killed
}

// signal goes to the group. It exists as long as a member lives, also when its
// leader has ended; no new process can take its number meanwhile.
func (p *Process) signal(s syscall.Signal) {
	if err := syscall.Kill(-p.pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
		// Only EPERM is left, for a child that changed its user: there are none.
		return
	}
}

// signalName is the name of the signals that end processes in practice.
func signalName(s syscall.Signal) string {
	names := map[syscall.Signal]string{
		syscall.SIGABRT: "SIGABRT", syscall.SIGALRM: "SIGALRM", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE",
		syscall.SIGHUP: "SIGHUP", syscall.SIGILL: "SIGILL", syscall.SIGINT: "SIGINT", syscall.SIGKILL: "SIGKILL",
		syscall.SIGPIPE: "SIGPIPE", syscall.SIGQUIT: "SIGQUIT", syscall.SIGSEGV: "SIGSEGV", syscall.SIGSYS: "SIGSYS",
		syscall.SIGTERM: "SIGTERM", syscall.SIGUSR1: "SIGUSR1", syscall.SIGUSR2: "SIGUSR2",
		syscall.SIGXCPU: "SIGXCPU", syscall.SIGXFSZ: "SIGXFSZ",
	}
	if name, ok := names[s]; ok {
		return name
	}
	return fmt.Sprintf("signal %d", int(s))
}
