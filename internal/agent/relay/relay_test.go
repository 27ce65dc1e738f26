package relay

import (
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-bench/assay/test/helpers/hang"
)

// echo answers every connection with what it said, and ends with it.
func echo(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); _ = c.Close() }()
		}
	}()
	return l.Addr().String()
}

func through(t *testing.T, target string, delay time.Duration) (net.Conn, *Relay) {
	t.Helper()
	r, err := New(target, delay)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(r.Port()))))
	if err != nil {
		t.Fatal(err)
	}
	return c, r
}

func TestARoundTripTakesTheDelay(t *testing.T) {
	const delay = 40 * time.Millisecond
	c, r := through(t, echo(t), delay)
	defer r.Close()
	for range 3 {
		began := time.Now()
		if _, err := c.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took < delay {
			t.Errorf("a round trip took %s, less than %s", took, delay)
		}
	}
}

// A delay is none of the bandwidth, and nothing is lost at the end.
func TestARelayKeepsEverythingInOrder(t *testing.T) {
	c, r := through(t, echo(t), 20*time.Millisecond)
	defer r.Close()
	text := strings.Repeat("0123456789", 1<<17)
	go func() {
		_, _ = io.WriteString(c, text)
		_ = c.(*net.TCPConn).CloseWrite()
	}()
	got, err := io.ReadAll(c)
	if err != nil || string(got) != text {
		t.Errorf("%d of %d bytes came back in order: %v", len(got), len(text), err)
	}
}

func TestAServerThatIsNotThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	c, r := through(t, address, time.Millisecond)
	defer r.Close()
	if _, err := io.ReadAll(c); err != nil {
		t.Logf("the connection ended with %v", err)
	}
}

func TestARelayThatIsClosedLeavesNothing(t *testing.T) {
	c, r := through(t, echo(t), time.Minute)
	if _, err := c.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { r.Close(); close(done) }()
	select {
	case <-done:
	case <-time.After(hang.Limit):
		t.Fatal("a connection that waits holds the relay")
	}
}

// A relay whose server has gone away ends with bytes in line, and so does its connection.
func TestARelayToAServerThatGoesAway(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		c, err := l.Accept()
		if err != nil {
			return
		}
		_ = c.(*net.TCPConn).SetLinger(0) // the next write to it fails
		_ = c.Close()
	}()
	c, r := through(t, l.Addr().String(), 40*time.Millisecond)
	defer func() { _ = c.Close() }()
	for range 100 {
		if _, err := c.Write(make([]byte, 1000)); err != nil {
			break // the relay has noticed
		}
	}
	<-gone
	_, _ = io.Copy(io.Discard, c) // until the relay ends the connection, or the test is too long
	done := make(chan struct{})
	go func() { r.Close(); close(done) }()
	select {
	case <-done:
	case <-time.After(hang.Limit):
		t.Fatal("a connection whose server has gone away holds the relay")
	}
}

// Connections do not wait for one another: all of them have the round trips that one has.
func TestManyConnectionsAtOnce(t *testing.T) {
	const delay, n, trips = 4 * time.Millisecond, 64, 20
	r, err := New(echo(t), delay)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if err := pingPong(r, trips); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// pingPong so many round trips on a connection of its own.
func pingPong(r *Relay, trips int) error {
	c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(r.Port()))))
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	one := make([]byte, 100)
	for range trips {
		if _, err := c.Write(one); err != nil {
			return err
		}
		if _, err := io.ReadFull(c, one); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkRelay has the round trips per second of so many connections with a delay of 4 ms, which allows 250 for each. With GOMAXPROCS=1 it
// is the relay of a client with less than a CPU.
func BenchmarkRelay(b *testing.B) {
	for _, n := range []int{1, 16, 32, 64} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			r, err := New(echo(b), 4*time.Millisecond)
			if err != nil {
				b.Fatal(err)
			}
			defer r.Close()
			began := time.Now()
			const trips = 100
			done := 0
			for b.Loop() {
				var all sync.WaitGroup
				for range n {
					all.Go(func() {
						if err := pingPong(r, trips); err != nil {
							b.Error(err)
						}
					})
				}
				all.Wait()
				done += n * trips
			}
			b.ReportMetric(float64(done)/time.Since(began).Seconds(), "trips/s")
		})
	}
}
