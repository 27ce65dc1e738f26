package target

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/assay-bench/assay/internal/agent/environment"

	"github.com/assay-bench/assay/internal/contract"
)

const (
	// maxRequest is how long the body of a request may be, in bytes.
	maxRequest = 4 << 10
	// farewell is how long answers may take when the agent ends.
	farewell = time.Second
)

// handler answers the probes; and the environment and operations to whoever has
// the benchmark's password.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.HandleFunc("GET "+contract.PathEnvironment, s.authorized(s.environment))
	mux.HandleFunc("GET "+contract.PathClock, s.authorized(s.clock))
	mux.HandleFunc("GET "+contract.PathSpeed, s.authorized(s.speed))
	mux.HandleFunc("GET "+contract.PathReplica, s.authorized(s.answerReplica))
	for _, path := range []string{contract.PathSnapshot, contract.PathRestore} {
		mux.HandleFunc("POST "+path, s.authorized(func(w http.ResponseWriter, r *http.Request) { s.operate(w, r, path) }))
	}
	return mux
}

// authorized lets through who bears the token.
func (s *server) authorized(next http.HandlerFunc) http.HandlerFunc {
	want := []byte("Bearer " + contract.ControlToken(s.in.password))
	return func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			s.refuse(w, fail(contract.ReasonUnauthorized, "the header Authorization must bear the control token of the target's password"))
			return
		}
		next(w, r)
	}
}

// readyz is 200 only if a login works at this moment, and on a replica, if it follows its
// primary.
func (s *server) readyz(w http.ResponseWriter, r *http.Request) {
	if !s.serving.Load() {
		http.Error(w, "the server is starting, stopping, or down for a copy of its data", http.StatusServiceUnavailable)
		return
	}
	if err := s.door.check(r.Context(), loginValid); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if s.follower != nil {
		if err := s.follower.ready(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
	}
	w.WriteHeader(http.StatusOK)
}

func (s *server) environment(w http.ResponseWriter, request *http.Request) {
	now := time.Now()
	window, err := s.window(now, request.URL.Query())
	if err != nil {
		s.refuse(w, err)
		return
	}
	var r environment.Reader
	s.answer(w, http.StatusOK, contract.TargetEnvironment{
		Version: contract.EnvironmentVersion, Flavor: s.in.target.Flavor, ServerVersion: s.door.lastVersion(),
		Machine: r.Machine(), Limits: r.Limits(), Warnings: s.findings(), Storage: s.where(), Usage: s.usage(r), Window: window,
	})
}

// clock tells the time, at once: what it takes in between is not on the way.
func (s *server) clock(w http.ResponseWriter, _ *http.Request) {
	received := time.Now()
	s.answer(w, http.StatusOK, contract.Clock{Received: received.UTC(), Answered: time.Now().UTC()})
}

// maxAge is how long ago a window may have begun, in seconds: warm-up and window last a day
// each at most.
const maxAge = 3 * 24 * 3600

// window is what was asked for with from and to; nil when nothing was, or there are no
// samples of it.
func (s *server) window(now time.Time, query url.Values) (*contract.UsageWindow, error) {
	if !query.Has("from") && !query.Has("to") {
		return nil, nil
	}
	var at [2]time.Time
	for i, name := range []string{"from", "to"} {
		text := query.Get(name)
		age, err := strconv.ParseFloat(text, 64)
		// In these words NaN, too, is refused.
		if err != nil || !(age >= 0 && age <= maxAge) {
			return nil, fail(contract.ReasonRequestInvalid, "%s: got %q, want seconds before now, from 0 to %d", name, text, maxAge)
		}
		at[i] = now.Add(-time.Duration(age * float64(time.Second)))
	}
	before, after, ok := s.sampler.Window(at[0], at[1])
	if !ok {
		return nil, nil
	}
	return &contract.UsageWindow{Before: before, After: after}, nil
}

func (s *server) usage(r environment.Reader) contract.Usage {
	u := r.Usage(int(s.pid.Load()))
	u.CPUFrequency = r.Frequency()
	return u
}

// operate answers when the operation has ended. It goes on without whoever asked.
func (s *server) operate(w http.ResponseWriter, r *http.Request, path string) {
	var wanted contract.Operation
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&wanted)
	if err == nil && wanted.ID == "" {
		err = errors.New("id: is empty; give every operation one of its own")
	}
	if err != nil {
		s.refuse(w, fail(contract.ReasonRequestInvalid, "the body must be an operation: %v", err))
		return
	}
	op, err := s.operations.ask(path, wanted.ID)
	if err != nil {
		s.refuse(w, err)
		return
	}
	select {
	case <-op.done:
	case <-r.Context().Done():
		return
	}
	if op.err != nil {
		s.refuse(w, op.err)
		return
	}
	s.answer(w, http.StatusOK, op.copied)
}

// listen serves HTTP. The socket is open when it returns; hangUp closes it once
// the last answers are out.
func (s *server) listen(ctx context.Context) (hangUp func(), err error) {
	socket, err := new(net.ListenConfig).Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return nil, fail(contract.ReasonInitialisationFailed, "opening the agent's own port: %v", err)
	}
	httpServer := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := httpServer.Serve(socket); !errors.Is(err, http.ErrServerClosed) {
			s.Log.Error("the agent's HTTP server ended", "error", err)
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
