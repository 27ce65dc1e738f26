package registry

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// An image that hangs, as one of an upstream that does not answer, keeps nobody from the other images of its registry.
func TestAnImageThatHangs(t *testing.T) {
	t.Parallel()
	host := served(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "/hangs/") {
				<-r.Context().Done()
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	digest := push(t, host+"/team/db:1")
	r := newAsked(t, 10*time.Second, config.Registry{Host: host, PlainHTTP: true})
	r.wants(t, host+"/hangs/x:1", "", "no answer in time")
	r.wants(t, host+"/team/db:1", digest, "")
	r.wants(t, host+"/hangs/x:1", "", "no answer in time")
	r.saw(t, host, "answered 1, unreachable 1") // it was not asked for again
}

// Requests that hang elsewhere take no time from those to a good registry, and neither does a caller in a hurry.
func TestOthersThatHang(t *testing.T) {
	t.Parallel()
	const timeout = 9 * time.Second
	hangs := served(t, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	})
	var slow atomic.Bool
	good := served(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if slow.Load() {
				time.Sleep(timeout / 3) // two of these, and the wait below, are more than the timeout
			}
			next.ServeHTTP(w, r)
		})
	})
	digest := push(t, good+"/team/db:1")
	slow.Store(true)
	r := newAsked(t, timeout, config.Registry{Host: hangs, PlainHTTP: true}, config.Registry{Host: good, PlainHTTP: true})
	hurry, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // timing: it has to run out: the registry takes longer
	defer cancel()
	if _, err := r.Digest(hurry, "ns", good+"/team/db:1"); err == nil {
		t.Error("an answer before there was one")
	}
	var all sync.WaitGroup
	for i := range atOnce {
		all.Go(func() { r.wants(t, fmt.Sprintf("%s/x:%d", hangs, i), "", "no answer in time") })
	}
	r.fills("ns", atOnce)
	time.Sleep(timeout / 2)
	r.wants(t, good+"/team/db:1", digest, "")
	all.Wait()
}

// fills waits until so many requests of a namespace are underway.
func (a asked) fills(namespace string, n int) {
	for {
		a.mu.Lock()
		underway := a.underway[namespace]
		a.mu.Unlock()
		if underway == n {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// A namespace all of whose images hang waits for itself, and for nobody else.
func TestANamespaceThatHangs(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	host := served(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "/hangs/") {
				<-release
			}
			next.ServeHTTP(w, r)
		})
	})
	digest := push(t, host+"/team/db:1")
	r := newAsked(t, hang.Limit, config.Registry{Host: host, PlainHTTP: true})
	var all sync.WaitGroup
	for i := range 3 * atOnce {
		all.Go(func() { _, _ = r.Digest(t.Context(), "hostile", fmt.Sprintf("%s/hangs/x:%d", host, i)) })
	}
	r.fills("hostile", atOnce)
	r.wants(t, host+"/team/db:1", digest, "")
	close(release)
	all.Wait()
	r.fills("hostile", 0)
}
