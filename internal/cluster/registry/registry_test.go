package registry

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// served is a real registry on loopback, behind what a test puts before it.
func served(t *testing.T, before func(http.Handler) http.Handler) string {
	t.Helper()
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	if before != nil {
		handler = before(handler)
	}
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// push another image with a tag; it returns the digest.
func push(t *testing.T, image string) string {
	t.Helper()
	tag, err := name.NewTag(image)
	if err != nil {
		t.Fatal(err)
	}
	content, err := random.Image(64, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(tag, content); err != nil {
		t.Fatal(err)
	}
	digest, err := content.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return digest.String()
}

type asked struct {
	*Resolver
	clock *clocktesting.FakePassiveClock
	// observed outcomes, by host and outcome.
	observed *sync.Map
}

// saw compares how asking a registry ended, such as "answered 2, refused 1", with what was wanted.
func (a asked) saw(t *testing.T, host, want string) {
	t.Helper()
	var got []string
	for _, o := range Outcomes() {
		if n, is := a.observed.Load(host + " " + string(o)); is {
			got = append(got, fmt.Sprintf("%s %d", o, n.(*atomic.Int32).Load()))
		}
	}
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("%s was seen to have %q, want %q", host, text, want)
	}
}

func newAsked(t *testing.T, timeout time.Duration, of ...config.Registry) asked {
	t.Helper()
	clock := clocktesting.NewFakePassiveClock(time.Unix(1e9, 0))
	r, err := New(config.Registries{Timeout: metav1.Duration{Duration: timeout}, Ask: of}, clock)
	if err != nil {
		t.Fatal(err)
	}
	observed := &sync.Map{}
	r.Observe = func(host string, o Outcome) {
		n, _ := observed.LoadOrStore(host+" "+string(o), new(atomic.Int32))
		n.(*atomic.Int32).Add(1)
	}
	return asked{r, clock, observed}
}

func (a asked) wants(t *testing.T, image, digest, reason string) {
	t.Helper()
	got, err := a.Digest(t.Context(), "ns", image)
	if got != digest || (err != nil) != (reason != "") || err != nil && !strings.Contains(err.Error(), reason) {
		t.Errorf("%s: got %q, %v; want %q, %q", image, got, err, digest, reason)
	}
}

// A tag has the digest that was pushed last; within a minute the answer is that of before.
func TestATagMoves(t *testing.T) {
	t.Parallel()
	host := served(t, nil)
	image := host + "/team/db:1"
	first := push(t, image)
	r := newAsked(t, hang.Limit, config.Registry{Host: host, PlainHTTP: true})
	r.wants(t, image, first, "")
	second := push(t, image)
	r.wants(t, image, first, "")
	r.clock.SetTime(r.clock.Now().Add(fresh))
	r.wants(t, image, second, "")
	r.wants(t, host+"/team/none:1", "", "answered 404")
	r.saw(t, host, "answered 2, refused 1") // and not what was remembered
}

func TestWhatIsAsked(t *testing.T) {
	t.Parallel()
	r := newAsked(t, time.Second, config.Registry{Host: "registry.example.com:5000"}, config.Registry{Host: "docker.io"})
	digest := "@sha256:" + strings.Repeat("0", 64)
	for image, want := range map[string]bool{
		"registry.example.com:5000/db:1": true, "registry.example.com:5000/db": true, "registry.example.com:5000/db" + digest: false,
		"registry.example.com:5000/db:1" + digest: false, "registry.example.com/db:1": false, "other.example.com/db:1": false, "mysql:8": true,
		"docker.io/library/mysql:8": true, "169.254.169.254/db:1": false, "": false, "UPPER/:x": false, "registry.example.com:5000@evil.example.com/db:1": false,
	} {
		if got := r.Asks(image); got != want {
			t.Errorf("%q is asked for: %v, want %v", image, got, want)
		}
	}
	r.wants(t, "other.example.com/db:1", "", "registries.ask does not have other.example.com")
	r.saw(t, "other.example.com", "") // hosts that tenants name are no labels
}

// A registry cannot send the manager elsewhere, and plain HTTP has to be allowed.
func TestOtherHosts(t *testing.T) {
	t.Parallel()
	elsewhere := served(t, nil)
	digest := push(t, elsewhere+"/team/db:1")
	redirects := served(t, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v2/" {
				return
			}
			http.Redirect(w, r, "http://"+elsewhere+r.URL.Path, http.StatusTemporaryRedirect)
		})
	})
	tokens := served(t, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="http://tokens.example.com/token",service="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		})
	})
	refused := "it names the host " + elsewhere + ", which registries.ask does not allow"
	strict := newAsked(t, hang.Limit, config.Registry{Host: redirects, PlainHTTP: true})
	strict.wants(t, redirects+"/team/db:1", "", refused)
	strict.saw(t, redirects, "failed 1")
	newAsked(t, hang.Limit, config.Registry{Host: tokens, PlainHTTP: true}).wants(t, tokens+"/team/db:1", "", "it names the host tokens.example.com, which")
	newAsked(t, hang.Limit, config.Registry{Host: redirects, Hosts: []string{elsewhere}, PlainHTTP: true}).wants(t, redirects+"/team/db:1", digest, "")
	newAsked(t, hang.Limit, config.Registry{Host: elsewhere}).wants(t, elsewhere+"/team/db:1", "", "without TLS")
}

