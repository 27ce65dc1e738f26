package target

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/assay-bench/assay/internal/agent/clock"
	"github.com/assay-bench/assay/internal/agent/control"
	"github.com/assay-bench/assay/internal/agent/environment"
	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// maxRequest is the maximum size of a request's body, in bytes: two signed URLs with a session token for each part of an archive.
	maxRequest = 900 << 10
	// farewell is the timeout of responses when the agent ends.
	farewell = time.Second
)

// handler serves the probes, and to requests that are signed for the target the environment and operations.
func (a *agent) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /readyz", a.readyz)
	for pattern, answer := range map[string]func(*http.Request) (any, error){
		"GET " + contract.PathEnvironment: a.environment,
		"GET " + contract.PathClock:       a.clock,
		"GET " + contract.PathSpeed:       a.speed,
		"GET " + contract.PathReplica:     a.replica,
		"POST " + contract.PathSnapshot:   a.operate,
		"POST " + contract.PathRestore:    a.operate,
		"POST " + contract.PathRestart:    a.operate,
		"POST " + contract.PathSettings:   a.operate,
		"POST " + contract.PathArchive:    a.operate,
		"POST " + contract.PathFetch:      a.operate,
	} {
		mux.HandleFunc(pattern, a.gate.Guard(func(r *http.Request) (int, []byte) {
			document, err := answer(r)
			if err != nil {
				return refuse(err)
			}
			return encode(http.StatusOK, document)
		}))
	}
	return mux
}

// turnAway a request that the gate does not let through.
func (a *agent) turnAway(err error) (status int, body []byte) {
	reason := contract.ReasonUnauthorized
	if errors.Is(err, control.ErrFull) {
		reason = contract.ReasonBusy
	}
	return refuse(fail(reason, "%v", err))
}

// readyz is 200 only if a login works at this moment and, on a replica, replication runs.
func (a *agent) readyz(w http.ResponseWriter, r *http.Request) {
	var err error
	if !a.serving.Load() {
		err = errDown
	} else if err = a.login.check(r.Context(), loginValid); err == nil && a.follower != nil {
		err = a.follower.ready(r.Context())
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	}
}

var errDown = errors.New("the server is starting, stopping, or down for a copy of its data")

func (a *agent) environment(request *http.Request) (any, error) {
	now := time.Now()
	var r environment.Reader
	env := contract.TargetEnvironment{
		Version: contract.EnvironmentVersion, Flavor: a.in.target.Flavor, ServerVersion: a.login.lastVersion(),
		Machine: r.Machine(), Limits: r.Limits(), Warnings: a.logged.list(), Storage: a.storage.Load(), Usage: r.Usage(int(a.pid.Load())),
	}
	env.Usage.CPUFrequency = r.Frequency()
	if query := request.URL.Query(); query.Has("from") || query.Has("to") {
		if err := a.addWindow(&env, now, query); err != nil {
			return nil, err
		}
	}
	return env, nil
}

// clock answers with the time at once, because processing time would add to the round trip.
func (a *agent) clock(*http.Request) (any, error) {
	received := clock.Now()
	return contract.Clock{Received: received.UTC(), Answered: clock.Now().UTC()}, nil
}

// maxAge is the maximum age of the start of a window, in seconds: warm-up and window take at
// most a day each.
const maxAge = 3 * 24 * 3600

// addWindow adds what the samples show of the window of the parameters from and to.
func (a *agent) addWindow(env *contract.TargetEnvironment, now time.Time, query url.Values) error {
	var at [2]time.Time
	for i, name := range []string{"from", "to"} {
		age, err := secondsOf(query, name, maxAge)
		if err != nil {
			return err
		}
		at[i] = now.Add(-time.Duration(age * float64(time.Second)))
	}
	a.sampler.Sample() // it ends a gap that lasted until now
	env.Gap, env.Window = a.sampler.Gap(at[0], at[1]), a.sampler.Window(at[0], at[1])
	return nil
}

