package registry

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"k8s.io/utils/clock"

	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Bounds of what the registries are asked.
const (
	// atOnce are requests side by side, over all registries. A namespace that has none underway need not wait for those of others.
	atOnce = 4
	// fresh is how long an answer is believed, an error included: what many schedules name is asked once.
	fresh = time.Minute
	// maxKnown images are asked for in that time, about. All namespaces that ask have the same share, but at least one image, and
	// those that are alone leave room for the next.
	maxKnown, room = 1000, 3
	// maxReason of an error, in bytes.
	maxReason = 256
)

var errTooMany = errors.New("too many images of its namespace are asked for at the moment")

// Outcome of asking a registry for a digest.
type Outcome string

// Outcomes. An answer that is remembered is none.
const (
	// Answered: it said which digest the tag has.
	Answered Outcome = "answered"
	// Refused: it answered with an error of HTTP, such as for credentials, or for an image that it does not have.
	Refused Outcome = "refused"
	// Unreachable: there was no answer in time, or no connection.
	Unreachable Outcome = "unreachable"
	// Failed: the manager could not ask or would not go on, such as for credentials that cannot be read, or for a
	// redirect to a host that the administrator did not name.
	Failed Outcome = "failed"
	// Postponed: too many images were asked for, so that it was not asked.
	Postponed Outcome = "postponed"
)

// Outcomes are all of them.
func Outcomes() []Outcome { return []Outcome{Answered, Refused, Unreachable, Failed, Postponed} }

// Resolver asks registries. It is safe for concurrent use.
type Resolver struct {
	// Observe how asking a registry ended, by its host as the configuration has it. Set it before the first use; nil:
	// nobody is told.
	Observe func(host string, o Outcome)

	timeout    time.Duration
	registries map[string]config.Registry
	clock      clock.PassiveClock

	mu sync.Mutex
	// underway are the requests of each namespace, and left is closed when one of them ends.
	underway map[string]int
	left     chan struct{}
	// known answers by the image, and registries that did not answer, by the host.
	known, silent map[string]answer
}

// answer of a registry, or why there is none.
type answer struct {
	at time.Time
	// by is the namespace that asked.
	by     string
	digest string
	err    error
}

// New resolver. It fails where the credentials of a registry cannot be used.
func New(c config.Registries, clock clock.PassiveClock) (*Resolver, error) {
	r := &Resolver{timeout: c.Timeout.Duration, registries: map[string]config.Registry{}, clock: clock, underway: map[string]int{}, left: make(chan struct{}), known: map[string]answer{}, silent: map[string]answer{}}
	for _, one := range c.Ask {
		host, err := hostOf(one.Host)
		if err != nil {
			return nil, fmt.Errorf("registry %s: %w", one.Host, err)
		}
		if _, err := newTransport(one, host, r.timeout); err != nil {
			return nil, fmt.Errorf("registry %s: %w", one.Host, err)
		}
		if _, err := login(one); err != nil {
			return nil, fmt.Errorf("registry %s: %w", one.Host, err)
		}
		r.registries[host] = one
	}
	return r, nil
}

// hostOf a registry: that of docker.io has another name.
func hostOf(host string) (string, error) {
	registry, err := name.NewRegistry(host)
	return registry.RegistryStr(), err
}

// Asks says whether an image has a tag, in a registry that may be asked. The digest of one that is named by digest is known.
func (r *Resolver) Asks(image string) bool {
	tag, err := name.NewTag(image)
	if err != nil {
		return false
	}
	_, may := r.registries[tag.RegistryStr()]
	return may
}

// Digest that the tag of an image has, such as sha256:..., for a namespace. Its errors are the same for the same cause, and short.
func (r *Resolver) Digest(ctx context.Context, namespace, image string) (string, error) {
	tag, err := name.NewTag(image)
	if err != nil {
		return "", errors.New("it is no name of an image with a tag")
	}
	if a, is := r.remembered(namespace, image, tag.RegistryStr()); is {
		r.postponed(tag.RegistryStr(), a.err)
		return a.digest, a.err
	}
	if err := r.enter(ctx, namespace); err != nil {
		r.postponed(tag.RegistryStr(), err)
		return "", err
	}
	defer r.leave(namespace)
	if a, is := r.remembered(namespace, image, tag.RegistryStr()); is {
		r.postponed(tag.RegistryStr(), a.err)
		return a.digest, a.err // somebody asked meanwhile
	}
	by, bound := ctx.Deadline()
	hasty := bound && time.Until(by) < r.timeout
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	a := answer{by: namespace}
	if a.digest, a.err = r.ask(ctx, tag); a.err != nil && ctx.Err() != nil && hasty {
		return "", a.err // the caller had no time for a whole timeout: that says nothing of the registry
	}
	a.at = r.clock.Now()
	r.remember(image, tag.RegistryStr(), a)
	r.observe(tag.RegistryStr(), outcomeOf(a.err))
	return a.digest, a.err
}

// postponed says whether a registry was not asked because too many images are asked for.
func (r *Resolver) postponed(host string, err error) {
	if errors.Is(err, errTooMany) {
		r.observe(host, Postponed)
	}
}

