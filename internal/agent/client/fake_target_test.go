package client

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/agent/control"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// fakeTarget is the agent of a database pod.
type fakeTarget struct {
	// stop is how long its server takes to stop; nil where it does not say.
	stop    *float64
	address string

	mu sync.Mutex
	// calls are the requests in their order, with the ID of an operation.
	calls []string
	// refuse is the answer to an operation, if set; onSet gets each setting that is not refused; drop is how many operations end
	// without an answer, and busy how many are put off.
	refuse     *contract.Refusal
	onSet      func(contract.Setting)
	drop, busy int
	usages     int64
	// ahead is by how much its clock is ahead of this machine's; jitter is how long each
	// answer may be on its way, noClock that it has none.
	ahead, jitter time.Duration
	noClock       bool
	clocks        int
	// window is the answer where one was asked for; ages are what was asked for.
	window *contract.UsageWindow
	gap    *contract.Gap
	ages   []string
	// environmentAt is when the environment was asked for.
	environmentAt []time.Time
}

func newFakeTarget(t *testing.T) *fakeTarget {
	t.Helper()
	f := &fakeTarget{}
	server := httptest.NewServer(guarded(f.ServeHTTP))
	t.Cleanup(server.Close)
	f.address = strings.TrimPrefix(server.URL, "http://")
	return f
}

// guarded is a handler behind the gate of the agents of the tests.
func guarded(next http.HandlerFunc) http.HandlerFunc {
	gate := control.NewGate(control.NewKey(agentKey), func(error) (int, []byte) { return http.StatusUnauthorized, nil })
	return gate.Guard(func(r *http.Request) (int, []byte) {
		w := httptest.NewRecorder()
		next(w, r)
		return w.Code, w.Body.Bytes()
	})
}

func (f *fakeTarget) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Method == http.MethodGet && r.URL.Path == contract.PathEnvironment {
		f.calls = append(f.calls, "environment")
		f.environmentAt = append(f.environmentAt, time.Now())
		f.usages++
		var window *contract.UsageWindow
		var gap *contract.Gap
		if query := r.URL.Query(); query.Has("from") {
			f.ages = append(f.ages, query.Get("from"), query.Get("to"))
			window, gap = f.window, f.gap
		}
		_ = json.NewEncoder(w).Encode(contract.TargetEnvironment{
			Version: contract.EnvironmentVersion, Flavor: "mariadb", Machine: contract.Machine{CPUModel: "A CPU"},
			Limits: contract.Limits{CgroupVersion: 2}, Warnings: []string{"w"}, Storage: &contract.Storage{Filesystem: "ext4"}, Usage: contract.Usage{Throttled: &f.usages},
			Window: window, Gap: gap,
		})
		return
	}
	if r.URL.Path == contract.PathClock && f.noClock {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if r.URL.Path == contract.PathClock {
		f.clocks++
		told := contract.Clock{Received: time.Now().Add(f.ahead)}
		told.Answered = time.Now().Add(f.ahead)
		if f.jitter > 0 {
			time.Sleep(rand.N(f.jitter))
		}
		_ = json.NewEncoder(w).Encode(told)
		return
	}
	if r.Method == http.MethodGet && r.URL.Path == contract.PathSpeed {
		f.calls = append(f.calls, "speed")
		_ = json.NewEncoder(w).Encode(aSpeed())
		return
	}
	var op contract.Operation
	_ = json.NewDecoder(r.Body).Decode(&op)
	call := r.Method + " " + r.URL.Path + " " + op.ID
	for _, s := range op.Settings {
		call += " " + s.Name + "=" + s.Value
	}
	f.calls = append(f.calls, call)
	switch {
	case f.drop > 0:
		f.drop--
		panic(http.ErrAbortHandler)
	case f.busy > 0:
		f.busy--
		w.WriteHeader(http.StatusConflict)
		_ = json.NewEncoder(w).Encode(contract.Refusal{Reason: contract.ReasonBusy, Message: "a snapshot is under way"})
	case f.refuse != nil:
		w.WriteHeader(http.StatusInternalServerError)
		_ = json.NewEncoder(w).Encode(f.refuse)
	default:
		for _, s := range op.Settings {
			if f.onSet != nil {
				f.onSet(s)
			}
		}
		done := aCopy()
		done.StopSeconds = f.stop
		_ = json.NewEncoder(w).Encode(done)
	}
}

func aSpeed() contract.Speed {
	return contract.Speed{Integer: &contract.Kernel{N: 24, MeanSeconds: 0.001, CPUSeconds: 0.0009, MinSeconds: 0.0008, P50Seconds: 0.0009}, Seconds: 0.04}
}

func aCopy() contract.Copy {
	return contract.Copy{Bytes: 1 << 30, Files: 12, Reflink: true, Seconds: 0.5, StoppedSeconds: 2}
}
