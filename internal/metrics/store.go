package metrics

import (
	"context"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assay-bench/assay/internal/store"
)

// objectStore is what is counted.
type objectStore interface {
	Sign(ctx context.Context, item store.Item, life time.Duration) (store.Signed, error)
	Check(ctx context.Context, item store.Item) (store.State, error)
	Read(ctx context.Context, item store.Item) ([]byte, store.State, error)
	CA() string
}

// Store counts the requests to an object store. Signing asks nobody, and is not counted.
type Store struct {
	objectStore
	requests *prometheus.CounterVec
}

// Operations on the object store.
const (
	operationCheck = "check"
	operationRead  = "read"
)

// CountRequests to the object store, in a registry. Every outcome is there from the start, so that the first of its kind is an
// increase too.
func CountRequests(of objectStore, in prometheus.Registerer) (Store, error) {
	f := storeRequests
	s := Store{of, prometheus.NewCounterVec(prometheus.CounterOpts{Name: f.Name, Help: f.Help}, f.Labels)}
	for _, operation := range []string{operationCheck, operationRead} {
		for _, state := range []store.State{store.Present, store.Absent, store.Different, store.Unreachable} {
			s.requests.WithLabelValues(operation, outcome(state))
		}
	}
	return s, in.Register(s.requests)
}

func outcome(s store.State) string { return strings.ToLower(string(s)) }

// Check whether the store holds an item; the error says why not.
func (s Store) Check(ctx context.Context, item store.Item) (store.State, error) {
	state, err := s.objectStore.Check(ctx, item)
	s.requests.WithLabelValues(operationCheck, outcome(state)).Inc()
	return state, err
}

// Read an item whole; the error says why the state is not Present.
func (s Store) Read(ctx context.Context, item store.Item) ([]byte, store.State, error) {
	data, state, err := s.objectStore.Read(ctx, item)
	s.requests.WithLabelValues(operationRead, outcome(state)).Inc()
	return data, state, err
}
