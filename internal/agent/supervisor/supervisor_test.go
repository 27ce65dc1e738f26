package supervisor_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/agent/supervisor"
	"github.com/assay-bench/assay/internal/agent/toolside"
	"github.com/assay-bench/assay/internal/agent/toolwire"
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

func newContainer(t *testing.T) *container {
	t.Helper()
	// The names of tests are too long for a socket.
	dir, err := os.MkdirTemp("", "tool")
	if err != nil {
		t.Fatal(err)
	}
	c := &container{socket: filepath.Join(dir, "s"), work: t.TempDir()}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if c.Side, err = toolside.Listen(c.socket, 20*time.Second); err != nil {
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
	if c.hello, err = c.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// prepare a tool of this binary.
func (c *container) prepare(t *testing.T, tool string, change func(*toolwire.Command)) {
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
func (c *container) start(t *testing.T) time.Time {
	t.Helper()
	started, err := c.Start(t.Context(), "run", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return started
}

// end waits for it, and fetches its output.
func (c *container) end(t *testing.T, started time.Time) (toolside.Ended, toolside.Output, error) {
	t.Helper()
	ended, err := c.End(t.Context(), "run", started)
	if err != nil {
		return ended, toolside.Output{}, err
	}
	out, err := c.Fetch(t.Context(), "run", ended.Files, filepath.Join(t.TempDir(), "raw"))
	return ended, out, err
}

func TestAToolRunsInTheProcessAndDirectoryOfItsSupervisor(t *testing.T) {
	c := newContainer(t)
	c.prepare(t, "says", func(o *toolwire.Command) {
		o.Args, o.Files = []string{"--a", "b c"}, map[string][]byte{"secret.cfg": []byte("top")}
		o.Env["OPTION"] = "o"
	})
	sent := time.Now()
	started := c.start(t)
	ended, out, err := c.end(t, started)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(c.work, "tool")
	want := fmt.Sprintf("parent %d dir %s home %s locale C option o\n", c.process.Process.Pid, dir, dir)
	if string(out.Stdout) != want || string(out.Stderr) != "[--a b c] top <nil>\n" {
		t.Errorf("output %q and %q, want %q", out.Stdout, out.Stderr, want)
	}
	if ended.Code != 7 || ended.Signal != "" || ended.Voluntary == nil || started.Before(sent) || ended.At.Before(started) || ended.At.After(time.Now()) {
		t.Errorf("started %s, ended %+v", started, ended)
	}
}

// The start is left to the supervisor, which sleeps until the instant: the bar is that of
// docs/evidence/performance.md.
func TestAToolStartsAtItsInstant(t *testing.T) {
	c := newContainer(t)
	var late []time.Duration
	for range 20 {
		c.prepare(t, "instant", nil)
		at := time.Now().Add(50 * time.Millisecond)
		started, err := c.Start(t.Context(), "run", at)
		if err != nil {
			t.Fatal(err)
		}
		if started.Before(at) {
			t.Fatalf("started %s before its instant", at.Sub(started))
		}
		_, out, err := c.end(t, started)
		if err != nil {
			t.Fatal(err)
		}
		if mono, err := strconv.ParseInt(strings.TrimSpace(string(out.Stdout)), 10, 64); err != nil || toolwire.Instant(mono).Time(started).Before(started) {
			t.Errorf("the tool lived at %q, before it was started: %v", out.Stdout, err)
		}
		late = append(late, started.Sub(at))
	}
	slices.Sort(late)
	t.Logf("started after the instant: median %s, at most %s", late[len(late)/2], late[len(late)-1])
	if late[0] > time.Millisecond {
		t.Errorf("started %s late at best, want less than 1 ms", late[0])
	}
}

func TestAStartThatIsNoLongerWanted(t *testing.T) {
	c := newContainer(t)
	c.prepare(t, "says", nil)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Start(ctx, "run", time.Now().Add(time.Hour)); !errors.Is(err, toolside.ErrLost) {
		t.Errorf("got %v", err)
	}
	// It was not started, and the next order works.
	if _, err := c.End(t.Context(), "run", time.Now()); !errors.Is(err, toolside.ErrRefused) || !strings.Contains(err.Error(), "not started") {
		t.Errorf("got %v, want that it was not started", err)
	}
}

func TestAToolThatIsStoppedEndsWithItsChildren(t *testing.T) {
	c := newContainer(t)
	c.prepare(t, "stubborn", nil)
	started := c.start(t)
	child := awaitChild(t, c)
	if err := c.Stop(t.Context(), "run", 100*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	ended, _, err := c.end(t, started)
	if err != nil || ended.Signal != "SIGKILL" || ended.Code != -1 {
		t.Errorf("ended %+v, %v; want by SIGKILL", ended, err)
	}
	gone(t, child)
}

// The tool's container ends with the agent, and everything in it.
func TestTheEndOfTheAgentEndsTheTool(t *testing.T) {
	c := newContainer(t)
	c.prepare(t, "stubborn", nil)
	c.start(t)
	child := awaitChild(t, c)
	c.Close()
	gone(t, child)
}

// awaitChild waits until a stubborn tool has a child, and returns its process.
func awaitChild(t *testing.T, c *container) int {
	t.Helper()
	for range 1000 {
		text, _ := os.ReadFile(filepath.Join(c.work, "raw/run", toolwire.Stdout))
		if line, whole := strings.CutSuffix(string(text), "\n"); whole {
			pid, err := strconv.Atoi(line)
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the tool printed nothing")
	return 0
}

func gone(t *testing.T, pid int) {
	t.Helper()
	for range 1000 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d is still there", pid)
}

func TestADialogueThroughTheSocket(t *testing.T) {
	c := newContainer(t)
	c.prepare(t, "talks", func(o *toolwire.Command) { o.Dialogue = true })
	d, err := c.OpenDialogue(t.Context(), "run")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	started := c.start(t)
	answers := bufio.NewReader(d.Answers)
	for i := range 3 {
		if _, err := fmt.Fprintf(d.Ask, "line %d\n", i); err != nil {
			t.Fatal(err)
		}
		if got, err := answers.ReadString('\n'); err != nil || got != fmt.Sprintf("you said line %d\n", i) {
			t.Fatalf("answer %q, %v", got, err)
		}
	}
	if err := d.Ask.Close(); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(answers); err != nil || len(rest) > 0 {
		t.Errorf("after the end of input came %q, %v", rest, err)
	}
	ended, out, err := c.end(t, started)
	if err != nil || ended.Code != 0 || string(out.Stderr) != "the end of input\n" || len(out.Stdout) > 0 {
		t.Errorf("ended %+v with %q, %v", ended, out.Stderr, err)
	}
}

// The agent gets bytes, and only of files that are the tool's.
func TestLuresInTheWorkingDirectory(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	collect := func(o *toolwire.Command) { o.Collect = []string{"*.hdr", "up/*/*"}; o.Env["SECRET"] = secret }
	c := newContainer(t)
	c.prepare(t, "lures", collect)
	_, out, err := c.end(t, c.start(t))
	if diff := cmp.Diff(map[string][]byte{"good.hdr": []byte("good")}, out.Files); err != nil || diff != "" {
		t.Errorf("%v, files (-want +got):\n%s", err, diff)
	}
	// The next command finds none of them.
	c.prepare(t, "says", collect)
	if left, _ := filepath.Glob(filepath.Join(c.work, "tool/*.hdr")); len(left) > 0 {
		t.Errorf("files of the command before: %q", left)
	}
}

func TestOutputsThatAreRefused(t *testing.T) {
	for tool, want := range map[string]string{"huge": "1099511627776 bytes", "many": "257 files"} {
		c := newContainer(t)
		c.prepare(t, tool, func(o *toolwire.Command) { o.Collect = []string{"*.hdr"} })
		began := time.Now()
		_, _, err := c.end(t, c.start(t))
		if err == nil || !strings.Contains(err.Error(), want) || time.Since(began) > 10*time.Second {
			t.Errorf("%s: got %v after %s, want %q", tool, err, time.Since(began), want)
		}
	}
}

func TestAFileThatBecomesALink(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(secret, []byte("1234"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := newContainer(t)
	c.prepare(t, "swaps", func(o *toolwire.Command) { o.Collect = []string{"*.hdr"} })
	ended, err := c.End(t.Context(), "run", c.start(t))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(c.work, "tool/swap.hdr")
	if err := errors.Join(os.Remove(name), os.Symlink(secret, name)); err != nil {
		t.Fatal(err)
	}
	if out, err := c.Fetch(t.Context(), "run", ended.Files, t.TempDir()); err == nil {
		t.Errorf("a link was followed: %q", out.Files)
	}
}

func TestOrdersThatAreRefused(t *testing.T) {
	c := newContainer(t)
	prepare := func(o toolwire.Command) error { return c.Prepare(t.Context(), "other", o) }
	if err := prepare(toolwire.Command{Path: "no-such-program"}); !errors.Is(err, toolside.ErrMissing) {
		t.Errorf("a program that is missing: %v", err)
	}
	if err := prepare(toolwire.Command{Path: os.Args[0], Files: map[string][]byte{"../out": nil}}); !errors.Is(err, toolside.ErrRefused) {
		t.Errorf("a file outside: %v", err)
	}
	if err := prepare(toolwire.Command{Path: os.Args[0], Collect: []string{"["}}); !errors.Is(err, toolside.ErrRefused) || !strings.Contains(err.Error(), `the pattern "["`) {
		t.Errorf("a pattern that is none: %v", err)
	}
	if _, err := c.Start(t.Context(), "nothing", time.Time{}); !errors.Is(err, toolside.ErrRefused) {
		t.Errorf("a command that was not prepared: %v", err)
	}
	c.prepare(t, "says", nil)
	if _, err := c.OpenDialogue(t.Context(), "run"); !errors.Is(err, toolside.ErrRefused) {
		t.Errorf("a dialogue that was not prepared: %v", err)
	}
	c.start(t)
	if _, err := c.Start(t.Context(), "run", time.Time{}); !errors.Is(err, toolside.ErrRefused) {
		t.Errorf("a second start: %v", err)
	}
}

func TestTheMachineOfTheTool(t *testing.T) {
	c := newContainer(t)
	if c.hello.Version != toolwire.Version {
		t.Errorf("hello %+v", c.hello)
	}
	from := time.Now()
	for range 2 {
		if u, err := c.Usage(t.Context()); err != nil || u.At.Before(from.Add(-time.Second)) {
			t.Errorf("usage %+v, %v", u, err)
		}
		time.Sleep(600 * time.Millisecond)
	}
	if w, err := c.Window(t.Context(), from, time.Now()); err != nil || w.Before == nil || !w.Before.At.Before(w.After.At) {
		t.Errorf("window %+v, %v", w, err)
	}
	if w, err := c.Window(t.Context(), from.Add(-time.Hour), from.Add(-time.Minute)); err != nil || w.Before != nil {
		t.Errorf("a window without samples: %+v, %v", w, err)
	}
	if s, err := c.Speed(t.Context()); err != nil || s.Seconds <= 0 {
		t.Errorf("speed %+v, %v", s, err)
	}
	is, err := c.OpenFiles(t.Context())
	if err != nil || is.Now == 0 || is.Most < is.Now {
		t.Fatalf("open files %+v, %v", is, err)
	}
	if err := c.AllowFiles(t.Context(), toolwire.OpenFiles{Now: 300, Most: is.Most}); err != nil {
		t.Fatal(err)
	}
	if is, err = c.OpenFiles(t.Context()); err != nil || is.Now != 300 {
		t.Errorf("open files %+v, %v; want 300", is, err)
	}
}

func TestARelayInTheToolsContainer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	c := newContainer(t)
	port, err := c.OpenRelay(t.Context(), l.Addr().String(), 20*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port))))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := l.Accept(); err != nil || time.Since(began) < 20*time.Millisecond {
		t.Errorf("connected after %s, %v", time.Since(began), err)
	}
}

// An agent that ended before it needed a tool leaves its socket, and no pod waits for ever.
func TestASupervisorWhoseAgentHasEnded(t *testing.T) {
	dir, err := os.MkdirTemp("", "tool")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	o := supervisor.Options{Socket: filepath.Join(dir, "s"), Work: dir, Log: slog.New(slog.DiscardHandler)}
	side, err := toolside.Listen(o.Socket, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	side.Close()
	if err := supervisor.Run(t.Context(), o); !errors.Is(err, supervisor.ErrNoAgent) {
		t.Errorf("got %v, want ErrNoAgent", err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	o.Socket += "-not-yet"
	if err := supervisor.Run(ctx, o); !errors.Is(err, supervisor.ErrNoAgent) || ctx.Err() == nil {
		t.Errorf("an agent that has not come yet was not waited for: %v", err)
	}
}