// observe an outcome, of a registry that may be asked: names of others are the tenants'.
func (r *Resolver) observe(host string, o Outcome) {
	if of, may := r.registries[host]; may && r.Observe != nil {
		r.Observe(of.Host, o)
	}
}

func outcomeOf(err error) Outcome {
	if err == nil {
		return Answered
	}
	if f := (failure{}); errors.As(err, &f) {
		return f.outcome
	}
	return Failed
}

// enter one of the slots, in so much time as a registry has to answer. The wait takes nothing from that.
func (r *Resolver) enter(ctx context.Context, namespace string) error {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	for {
		r.mu.Lock()
		all := 0
		for _, n := range r.underway {
			all += n
		}
		if r.underway[namespace] == 0 || all < atOnce {
			r.underway[namespace]++
			r.mu.Unlock()
			return nil
		}
		left := r.left
		r.mu.Unlock()
		select {
		case <-left:
		case <-ctx.Done():
			return errTooMany
		}
	}
}

func (r *Resolver) leave(namespace string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.underway[namespace]--; r.underway[namespace] == 0 {
		delete(r.underway, namespace)
	}
	close(r.left)
	r.left = make(chan struct{})
}

// failure to get a digest from a registry.
type failure struct {
	outcome Outcome
	// silent: the registry did not answer. It is not asked for other images either, so that it holds the callers for no more
	// than one timeout in a while. An image that hangs in a registry that answers for others is not silent.
	silent bool
	why    string
}

// Error says why.
func (f failure) Error() string { return f.why }

// remembered answer, or why there will be none.
func (r *Resolver) remembered(namespace, image, host string) (answer, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a, is := r.silent[host]; is && r.clock.Since(a.at) < fresh {
		return a, true
	}
	if a, is := r.known[image]; is && r.clock.Since(a.at) < fresh {
		return a, true
	}
	maps.DeleteFunc(r.known, func(_ string, a answer) bool { return r.clock.Since(a.at) >= fresh })
	asked := map[string]int{namespace: 0}
	for _, a := range r.known {
		asked[a.by]++
	}
	return answer{err: errTooMany}, asked[namespace] >= max(1, maxKnown/(len(asked)+room))
}

func (r *Resolver) remember(image, host string, a answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f := (failure{}); errors.As(a.err, &f) && f.silent {
		r.silent[host] = a
		return
	}
	delete(r.silent, host)
	r.known[image] = a
}

// ask the registry of an image.
func (r *Resolver) ask(ctx context.Context, tag name.Tag) (string, error) {
	of, may := r.registries[tag.RegistryStr()]
	if !may {
		return "", fmt.Errorf("registries.ask does not have %s", tag.RegistryStr())
	}
	if of.PlainHTTP {
		tag, _ = name.NewTag(tag.Name(), name.Insecure) // a name that was read before
	}
	// Both are read again each time, so that they can be exchanged.
	through, err := newTransport(of, tag.RegistryStr(), r.timeout)
	if err != nil {
		return "", err
	}
	as, err := login(of)
	if err != nil {
		return "", err
	}
	watched := &watch{RoundTripper: through}
	found, err := remote.Head(tag, remote.WithContext(ctx), remote.WithTransport(watched), remote.WithAuth(as), remote.WithUserAgent("assay"),
		remote.WithRetryPredicate(func(error) bool { return false }), remote.WithRetryStatusCodes())
	if err != nil {
		described := describe(ctx, err)
		described.silent = described.silent && !watched.manifest.Load()
		return "", described
	}
	return found.Digest.String(), nil
}

// watch whether the manifest of an image was asked for. From then on a registry has answered, and what goes wrong is that of the
// image: another one, as of another upstream of a cache, may be well.
type watch struct {
	http.RoundTripper
	manifest atomic.Bool
}

// RoundTrip of one request.
func (w *watch) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.Contains(r.URL.Path, "/manifests/") {
		w.manifest.Store(true)
	}
	return w.RoundTripper.RoundTrip(r)
}

// describe an error without what differs from time to time, such as ports and the text of a page.
func describe(ctx context.Context, err error) failure {
	var refused failure
	var answered *transport.Error
	var unknown *net.DNSError
	var op *net.OpError
	var timeout net.Error
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &answered) && len(answered.Errors) > 0:
		return failure{outcome: Refused, why: fmt.Sprintf("it answered %d: %s", answered.StatusCode, contract.Cut(string(answered.Errors[0].Code), 64))}
	case errors.As(err, &answered):
		return failure{outcome: Refused, why: fmt.Sprintf("it answered %d %s", answered.StatusCode, http.StatusText(answered.StatusCode))}
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return failure{outcome: Unreachable, silent: true, why: "there was no answer in time"}
	case errors.As(err, &unknown):
		return failure{outcome: Unreachable, silent: true, why: "its host is not known"}
	case errors.As(err, &op):
		return failure{outcome: Unreachable, silent: true, why: "it cannot be reached: " + contract.Cut(op.Err.Error(), maxReason)}
	}
	return failure{outcome: Failed, why: contract.Cut("asking it failed: "+err.Error(), maxReason)}
}
