package main

import (
	"net/http"
	"sync/atomic"

	"k8s.io/client-go/rest"
)

// inFlight bounds the requests of each played part that run at the same time: a
// thousand at once would measure the API server's queues.
const inFlight = 12

// transport counts the requests of one played part that write.
type transport struct {
	next   http.RoundTripper
	writes *atomic.Int64
	slots  chan struct{}
}

// RoundTrip does one request.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		return t.next.RoundTrip(r) // watches last
	}
	t.slots <- struct{}{}
	defer func() { <-t.slots }()
	t.writes.Add(1)
	return t.next.RoundTrip(r)
}

// counted is a configuration of its own whose writes are counted.
func counted(c *rest.Config, writes *atomic.Int64) *rest.Config {
	c = rest.CopyConfig(c)
	c.QPS = -1
	c.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &transport{next: next, writes: writes, slots: make(chan struct{}, inFlight)}
	})
	return c
}
