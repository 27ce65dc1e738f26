package relay

import (
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/test/helpers/hang"
)

// echo answers every connection with what it said, and ends with it.
func echo(t *testing.T) string {
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
