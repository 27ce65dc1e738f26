package supervisor_test

import (
	"net"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/agent/environment"
	"github.com/assay-bench/assay/internal/agent/toolwire"
	"github.com/assay-bench/assay/internal/ground/contract"
)

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
	if w, err := c.Window(t.Context(), from, time.Now()); err != nil || w.Samples == nil || !w.Samples.Before.At.Before(w.Samples.After.At) {
		t.Errorf("window %+v, %v", w, err)
	}
	if w, err := c.Window(t.Context(), from.Add(-time.Hour), from.Add(-time.Minute)); err != nil || w.Samples != nil {
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

func TestAToolIsKeptToItsCPUs(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("this machine has one CPU")
	}
	all := newContainerOn(t, &contract.CPUs{Machines: []string{"another"}, Servers: 1, Clients: 1}).hello.Limits.CPUSet
	part := newContainerOn(t, &contract.CPUs{Machines: []string{environment.Reader{}.Machine().BootID}, Servers: 1, Clients: 1}).hello.Limits.CPUSet
	if part == "" || part == all {
		t.Errorf("the tool may run on the CPUs %q of a machine that is divided, and on %q of another one", part, all)
	}
}
