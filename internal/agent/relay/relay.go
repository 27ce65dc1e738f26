// Package relay delays the round trips of connections. In: the address of a server and a delay.
// Out: a port on loopback, whose connections reach the server with the delay.
package relay

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/assay-bench/assay/internal/agent/pause"
)

// Relay forwards connections to a server with a delay: each byte by half of the delay in
// either direction, so each round trip takes the delay longer. It replaces netem of the
// kernel, which needs a privilege that client pods lack, and which some kernels lack. It uses
// some of the client's CPU and a copy in each direction, about 50 us per round trip.
type Relay struct {
	listener net.Listener
	target   string
	half     time.Duration
	ctx      context.Context
	cancel   context.CancelFunc
	working  sync.WaitGroup
}

// New listens on loopback for connections to the target.
func New(target string, delay time.Duration) (*Relay, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Relay{listener: listener, target: target, half: delay / 2}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.working.Go(r.accept)
	return r, nil
}

// Port on 127.0.0.1.
func (r *Relay) Port() int32 { return int32(r.listener.Addr().(*net.TCPAddr).Port) }

// Close ends the relay and all its connections; nil is none.
func (r *Relay) Close() {
	if r == nil {
		return
	}
	r.cancel()
	_ = r.listener.Close()
	r.working.Wait()
}

func (r *Relay) accept() {
	for {
		client, err := r.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // such as no file is left: the next one may have one
			if pause.Until(r.ctx, time.Now().Add(10*time.Millisecond)) != nil {
				return
			}
			continue
		}
		r.working.Go(func() { r.serve(client) })
	}
}

// serve one connection until either side ends it. Connecting is delayed too, because a
// handshake is a round trip.
func (r *Relay) serve(client net.Conn) {
	defer func() { _ = client.Close() }()
	if pause.Until(r.ctx, time.Now().Add(2*r.half)) != nil {
		return
	}
	server, err := (&net.Dialer{}).DialContext(r.ctx, "tcp", r.target)
	if err != nil {
		return // the tool sees a connection that is closed
	}
	defer func() { _ = server.Close() }()
	stop := context.AfterFunc(r.ctx, func() { _, _ = client.Close(), server.Close() })
	defer stop()
	var both sync.WaitGroup
	both.Go(func() { r.copy(server, client) })
	both.Go(func() { r.copy(client, server) })
	both.Wait()
}

// chunk is one read, and its due time on the other side.
type chunk struct {
	due  time.Time
	data []byte
}

// copy from one side to the other. Reads wait in a queue, so the delay does not reduce the
// bandwidth.
func (r *Relay) copy(to, from net.Conn) {
	queue := make(chan chunk, 1024)
	go func() {
		defer close(queue)
		buffer := make([]byte, 64<<10)
		for {
			n, err := from.Read(buffer)
			if n > 0 {
				select {
				case queue <- chunk{time.Now().Add(r.half), bytes.Clone(buffer[:n])}:
				case <-r.ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	for c := range queue {
		err := pause.Until(r.ctx, c.due)
		if err == nil {
			_, err = to.Write(c.data)
		}
		if err != nil {
			_ = from.Close() // lets the reader end
			for range queue {
			}
			return
		}
	}
	// The other side gets the end of one direction, and may still send.
	if half, ok := to.(*net.TCPConn); ok {
		_ = half.CloseWrite()
	}
}