// A registry that does not answer, that is gone, or that answers without an end, costs a bounded time.
func TestABadRegistry(t *testing.T) {
	t.Parallel()
	hangs := served(t, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	})
	endless := served(t, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v2/" {
				w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="http://%s/token",service="x"`, r.Host))
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		})
	})
	gone := httptest.NewServer(nil)
	gone.Close()
	host := strings.TrimPrefix(gone.URL, "http://")
	quiet := newAsked(t, 2*time.Second, config.Registry{Host: hangs, PlainHTTP: true})
	quiet.wants(t, hangs+"/db:1", "", "no answer in time")
	for i := range 100 {
		quiet.wants(t, fmt.Sprintf("%s/db:%d", hangs, i), "", "no answer in time")
	}
	quiet.saw(t, hangs, "unreachable 1")
	for at, reason := range map[string]string{hangs: "no answer in time", host: "cannot be reached: connect: connection refused", endless: "asking it failed"} {
		r := newAsked(t, 2*time.Second, config.Registry{Host: at, PlainHTTP: true})
		r.wants(t, at+"/db:1", "", reason)
		r.wants(t, at+"/db:1", "", reason)
	}
}

// The credentials are the administrator's, and read again when they are exchanged.
func TestCredentials(t *testing.T) {
	t.Parallel()
	host := served(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, password, _ := r.BasicAuth(); password != "right" {
				w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := newAsked(t, hang.Limit, config.Registry{Host: host, PlainHTTP: true, Credentials: folder})
	r.wants(t, host+"/db:1", "", "answered 401")
	write(FileUsername, "assay")
	write(FilePassword, "right\n")
	r.clock.SetTime(r.clock.Now().Add(fresh))
	r.wants(t, host+"/db:1", "", "answered 404")
	write(FileCA, "no certificate")
	if _, err := New(config.Registries{Ask: []config.Registry{{Host: host, Credentials: folder}}}, r.clock); err == nil {
		t.Error("a CA that is none passes")
	}
}

// Many images of a namespace are not asked for in one minute, and that is no matter of others: each has a share.
func TestTooMany(t *testing.T) {
	t.Parallel()
	host := served(t, nil)
	r := newAsked(t, hang.Limit, config.Registry{Host: host, PlainHTTP: true})
	for of := range 32 {
		for i := range maxKnown {
			if _, known := r.remembered(fmt.Sprint("hostile-", of), "another", "x"); known {
				break // no more are asked for
			}
			r.remember(fmt.Sprintf("%d of %d", i, of), "x", answer{at: r.clock.Now(), by: fmt.Sprint("hostile-", of)})
		}
	}
	if n := len(r.known); n > 4*maxKnown {
		t.Errorf("%d answers are kept", n)
	}
	if _, err := r.Digest(t.Context(), "hostile-0", host+"/db:1"); err == nil || !strings.Contains(err.Error(), "too many") {
		t.Errorf("one more of a namespace that has asked for many: %v", err)
	}
	r.saw(t, host, "postponed 1")
	r.wants(t, host+"/db:1", "", "answered 404")
	r.clock.SetTime(r.clock.Now().Add(fresh))
	if _, err := r.Digest(t.Context(), "hostile-0", host+"/db:2"); err == nil || !strings.Contains(err.Error(), "answered 404") {
		t.Errorf("a minute later: %v", err)
	}
}
