package supervise

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/test/helpers/hang"
)

// helperEnv makes the test binary play a child process.
const helperEnv = "ASSAY_TEST_HELPER"

func TestMain(m *testing.M) {
	switch os.Getenv(helperEnv) {
	case "":
		os.Exit(m.Run())
	case "exit7":
		os.Exit(7)
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Minute)
	case "clean":
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, syscall.SIGTERM)
		fmt.Println("up")
		<-stop
		fmt.Println("bye")
		os.Exit(0)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("up")
		time.Sleep(time.Minute)
	case "parent":
		// Leaves a child behind, which ignores SIGTERM and holds the output open.
		child := exec.Command(os.Args[0])
		child.Env = []string{helperEnv + "=stubborn"}
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			os.Exit(1)
		}
		fmt.Println("child", child.Process.Pid)
		time.Sleep(time.Minute)
	}
}

// start starts a helper and waits for its first line, if it prints one.
func start(t *testing.T, helper string) (*Process, *Log) {
	t.Helper()
	up := make(chan string, 16)
	log := &Log{Out: io.Discard, Keep: 1 << 10, Observe: func(line string) {
		select {
		case up <- line:
		default:
		}
	}}
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{helperEnv + "=" + helper}
	cmd.Stdout, cmd.Stderr = log, log
	p, err := Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.signal(syscall.SIGKILL) })
	select {
	case <-up:
	case <-p.Done():
	case <-time.After(hang.Limit):
		t.Fatal("the helper printed nothing")
	}
	return p, log
}

func TestEndOfAProcess(t *testing.T) {
	tests := map[string]struct {
		helper string
		want   Exit
	}{
		"an exit code is kept":         {"exit7", Exit{Code: 7}},
		"the name of a signal is kept": {"kill", Exit{Code: -1, Signal: "SIGKILL"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p, _ := start(t, tc.helper)
			if diff := cmp.Diff(tc.want, p.Exit()); diff != "" {
				t.Errorf("exit (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStop(t *testing.T) {
	t.Run("a process that ends by itself is not killed", func(t *testing.T) {
		p, log := start(t, "clean")
		exit, killed := p.Stop(hang.Limit)
		if exit != (Exit{}) || killed {
			t.Errorf("exit %v, killed %v; want code 0, not killed", exit, killed)
		}
		if diff := cmp.Diff([]string{"up", "bye"}, log.Tail()); diff != "" {
			t.Errorf("output (-want +got):\n%s", diff)
		}
	})
	t.Run("a process that ignores SIGTERM is killed after the grace", func(t *testing.T) {
		p, _ := start(t, "stubborn")
		begin := time.Now()
		exit, killed := p.Stop(100 * time.Millisecond)
		if exit.Signal != "SIGKILL" || !killed {
			t.Errorf("exit %v, killed %v; want SIGKILL, killed", exit, killed)
		}
		if took := time.Since(begin); took < 100*time.Millisecond {
			t.Errorf("killed after %s, before the grace was over", took)
		}
	})
	t.Run("what the process started ends with it", func(t *testing.T) {
		p, log := start(t, "parent")
		var child int
		if _, err := fmt.Sscanf(strings.Join(log.Tail(), "\n"), "child %d", &child); err != nil {
			if _, err := fmt.Sscanf(log.Tail()[len(log.Tail())-1], "child %d", &child); err != nil {
				t.Skipf("the child was faster than its parent: %q", log.Tail())
			}
		}
		p.Stop(time.Second)
		for end := time.Now().Add(hang.Limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if err := syscall.Kill(child, 0); errors.Is(err, syscall.ESRCH) || isZombieOf(1, child) {
				return
			}
		}
		t.Errorf("process %d is still there", child)
	})
}

func TestStartOfAMissingProgramFails(t *testing.T) {
	_, err := Start(exec.Command("/no/such/program"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want ErrNotExist", err)
	}
}

func TestReapCollectsWhatNobodyWaitsFor(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); Reap(ctx) }()
	defer func() { cancel(); <-done }()

	// Started past Start, as an adopted orphan would be.
	orphan, err := os.StartProcess(os.Args[0], os.Args[:1], &os.ProcAttr{Env: []string{helperEnv + "=exit7"}})
	if err != nil {
		t.Fatal(err)
	}
	own, _ := start(t, "exit7")
	if got := own.Exit(); got.Code != 7 {
		t.Errorf("the exit code of an own child is %v, want 7: it was taken away", got)
	}
	for end := time.Now().Add(hang.Limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err := syscall.Kill(orphan.Pid, 0); errors.Is(err, syscall.ESRCH) {
			return
		}
		// A signal that came before Reap listened is lost; another child gives another.
		p, _ := start(t, "exit7")
		p.Exit()
	}
	t.Error("the orphan is still a zombie")
}

func TestLogKeepsTheLastLines(t *testing.T) {
	var out bytes.Buffer
	var seen []string
	log := &Log{Out: &out, Keep: 12, Observe: func(line string) { seen = append(seen, line) }}
	for _, part := range []string{"one\ntw", "o\r\nthree\nfo", "ur"} {
		if _, err := log.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"two", "three", "four"}, log.Tail()); diff != "" {
		t.Errorf("tail (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"one", "two", "three"}, seen); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
	if got := out.String(); got != "one\ntwo\r\nthree\nfour" {
		t.Errorf("passed on %q", got)
	}
}

func TestLogBoundsALineWithoutEnd(t *testing.T) {
	log := &Log{Out: io.Discard, Keep: 100}
	for range 100 {
		_, _ = log.Write(bytes.Repeat([]byte("x"), 10000))
	}
	total := 0
	for _, line := range log.Tail() {
		total += len(line)
	}
	if total > 2*maxLine {
		t.Errorf("%d bytes are held, want at most %d", total, 2*maxLine)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	path := dir + "/assay-test-program"
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := Find([]string{"assay-test-missing", "assay-test-program"}, "/nonexistent", dir)
	if err != nil || got != path {
		t.Errorf("Find = %q, %v; want %q", got, err, path)
	}
	if _, err := Find([]string{"assay-test-missing"}, dir); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

// Whoever reaps must never take the exit code that another waits for.
func TestReapingLeavesTheChildrenOfOthers(t *testing.T) {
	go Reap(t.Context())
	go Reap(t.Context())
	for range 50 {
		p, _ := start(t, "exit7")
		if got := p.Exit(); got != (Exit{Code: 7}) {
			t.Fatalf("the child %s, want code 7", got)
		}
	}
}
