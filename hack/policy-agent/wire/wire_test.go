package wire

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var pod = Pod{Namespace: "a", Name: "db", UID: "u-1", Address: netip.MustParseAddr("10.0.0.1")}

// serve answers on a socket until the test ends.
func serve(t *testing.T, socket string, handler http.HandlerFunc) {
	t.Helper()
	l, err := Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Second}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
}

// abandoned is a socket whose listener is gone, as after a killed agent.
func abandoned(t *testing.T) string {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	l, err := Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return socket
}

func TestSend(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	var got Pod
	serve(t, socket, func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusNoContent)
	})
	if err := Send(t.Context(), socket, pod); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(pod, got, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
		t.Error(diff)
	}
	info, err := os.Stat(socket)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v: others than root can write", info.Mode(), err)
	}
}

func TestSendToAnAgentThatRefuses(t *testing.T) {
	socket, tries := filepath.Join(t.TempDir(), "s"), 0
	serve(t, socket, func(w http.ResponseWriter, _ *http.Request) {
		tries++
		http.Error(w, "no rules", http.StatusServiceUnavailable)
	})
	if err := Send(t.Context(), socket, pod); err == nil || !strings.Contains(err.Error(), "no rules") || tries != 1 {
		t.Errorf("%v after %d tries, want the reason of the agent after one", err, tries)
	}
}

func TestSendWhereNoAgentWas(t *testing.T) {
	if err := Send(t.Context(), filepath.Join(t.TempDir(), "s"), pod); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want os.ErrNotExist", err)
	}
}

// The agent starts again: its socket is there meanwhile, so no pod passes without rules.
func TestSendWaitsForAnAgent(t *testing.T) {
	socket := abandoned(t)
	sent := make(chan error, 1)
	go func() { sent <- Send(t.Context(), socket, pod) }()
	select {
	case err := <-sent:
		t.Fatalf("%v before anybody listens", err)
	case <-time.After(4 * retry):
	}
	serve(t, socket, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	if err := <-sent; err != nil {
		t.Error(err)
	}
}

func TestSendGivesUp(t *testing.T) {
	socket := abandoned(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 2*retry)
		defer stop()
		var refused *net.OpError
		if err := Send(ctx, socket, pod); !errors.As(err, &refused) {
			t.Errorf("%v, want that nobody answers", err)
		}
	})
}
