package ycsb

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
)

// packets of one driver, in the order of their arrival.
type packets struct {
	lock sync.Mutex
	kept [][]byte
}

func (p *packets) add(packet []byte) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.kept = append(p.kept, packet)
}

func (p *packets) all() [][]byte {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.kept
}

// serve on the loopback interface, connection after connection, until the test is over. Drivers try more than once.
func (r refusal) serve(t *testing.T) (*packets, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	seen, ended := &packets{}, make(chan struct{})
	t.Cleanup(func() {
		_ = listener.Close()
		<-ended
	})
	go func() {
		defer close(ended)
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			if err := r.refuse(t, connection, seen); err != nil && !errors.Is(err, io.EOF) {
				t.Logf("the driver gave up: %v", err)
			}
			_ = connection.Close()
		}
	}()
	return seen, listener.Addr().String()
}

func (r refusal) refuse(t *testing.T, connection net.Conn, seen *packets) error {
	packet, err := r.read(connection)
	if err != nil {
		return err
	}
	seen.add(packet)
	if r.then == nil {
		return nil
	}
	return r.then(t, connection, seen)
}

// replies to the packets of TDS or SQLI, one after the other, and keeps them. After the last reply the client closes.
func replies(all ...[]byte) func(*testing.T, net.Conn, *packets) error {
	return func(_ *testing.T, connection net.Conn, seen *packets) error {
		for i, reply := range all {
			if _, err := connection.Write(reply); err != nil {
				return err
			}
			if i == len(all)-1 {
				break
			}
			packet, err := readTDS(connection)
			if err != nil {
				return err
			}
			seen.add(packet)
		}
		_, err := io.Copy(io.Discard, connection)
		return err
	}
}

// encrypts by the protocol of SQL Server, and refuses the login within.
func encrypts(t *testing.T, connection net.Conn, seen *packets) error {
	if _, err := connection.Write(preloginReply(tdsEncryptOn)); err != nil {
		return err
	}
	session, err := (&tdsHandshake{Conn: connection}).secured(t)
	if err != nil {
		return err
	}
	packet, err := readTDS(session)
	if err != nil {
		return err
	}
	seen.add(packet)
	return replies(tdsError(18456, "Login failed for user 'ycsb'."))(t, session, seen)
}
