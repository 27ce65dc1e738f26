package supervisor

import (
	"fmt"
	"net/http"
	"syscall"
	"time"

	"github.com/assay-bench/assay/internal/agent/relay"
	"github.com/assay-bench/assay/internal/agent/toolwire"
	"github.com/assay-bench/assay/internal/trial/machinespeed"
)

// hello says who is here.
func (s *Supervisor) hello(w http.ResponseWriter, _ *http.Request) error {
	return answer(w, toolwire.Hello{Version: toolwire.Version, Limits: s.machine.Limits()})
}

// usage takes a sample of this container's counters.
func (s *Supervisor) usage(w http.ResponseWriter, _ *http.Request) error {
	return answer(w, s.sampler.Sample())
}

// window has the samples inside a window, which the parameters from and to give.
func (s *Supervisor) window(w http.ResponseWriter, r *http.Request) error {
	from, err := time.Parse(time.RFC3339Nano, r.URL.Query().Get("from"))
	if err != nil {
		return err
	}
	to, err := time.Parse(time.RFC3339Nano, r.URL.Query().Get("to"))
	if err != nil {
		return err
	}
	s.sampler.Sample() // it ends a gap that lasted until now
	out := toolwire.Window{Gap: s.sampler.Gap(from, to)}
	if before, after, ok := s.sampler.Window(from, to); ok {
		out.Before, out.After = &before, &after
	}
	return answer(w, out)
}

// speed measures the machine with the CPUs of this container.
func (s *Supervisor) speed(w http.ResponseWriter, _ *http.Request) error {
	speed, err := machinespeed.Measure(s.machine.Throttled())
	if err != nil {
		return err
	}
	return answer(w, speed)
}

// openRelay delays the round trips of a tool. It works with the CPUs of the tool's container.
func (s *Supervisor) openRelay(w http.ResponseWriter, r *http.Request) error {
	var order toolwire.Relay
	if err := read(r, &order); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.relay != nil {
		return fmt.Errorf("%w: there is a relay", errOrder)
	}
	opened, err := relay.New(order.Target, order.Delay)
	if err != nil {
		return err
	}
	s.relay = opened
	return answer(w, toolwire.Port{Port: opened.Port()})
}

// openFiles says how many files a process of this container may open.
func (s *Supervisor) openFiles(w http.ResponseWriter, _ *http.Request) error {
	var is syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &is); err != nil {
		return err
	}
	return answer(w, toolwire.OpenFiles{Now: is.Cur, Most: is.Max})
}

// allowFiles sets the limit of open files, which tools inherit. Also if it is high enough: Go
// raises it for itself, and resets it for children unless it was set explicitly.
func (s *Supervisor) allowFiles(w http.ResponseWriter, r *http.Request) error {
	var order toolwire.OpenFiles
	if err := read(r, &order); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: order.Now, Max: order.Most}); err != nil {
		return fmt.Errorf("allowing %d open files: %w", order.Now, err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
