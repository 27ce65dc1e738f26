package target

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assay-bench/assay/internal/agent/clock"
	"github.com/assay-bench/assay/internal/agent/control"
	"github.com/assay-bench/assay/internal/agent/environment"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// maxRequest is the maximum size of a request's body, in bytes.
	maxRequest = 4 << 10
	// farewell is the timeout of responses when the agent ends.
	farewell = time.Second
)

// api answers clients and the kubelet.
type api struct {
	Options
	gate       *control.Gate
	flavor     string
	login      *loginProbe
	volume     *volume
	operations *operations
	follower   *follower
	sampler    *environment.Sampler
	state      *serverState
	logged     *logFindings
	storage    *atomic.Pointer[contract.Storage]
	speeding   *sync.Mutex
}

// handler serves the probes, and to requests that are signed for the target the environment and operations.
func (a api) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("GET /readyz", a.readyz)
	mux.HandleFunc("GET "+contract.PathEnvironment, a.gate.Guard(a.environment))
	mux.HandleFunc("GET "+contract.PathClock, a.gate.Guard(a.clock))
	mux.HandleFunc("GET "+contract.PathSpeed, a.gate.Guard(a.speed))
	mux.HandleFunc("GET "+contract.PathReplica, a.gate.Guard(a.answerReplica))
	for _, path := range []string{contract.PathSnapshot, contract.PathRestore} {
		mux.HandleFunc("POST "+path, a.gate.Guard(func(w http.ResponseWriter, r *http.Request) { a.operate(w, r, path) }))
	}
	return mux
}

// turnAway a request that the gate does not let through.
func (a api) turnAway(w http.ResponseWriter, err error) {
	if errors.Is(err, control.ErrFull) {
		a.refuse(w, fail(contract.ReasonBusy, "%v", err))
		return
	}
	a.refuse(w, fail(contract.ReasonUnauthorized, "%v", err))
}

// readyz is 200 only if a login works at this moment and, on a replica, replication runs.
func (a api) readyz(w http.ResponseWriter, r *http.Request) {
	if !a.state.serving.Load() {
		http.Error(w, "the server is starting, stopping, or down for a copy of its data", http.StatusServiceUnavailable)
		return
	}
	if err := a.login.check(r.Context(), loginValid); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if a.follower != nil {
		if err := a.follower.ready(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
	}
	w.WriteHeader(http.StatusOK)
}

func (a api) environment(w http.ResponseWriter, request *http.Request) {
	now := time.Now()
	var r environment.Reader
	env := contract.TargetEnvironment{
		Version: contract.EnvironmentVersion, Flavor: a.flavor, ServerVersion: a.login.lastVersion(),
		Machine: r.Machine(), Limits: r.Limits(), Warnings: a.logged.list(), Storage: a.storage.Load(), Usage: a.usage(r),
	}
	if query := request.URL.Query(); query.Has("from") || query.Has("to") {
		if err := a.addWindow(&env, now, query); err != nil {
			a.refuse(w, err)
			return
		}
	}
	a.answer(w, http.StatusOK, env)
}

// clock answers with the time at once, because processing time would add to the round trip.
func (a api) clock(w http.ResponseWriter, _ *http.Request) {
	received := clock.Now()
	a.answer(w, http.StatusOK, contract.Clock{Received: received.UTC(), Answered: clock.Now().UTC()})
}

// maxAge is the maximum age of the start of a window, in seconds: warm-up and window take at
// most a day each.
const maxAge = 3 * 24 * 3600

// addWindow adds what the samples show of the window of the parameters from and to.
func (a api) addWindow(env *contract.TargetEnvironment, now time.Time, query url.Values) error {
	var at [2]time.Time
	for i, name := range []string{"from", "to"} {
		text := query.Get(name)
		age, err := strconv.ParseFloat(text, 64)
		// Written this way, the condition also refuses NaN.
		if err != nil || !(age >= 0 && age <= maxAge) {
			return fail(contract.ReasonRequestInvalid, "%s: got %q, want seconds before now, from 0 to %d", name, text, maxAge)
		}
		at[i] = now.Add(-time.Duration(age * float64(time.Second)))
	}
	a.sampler.Sample() // it ends a gap that lasted until now
	env.Gap = a.sampler.Gap(at[0], at[1])
	if before, after, ok := a.sampler.Window(at[0], at[1]); ok {
		env.Window = &contract.UsageWindow{Before: before, After: after}
	}
	return nil
}

func (a api) usage(r environment.Reader) contract.Usage {
	u := r.Usage(int(a.state.pid.Load()))
	u.CPUFrequency = r.Frequency()
	return u
}

// operate answers when the operation has ended. The operation continues without the requester.
func (a api) operate(w http.ResponseWriter, r *http.Request, path string) {
	var wanted contract.Operation
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&wanted)
	if err == nil && wanted.ID == "" {
		err = errors.New("id: is empty; give every operation one of its own")
	}
	if err != nil {
		a.refuse(w, fail(contract.ReasonRequestInvalid, "the body must be an operation: %v", err))
		return
	}
	op, err := a.operations.ask(path, wanted.ID)
	if err != nil {
		a.refuse(w, err)
		return
	}
	select {
	case <-op.done:
	case <-r.Context().Done():
		return
	}
	if op.err != nil {
		a.refuse(w, op.err)
		return
	}
	a.answer(w, http.StatusOK, op.copied)
}

// listen serves HTTP. The socket is open when it returns; hangUp closes it after the last
// responses.
func (a api) listen(ctx context.Context) (hangUp func(), err error) {
	socket, err := new(net.ListenConfig).Listen(ctx, "tcp", a.Listen)
	if err != nil {
		return nil, fail(contract.ReasonInitialisationFailed, "opening the agent's own port: %v", err)
	}
	httpServer := &http.Server{Handler: a.handler(), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := httpServer.Serve(socket); !errors.Is(err, http.ErrServerClosed) {
			a.Log.Error("the agent's HTTP server ended", "error", err)
		}
	}()
	return func() {
		ctx, cancel := context.WithTimeout(ctx, farewell)
		defer cancel()
		if httpServer.Shutdown(ctx) != nil {
			_ = httpServer.Close()
		}
	}, nil
}
