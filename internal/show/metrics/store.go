package metrics

import (
	"context"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assay-bench/assay/internal/ground/store"
)

// objectStore is what is counted.
type objectStore interface {
	Sign(ctx context.Context, item store.Item, life time.Duration) (store.Signed, error)
	Check(ctx context.Context, item store.Item) (store.State, error)
	Read(ctx context.Context, item store.Item) ([]byte, store.State, error)
	Write(ctx context.Context, item store.Item, mediaType string, data []byte) (store.State, error)
	URL(key string) string
	CA() string
	dataStore
}

// dataStore is the part for data sets.
type dataStore interface {
	SignRead(ctx context.Context, key string, life time.Duration) (store.Signed, error)
	SignWrite(ctx context.Context, key string, life time.Duration) (store.Signed, error)
	Fetch(ctx context.Context, key string, most int64) ([]byte, store.State, error)
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
	operationWrite = "write"
	// operationProbe is a check for an object that nobody makes.
	operationProbe = "probe"
)

// CountRequests to the object store, in a registry. Every outcome is there from the start, so that the first of its kind is an
// increase too.
func CountRequests(of objectStore, in prometheus.Registerer) (Store, error) {
	s := Store{of, vector(storeRequests)}
	for _, operation := range []string{operationCheck, operationRead, operationWrite, operationProbe} {
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

// Fetch an object; the error says why the state is not Present.
func (s Store) Fetch(ctx context.Context, key string, most int64) ([]byte, store.State, error) {
	data, state, err := s.objectStore.Fetch(ctx, key, most)
	s.requests.WithLabelValues(operationRead, outcome(state)).Inc()
	return data, state, err
}

// Write an item; the error says why the state is not Present.
func (s Store) Write(ctx context.Context, item store.Item, mediaType string, data []byte) (store.State, error) {
	state, err := s.objectStore.Write(ctx, item, mediaType, data)
	s.requests.WithLabelValues(operationWrite, outcome(state)).Inc()
	return state, err
}

// Probe asks the store for an object that nobody makes, at once and then at each interval, until the
// context ends: clients that do not reach the store give up without a request of the manager, and a store
// that is away shall be known before a run ends. What the store answers is counted, and logged when it
// changes.
func (s Store) Probe(ctx context.Context, key string, every time.Duration, log logr.Logger) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	answers := true
	for {
		state, err := s.objectStore.Check(ctx, store.Item{Key: key})
		if ctx.Err() != nil {
			return
		}
		s.requests.WithLabelValues(operationProbe, outcome(state)).Inc()
		switch {
		case state == store.Unreachable && answers:
			log.Error(err, "the object store does not answer")
		case state != store.Unreachable && !answers:
			log.Info("the object store answers again")
		}
		answers = state != store.Unreachable
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
	}
}
