package ui

import (
	"context"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
)

// What Linux wrote of a server on 127.0.0.1:8080 with a client of user 1000, and one of a Java program of user 1001 by a socket of IPv6.
const (
	recordedTCP = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1001 1 0000000000000000 100 0 0 10 0
   1: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 1002 1 0000000000000000 20 4 30 10 -1
   2: 0100007F:D431 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 1003 1 0000000000000000 20 4 30 10 -1
`
	recordedTCP6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0000000000000000FFFF00000100007F:D432 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 1004 1 0000000000000000 20 4 30 10 -1
`
)

func TestOwnersOfSockets(t *testing.T) {
	for name, tt := range map[string]struct {
		table, client string
		uid           int
		is            bool
	}{
		"a client":              {recordedTCP, "127.0.0.1:54321", 1000, true},
		"a client of IPv6":      {recordedTCP6, "127.0.0.1:54322", 1001, true},
		"one that is not there": {recordedTCP, "127.0.0.1:1", 0, false},
		"an empty table":        {"", "127.0.0.1:54321", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			uid, is, err := ownerOf([]byte(tt.table), tt.client, "127.0.0.1:8080")
			if uid != tt.uid || is != tt.is || err != nil {
				t.Errorf("got %d, %v, %v", uid, is, err)
			}
		})
	}
	for _, bad := range []string{"x", "0100007:1F90", "0100007F:X", "0100007F"} {
		if _, _, err := ownerOf([]byte("0: "+bad+" "+bad+" 01 0 0 0 0 0"), "", ""); err == nil {
			t.Errorf("%s is an address", bad)
		}
	}
}

// A connection of this user is let in, and one whose user is not known is not.
func TestWhoseConnection(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the users of sockets")
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	client, err := new(net.Dialer).DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if err := anothers(server); err != nil {
		t.Errorf("a connection of one's own: %v", err)
	}
	_, unknown := net.Pipe()
	if err := anothers(unknown); err == nil {
		t.Error("a connection that the system does not know is let in")
	}
	for _, c := range []interface{ Close() error }{client, server, listener} {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Another user gets nothing, with the secret and the cookie.
func TestAnotherUser(t *testing.T) {
	g := newGuard("127.0.0.1:1234", http.NotFoundHandler())
	refused := func(r *http.Request) {
		*r = *r.WithContext(context.WithValue(r.Context(), peerKey{}, http.ErrAbortHandler))
		r.AddCookie(&http.Cookie{Name: g.cookie, Value: g.session})
	}
	for _, path := range []string{"/", "/?token=" + g.lasting} {
		if w := get(t, g, path, refused); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "its own user only") || len(w.Result().Cookies()) > 0 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}