// secondsOf a parameter, from 0 to most.
func secondsOf(query url.Values, name string, most float64) (float64, error) {
	seconds, err := strconv.ParseFloat(query.Get(name), 64)
	// Written this way, the condition also refuses NaN.
	if err != nil || !(seconds >= 0 && seconds <= most) {
		return 0, fail(contract.ReasonRequestInvalid, "%s: got %q, want seconds from 0 to %g", name, query.Get(name), most)
	}
	return seconds, nil
}

// operate answers when the operation has ended. The operation continues without the requester.
func (a *agent) operate(r *http.Request) (any, error) {
	var wanted contract.Operation
	err := json.NewDecoder(io.LimitReader(r.Body, maxRequest)).Decode(&wanted)
	if err == nil && wanted.ID == "" {
		err = errors.New("id: is empty; give every operation one of its own")
	}
	if err == nil {
		err = checkArchive(r.URL.Path, wanted.Archive)
	}
	if err != nil {
		return nil, fail(contract.ReasonRequestInvalid, "the body must be an operation: %v", err)
	}
	if refusals := a.in.engine.Refuse("settings", wanted.Settings); len(refusals) > 0 {
		return nil, fail(contract.ReasonRequestInvalid, "%v", errors.Join(refusals...))
	}
	op, err := a.operations.ask(r.URL.Path, wanted)
	if err != nil {
		return nil, err
	}
	select {
	case <-op.done:
		return op.copied, op.err
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// checkArchive refuses an archive that the operation of the path cannot be done with.
func checkArchive(path string, archive *contract.Archive) error {
	switch {
	case path != contract.PathArchive && path != contract.PathFetch:
		return nil
	case archive == nil || len(archive.Parts) == 0 || len(archive.Parts) > contract.MaxDataParts:
		return fmt.Errorf("archive: it needs 1 to %d parts", contract.MaxDataParts)
	case path == contract.PathArchive && archive.PartBytes <= 0, path == contract.PathFetch && archive.Bytes <= 0:
		return errors.New("archive: it needs the size of a part, or of all files")
	}
	return nil
}

// listen serves HTTP. The socket is open when it returns; hangUp closes it after the last
// responses.
func (a *agent) listen(ctx context.Context) (hangUp func(), err error) {
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

// statusOf is the HTTP status of a refusal; 500 by default.
var statusOf = map[contract.TargetReason]int{
	contract.ReasonUnauthorized:    http.StatusUnauthorized,
	contract.ReasonRequestInvalid:  http.StatusBadRequest,
	contract.ReasonBusy:            http.StatusConflict,
	contract.ReasonSnapshotMissing: http.StatusPreconditionFailed,
	contract.ReasonAgentStopped:    http.StatusServiceUnavailable,
	contract.ReasonStorageFailed:   http.StatusInsufficientStorage,
	contract.ReasonPartDamaged:     http.StatusUnprocessableEntity,
	contract.ReasonPartFailed:      http.StatusFailedDependency,
}

// refusalOf translates the end of an operation.
func refusalOf(err error) contract.Refusal {
	var f *failure
	switch {
	case errors.As(err, &f):
		return contract.Refusal(f.termination())
	case errors.Is(err, context.Canceled):
		return contract.Refusal{Reason: contract.ReasonAgentStopped, Message: "the agent is shutting down"}
	}
	return contract.Refusal{Reason: contract.ReasonInitialisationFailed, Message: err.Error()}
}

func refuse(err error) (status int, body []byte) {
	refusal := refusalOf(err)
	return encode(cmp.Or(statusOf[refusal.Reason], http.StatusInternalServerError), refusal)
}

func encode(status int, document any) (int, []byte) {
	body, err := json.Marshal(document)
	if err != nil {
		return http.StatusInternalServerError, []byte(err.Error())
	}
	return status, body
}
