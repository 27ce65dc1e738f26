package client

import (
	"bytes"
	"context"
	"net"
	"sync"
	"time"
)

// relay hands connections on to a server, later: each byte half of the delay after it came,
// in either direction, so that a round trip takes the delay longer. It stands in for netem of
// the kernel, which needs a privilege that no client pod has, and which not every kernel
// knows. What it costs itself is a part of the client's CPU and a copy in each direction,
// some 50 us per round trip.
type relay struct {
	listener net.Listener
	target   string
	half     time.Duration
	ctx      context.Context
	cancel   context.CancelFunc
	working  sync.WaitGroup
}

// newRelay listens on loopback for connections to the target.
func newRelay(target string, delay time.Duration) (*relay, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &relay{listener: listener, target: target, half: delay / 2}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.working.Go(r.accept)
	return r, nil
}

// port on 127.0.0.1.
func (r *relay) port() int32 { return int32(r.listener.Addr().(*net.TCPAddr).Port) }

// close ends the relay and all its connections; nil is none.
func (r *relay) close() {
	if r == nil {
		return
	}
	r.cancel()
	_ = r.listener.Close()
	r.working.Wait()
}

func (r *relay) accept() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return // closed
		}
		r.working.Go(func() { r.serve(client) })
	}
}

// serve one connection until either side ends it. The time to connect is delayed as well:
// a handshake is a round trip.
func (r *relay) serve(client net.Conn) {
	defer func() { _ = client.Close() }()
	if sleepUntil(r.ctx, time.Now().Add(2*r.half)) != nil {
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

// chunk is what came at once, and when it is due on the other side.
type chunk struct {
	due  time.Time
	data []byte
}

// copy from one side to the other. What was read waits in a queue, so that a delay is none of
// the bandwidth.
func (r *relay) copy(to, from net.Conn) {
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
		err := sleepUntil(r.ctx, c.due)
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
	// The other side learns the end of one direction, and may still have something to send.
	if half, ok := to.(*net.TCPConn); ok {
		_ = half.CloseWrite()
	}
}
