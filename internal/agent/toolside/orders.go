package toolside

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/assay-bench/assay/internal/agent/toolwire"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// signalName is how the supervisor names signals.
var signalName = regexp.MustCompile(`^(SIG[A-Z0-9]{1,10}|signal [0-9]{1,3})?$`)

// Prepare makes a command ready to start, under a name.
func (s *Side) Prepare(ctx context.Context, name string, c toolwire.Command) error {
	return s.ask(ctx, http.MethodPut, pathOf(toolwire.PathCommand, name), c, nil)
}

// Start starts a command at an instant of the wall clock, or at once if it has passed, and
// returns when it was started.
func (s *Side) Start(ctx context.Context, name string, at time.Time) (time.Time, error) {
	sent := time.Now()
	var started toolwire.Instant
	if err := s.await(ctx, http.MethodPost, pathOf(toolwire.PathStart, name), at, &started); err != nil {
		return time.Time{}, err
	}
	return started.Time(sent), nil
}

// Ended says how a command ended.
type Ended struct {
	toolwire.Ended
	// At is not before the start of the command.
	At time.Time
}

// End waits for the end of a command that was started at an instant.
func (s *Side) End(ctx context.Context, name string, started time.Time) (Ended, error) {
	var e toolwire.Ended
	if err := s.await(ctx, http.MethodGet, pathOf(toolwire.PathEnd, name), nil, &e); err != nil {
		return Ended{}, err
	}
	if !signalName.MatchString(e.Signal) {
		return Ended{}, fmt.Errorf("%w: it names the signal %.20q", ErrLost, e.Signal)
	}
	return Ended{e, e.At.Time(started)}, nil
}

// Stop sends SIGTERM to a command, and SIGKILL after the grace period. It returns when the
// command has ended.
func (s *Side) Stop(ctx context.Context, name string, grace time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, grace+s.Answer)
	defer cancel()
	return s.await(ctx, http.MethodPost, pathOf(toolwire.PathStop, name), grace, nil)
}

// Usage reads the counters of the tool's container.
func (s *Side) Usage(ctx context.Context) (contract.Usage, error) {
	var u contract.Usage
	err := s.ask(ctx, http.MethodGet, toolwire.PathUsage, nil, &u)
	return u, err
}

// Window has the first and the last sample of these counters between two instants.
func (s *Side) Window(ctx context.Context, from, to time.Time) (toolwire.Window, error) {
	times := url.Values{"from": {from.Format(time.RFC3339Nano)}, "to": {to.Format(time.RFC3339Nano)}}
	var w toolwire.Window
	err := s.ask(ctx, http.MethodGet, toolwire.PathWindow+"?"+times.Encode(), nil, &w)
	return w, err
}

// Speed measures the machine with the CPUs of the tool's container.
func (s *Side) Speed(ctx context.Context) (contract.Speed, error) {
	var speed contract.Speed
	err := s.ask(ctx, http.MethodPost, toolwire.PathSpeed, nil, &speed)
	return speed, err
}

// OpenRelay delays the round trips to a server, and returns the port on loopback to connect to. It
// ends with the connection.
func (s *Side) OpenRelay(ctx context.Context, target string, delay time.Duration) (int32, error) {
	var port int32
	err := s.ask(ctx, http.MethodPut, toolwire.PathRelay, toolwire.Relay{Target: target, Delay: delay}, &port)
	if err == nil && (port < 1 || port > 65535) {
		err = fmt.Errorf("%w: it names the port %d", ErrLost, port)
	}
	return port, err
}

// OpenFiles are the limits of open files in the tool's container.
func (s *Side) OpenFiles(ctx context.Context) (toolwire.OpenFiles, error) {
	var f toolwire.OpenFiles
	err := s.ask(ctx, http.MethodGet, toolwire.PathOpenFiles, nil, &f)
	return f, err
}

// AllowFiles sets the limit of open files for commands.
func (s *Side) AllowFiles(ctx context.Context, f toolwire.OpenFiles) error {
	return s.ask(ctx, http.MethodPut, toolwire.PathOpenFiles, f, nil)
}

func pathOf(path, name string) string { return fmt.Sprintf(path, url.PathEscape(name)) }
