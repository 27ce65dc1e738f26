package supervisor

import (
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"
)

// watched keeps the deadlines that are set on a connection.
type watched struct {
	net.Conn
	mu        sync.Mutex
	deadlines []time.Time
	set       chan struct{}
}

func (w *watched) SetReadDeadline(at time.Time) error {
	w.mu.Lock()
	w.deadlines = append(w.deadlines, at)
	w.mu.Unlock()
	select {
	case w.set <- struct{}{}:
	default:
	}
	return w.Conn.SetReadDeadline(at)
}

// The agent restores a snapshot of many gigabytes, and waits for its server, before its first order: the supervisor
// waits for that long.
func TestTheFirstOrderMayBeLate(t *testing.T) {
	ours, theirs := net.Pipe()
	conn := &watched{Conn: ours, set: make(chan struct{}, 1)}
	s := &Supervisor{Options: Options{Log: slog.New(slog.DiscardHandler)}, commands: map[string]*command{}}
	ended := make(chan error, 1)
	go func() { ended <- s.serve(conn) }()
	<-conn.set
	if err := theirs.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("an agent that ended without an order: %v", err)
	}
	conn.mu.Lock()
	defer conn.mu.Unlock()
	if first := conn.deadlines[0]; !first.IsZero() && time.Until(first) < 12*time.Hour {
		t.Errorf("the first order has to come until %s", first)
	}
}
