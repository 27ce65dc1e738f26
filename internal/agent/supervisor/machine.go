package supervisor

import (
	"errors"
	"fmt"
	"net/http"
	"syscall"
	"time"

	"github.com/assay-bench/assay/internal/agent/affinity"
	"github.com/assay-bench/assay/internal/agent/relay"
	"github.com/assay-bench/assay/internal/agent/toolwire"
	"github.com/assay-bench/assay/internal/trial/machinespeed"
)

// hello has this process, and the tools that it starts, run on the clients' part of the machine, and says who is here. What came of the
// part is in the limits, also when it did not work.
func (s *Supervisor) hello(r *http.Request) (any, error) {
	order, err := read[toolwire.Greeting](r)
	if err != nil {
		return nil, err
	}
	err = affinity.Keep(s.machine, order.CPUs, affinity.Clients)
	if s.stands && errors.Is(err, affinity.ErrNarrowed) {
		err = nil // by the first trial
	}
	if err != nil {
		s.Log.Warn("the tool is not kept to its CPUs", "error", err)
	}
	return toolwire.Hello{Version: toolwire.Version, Limits: s.machine.Limits()}, nil
}

// usage takes a sample of this container's counters.
func (s *Supervisor) usage(*http.Request) (any, error) {
	return s.sampler.Sample(), nil
}

// window has the samples inside a window, which the parameters from and to give.
func (s *Supervisor) window(r *http.Request) (any, error) {
	from, err := time.Parse(time.RFC3339Nano, r.URL.Query().Get("from"))
	if err != nil {
		return nil, err
	}
	to, err := time.Parse(time.RFC3339Nano, r.URL.Query().Get("to"))
	if err != nil {
		return nil, err
	}
	s.sampler.Sample() // it ends a gap that lasted until now
	return toolwire.Window{Gap: s.sampler.Gap(from, to), Samples: s.sampler.Window(from, to)}, nil
}

// speed measures the machine with the CPUs of this container.
func (s *Supervisor) speed(*http.Request) (any, error) {
	return machinespeed.Measure(s.machine.Throttled())
}

// openRelay delays the round trips of a tool. It works with the CPUs of the tool's container.
func (s *Supervisor) openRelay(r *http.Request) (any, error) {
	order, err := read[toolwire.Relay](r)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.relay != nil {
		return nil, fmt.Errorf("%w: there is a relay", errOrder)
	}
	opened, err := relay.New(order.Target, order.Delay)
	if err != nil {
		return nil, err
	}
	s.relay = opened
	return opened.Port(), nil
}

// openFiles says how many files a process of this container may open.
func (s *Supervisor) openFiles(*http.Request) (any, error) {
	var is syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &is)
	return toolwire.OpenFiles{Now: is.Cur, Most: is.Max}, err
}

// allowFiles sets the limit of open files, which tools inherit. Also if it is high enough: Go
// raises it for itself, and resets it for children unless it was set explicitly.
func (s *Supervisor) allowFiles(r *http.Request) (any, error) {
	order, err := read[toolwire.OpenFiles](r)
	if err != nil {
		return nil, err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: order.Now, Max: order.Most}); err != nil {
		return nil, fmt.Errorf("allowing %d open files: %w", order.Now, err)
	}
	return nil, nil
}
