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
// some of the client's CPU and a copy in each direction, about 50 us per round trip where a CPU is free.
//
// All bytes have the same delay, so that they leave in the order in which they came, and one goroutine lets them go, by one alarm.
// Goroutines that sleep in the kernel, one for each connection, would keep the few CPUs of a client from the others: 32 connections had
// a fifth of the round trips of 16 (BenchmarkRelay).
type Relay struct {
	listener net.Listener
	target   string
	half     time.Duration
	ctx      context.Context
	cancel   context.CancelFunc
	working  sync.WaitGroup
	alarm    *alarm
	line     chan chunk
}

// ahead is how many reads may be under way: of all connections together, and of one direction of a connection.
const (
	ahead    = 1 << 14
	aheadOne = 1 << 10
)

// New listens on loopback for connections to the target.
func New(target string, delay time.Duration) (*Relay, error) {
	a, err := newAlarm()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		a.close()
		return nil, err
	}
	r := &Relay{listener: listener, target: target, half: delay / 2, alarm: a, line: make(chan chunk, ahead)}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.working.Go(r.accept)
	r.working.Go(r.letGo)
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
	r.alarm.close()
	r.working.Wait()
}

func (r *Relay) accept() {
	for {
		client, err := r.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // such as no file is left: the next one may have one
			if pause.For(r.ctx, 10*time.Millisecond) != nil {
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
	if pause.For(r.ctx, 2*r.half) != nil {
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

// chunk is one read, its due time, and where it goes then.
type chunk struct {
	due  time.Time
	data []byte
	to   chan<- []byte
}

// letGo what is due, of all connections. Who reads has made sure that there is room where it goes.
func (r *Relay) letGo() {
	for {
		select {
		case <-r.ctx.Done():
			return
		case c := <-r.line:
			if r.alarm.wait(c.due) != nil {
				return // closed
			}
			if c.data == nil {
				close(c.to)
				continue
			}
			c.to <- c.data
		}
	}
}

// copy from one side to the other. Reads wait in line, so the delay does not reduce the
// bandwidth.
func (r *Relay) copy(to, from net.Conn) {
	due, room := make(chan []byte, aheadOne+1), make(chan struct{}, aheadOne)
	r.working.Go(func() { r.read(from, due, room) })
	broken := false
	for {
		select {
		case <-r.ctx.Done():
			return
		case data, open := <-due:
			if !open { // the other side gets the end of one direction, and may still send
				if half, ok := to.(*net.TCPConn); ok {
					_ = half.CloseWrite()
				}
				return
			}
			<-room
			if broken {
				continue
			}
			if _, err := to.Write(data); err != nil {
				_ = from.Close() // lets the reader end, whose last word comes yet
				broken = true
			}
		}
	}
}

// read until the end of one direction, which waits in line behind its last byte.
func (r *Relay) read(from net.Conn, due chan<- []byte, room chan<- struct{}) {
	send := func(data []byte) bool {
		select {
		case r.line <- chunk{time.Now().Add(r.half), data, due}:
			return true
		case <-r.ctx.Done():
			return false
		}
	}
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			select {
			case room <- struct{}{}:
			case <-r.ctx.Done():
				return
			}
			if !send(bytes.Clone(buffer[:n])) {
				return
			}
		}
		if err != nil {
			send(nil)
			return
		}
	}
}
