package metrics

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assay-bench/assay/internal/ground/store"
)

// away is an object store that does not answer at first.
type away struct {
	objectStore
	asked *int
}

func (a away) Check(context.Context, store.Item) (store.State, error) {
	if *a.asked++; *a.asked <= 2 {
		return store.Unreachable, errors.New("no answer")
	}
	return store.Absent, errors.New("the object store has none")
}

// A store that nobody needs is asked all the same, and its log has changes only.
func TestProbesOfTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []string
		log := funcr.New(func(_, args string) { said = append(said, args) }, funcr.Options{})
		r := prometheus.NewPedanticRegistry()
		s, err := CountRequests(away{asked: new(int)}, r)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute+time.Second)
		defer cancel()
		s.Probe(ctx, "reachable", time.Minute, log)
		all, err := r.Gather()
		if err != nil {
			t.Fatal(err)
		}
		got := text(t, all)
		for _, line := range []string{`{operation="probe",outcome="unreachable"} 2`, `{operation="probe",outcome="absent"} 3`, `{operation="check",outcome="unreachable"} 0`} {
			if !strings.Contains(got, storeRequests.Name+line+"\n") {
				t.Errorf("no line %s in\n%s", line, got)
			}
		}
		if len(said) != 2 || !strings.Contains(said[0], "does not answer") || !strings.Contains(said[1], "answers again") {
			t.Errorf("the log says %q", said)
		}
	})
}

// unreachable is an object store that does not answer.
type unreachable struct{ objectStore }

func (unreachable) Check(context.Context, store.Item) (store.State, error) {
	return store.Unreachable, errors.New("no answer")
}

func (unreachable) Read(context.Context, store.Item) ([]byte, store.State, error) {
	return nil, store.Unreachable, errors.New("no answer")
}

func (unreachable) Write(context.Context, store.Item, string, []byte) (store.State, error) {
	return store.Unreachable, errors.New("no answer")
}

func TestRequestsToTheStore(t *testing.T) {
	r := prometheus.NewPedanticRegistry()
	s, err := CountRequests(unreachable{}, r)
	if err != nil {
		t.Fatal(err)
	}
	if state, err := s.Check(t.Context(), store.Item{}); state != store.Unreachable || err == nil {
		t.Errorf("check: %s, %v", state, err)
	}
	for range 2 {
		if _, state, err := s.Read(t.Context(), store.Item{}); state != store.Unreachable || err == nil {
			t.Errorf("read: %s, %v", state, err)
		}
	}
	if state, err := s.Write(t.Context(), store.Item{}, "text/html", nil); state != store.Unreachable || err == nil {
		t.Errorf("write: %s, %v", state, err)
	}
	all, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := text(t, all)
	for _, line := range []string{`{operation="check",outcome="unreachable"} 1`, `{operation="write",outcome="unreachable"} 1`, `{operation="read",outcome="unreachable"} 2`, `{operation="read",outcome="present"} 0`} {
		if !strings.Contains(got, storeRequests.Name+line+"\n") {
			t.Errorf("no line %s in\n%s", line, got)
		}
	}
}
