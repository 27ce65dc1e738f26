package supervisor_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/agent/supervisor"
	"github.com/assay-bench/assay/internal/agent/toolside"
	"github.com/assay-bench/assay/internal/agent/toolwire"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// roleEnv makes the test binary play a supervisor or a tool. A supervisor finds its paths in
// socketEnv and workEnv.
const (
	roleEnv   = "ASSAY_TEST_ROLE"
	socketEnv = "ASSAY_TEST_SOCKET"
	workEnv   = "ASSAY_TEST_WORK"
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "":
		os.Exit(m.Run())
	case "supervisor":
		err := supervisor.Run(context.Background(), supervisor.Options{
			Socket: os.Getenv(socketEnv), Work: os.Getenv(workEnv), Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		tools[os.Getenv(roleEnv)]()
	}
}

// tools that the test binary plays.
var tools = map[string]func(){
	"says": func() {
		dir, _ := os.Getwd()
		secret, err := os.ReadFile("secret.cfg")
		fmt.Println("parent", os.Getppid(), "dir", dir, "home", os.Getenv("HOME"), "locale", os.Getenv("LC_ALL"), "option", os.Getenv("OPTION"))
		fmt.Fprintln(os.Stderr, os.Args[1:], string(secret), err)
		os.Exit(7)
	},
	"instant": func() { fmt.Println(int64(toolwire.Now())) },
	"stubborn": func() {
		signal.Ignore(syscall.SIGTERM)
		child := exec.Command(os.Args[0])
		child.Env = []string{roleEnv + "=sleeps"}
		if err := child.Start(); err == nil {
			fmt.Println(child.Process.Pid)
		}
		time.Sleep(time.Minute)
	},
	"sleeps": func() { time.Sleep(time.Minute) },
	"talks": func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			fmt.Println("you said " + lines.Text())
		}
		fmt.Fprintln(os.Stderr, "the end of input")
	},
	// A tool that wants the agent to read what is not its own, or to wait for ever.
	"lures": func() {
		_ = os.Symlink(os.Getenv("SECRET"), "token.hdr")
		_ = os.Symlink("..", "up")
		_ = syscall.Mkfifo("pipe.hdr", 0o600)
		_ = os.WriteFile("good.hdr", []byte("good"), 0o600)
	},
	"huge": func() {
		f, err := os.Create("huge.hdr")
		if err != nil || f.Truncate(1<<40) != nil {
			os.Exit(1)
		}
	},
	"many": func() {
		for i := range toolwire.MaxFiles + 1 {
			_ = os.WriteFile(fmt.Sprintf("%d.hdr", i), nil, 0o600)
		}
	},
	// A tool that changes what it wrote after its end has been noticed: its name is that of a
	// link now.
	"swaps": func() { _ = os.WriteFile("swap.hdr", []byte("1234"), 0o600) },
}

// container is a supervisor in a process of its own.
type container struct {
	*toolside.Side
	socket, work string
	process      *exec.Cmd
	hello        toolwire.Hello
}

func newContainer(t testing.TB) *container {
	t.Helper()
	return newContainerOn(t, nil)
}

// newContainerOn keeps the supervisor to a part of the machine; nil for all of it.
func newContainerOn(t testing.TB, cpus *contract.CPUs) *container {
	t.Helper()
	// The names of tests are too long for a socket.
	dir, err := os.MkdirTemp("", "tool")
	if err != nil {
		t.Fatal(err)
	}
	c := &container{socket: filepath.Join(dir, "s"), work: t.TempDir()}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if c.Side, err = toolside.Listen(c.socket, hang.Limit); err != nil {
		t.Fatal(err)
	}
	c.process = exec.Command(os.Args[0])
	c.process.Env = append(os.Environ(), roleEnv+"=supervisor", socketEnv+"="+c.socket, workEnv+"="+c.work)
	c.process.Dir, c.process.Stderr = t.TempDir(), os.Stderr
	if err := c.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		if err := c.process.Wait(); err != nil && c.process.ProcessState.ExitCode() >= 0 {
			t.Errorf("the supervisor: %v", err)
		}
	})
	if c.hello, err = c.Wait(t.Context(), cpus); err != nil {
		t.Fatal(err)
	}
	return c
}

// prepare a tool of this binary.
func (c *container) prepare(t testing.TB, tool string, change func(*toolwire.Command)) {
	t.Helper()
	command := toolwire.Command{Path: os.Args[0], Env: map[string]string{roleEnv: tool}}
	if change != nil {
		change(&command)
	}
	if err := c.Prepare(t.Context(), "run", command); err != nil {
		t.Fatal(err)
	}
}

// start it at once.
func (c *container) start(t testing.TB) time.Time {
	t.Helper()
	started, err := c.Start(t.Context(), "run", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return started
}

// end waits for it, and fetches its output.
func (c *container) end(t testing.TB, started time.Time) (toolside.Ended, runner.Output, error) {
	t.Helper()
	ended, err := c.End(t.Context(), "run", started)
	if err != nil {
		return ended, runner.Output{}, err
	}
	out, err := c.Fetch(t.Context(), "run", ended.Files, filepath.Join(t.TempDir(), "raw"))
	return ended, out, err
}
