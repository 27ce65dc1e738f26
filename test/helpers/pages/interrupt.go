package pages

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/assay-bench/assay/test/helpers/hang"
)

// watched is how long a command has to go on after its first output.
const watched = time.Second

// output that is looked at while a command writes it.
type output struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buffer.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buffer.String()
}

// Interrupt a command as Ctrl-C does, once it has printed something. One that prints nothing, that ends by itself, or that goes on
// after it was interrupted is an error. Out: what it printed, on both outputs.
func (s Shell) Interrupt(t testing.TB, command string) (string, error) {
	t.Helper()
	var out output
	cmd := exec.CommandContext(t.Context(), "bash", "-c", command)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.Dir, append(os.Environ(), s.Env...), &out, &out
	// A terminal interrupts all programs of a command line.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second
	// Where this process was told to ignore the signal, as a background job is, the command would inherit that.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGINT)
	err := cmd.Start()
	signal.Stop(heard)
	if err != nil {
		return "", err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	send := func(s syscall.Signal) { _ = syscall.Kill(-cmd.Process.Pid, s) } // it may have ended meanwhile
	defer send(syscall.SIGKILL)
	end := time.After(hang.Limit)
	for tick := time.NewTicker(50 * time.Millisecond); out.String() == ""; {
		select {
		case err := <-ended:
			return out.String(), fmt.Errorf("%q ended by itself (%v): %s", command, err, out.String())
		case <-end:
			return "", fmt.Errorf("%q printed nothing in %s", command, hang.Limit)
		case <-tick.C:
		}
	}
	select {
	case err := <-ended:
		return out.String(), fmt.Errorf("%q ended by itself (%v): %s", command, err, out.String())
	case <-time.After(watched):
	}
	send(syscall.SIGINT)
	select {
	case err := <-ended:
		t.Logf("$ %s\n%s^C (%v)", strings.TrimSpace(command), out.String(), err) // how a program ends that is interrupted is its business
		return out.String(), nil
	case <-time.After(hang.Limit):
		return out.String(), fmt.Errorf("%q goes on after it was interrupted: %s", command, out.String())
	}
}
