package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/agent/control"
	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestOnlyThePasswordOpens(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	for _, password := range []string{"", "other", "Secret", "secretx"} {
		for path, method := range map[string]string{contract.PathEnvironment: "GET", contract.PathReplica: "GET", contract.PathClock: "GET", contract.PathSpeed: "GET", contract.PathSnapshot: "POST", contract.PathRestore: "POST"} {
			code, body := r.request(method, path, password, `{"id":"x"}`)
			var refusal contract.Refusal
			if err := json.Unmarshal([]byte(body), &refusal); err != nil || code != http.StatusUnauthorized || refusal.Reason != contract.ReasonUnauthorized {
				t.Errorf("%s with %q: %d %s", path, password, code, body)
			}
		}
	}
	for _, path := range []string{"/readyz", "/livez"} {
		if code, _ := r.request("GET", path, "", ""); code != http.StatusOK {
			t.Errorf("%s without a token: %d", path, code)
		}
	}
	if r.volume.hasSnapshot() {
		t.Error("somebody without the password took a snapshot")
	}
}

func TestEnvironmentOfAWindow(t *testing.T) {
	r := newRig(t, "init", "serve")
	began := time.Now()
	for range 4 {
		r.sampler.Sample()
		time.Sleep(300 * time.Millisecond)
	}
	r.sampler.Sample()
	// since the first sample.
	since := func() string { return fmt.Sprintf("?from=%g&to=0", time.Since(began).Seconds()) }
	tests := map[string]struct {
		query string
		code  int
		has   bool
	}{
		"no window":                       {"", http.StatusOK, false},
		"a window with samples":           {"since", http.StatusOK, true},
		"a window before the samples":     {"?from=20&to=10", http.StatusOK, false},
		"a window that ends first":        {"?from=0&to=0.1", http.StatusOK, false},
		"a window without an end":         {"?from=0.1", http.StatusBadRequest, false},
		"a window in the future":          {"?from=-1&to=0", http.StatusBadRequest, false},
		"a window that began last year":   {"?from=1e8&to=0", http.StatusBadRequest, false},
		"a window of what is no number":   {"?from=NaN&to=0", http.StatusBadRequest, false},
		"a window of what is no age, too": {"?from=0.1&to=x", http.StatusBadRequest, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			query := tc.query
			if query == "since" {
				query = since()
			}
			code, body := r.request("GET", contract.PathEnvironment+query, agentKey, "")
			var got contract.TargetEnvironment
			if err := json.Unmarshal([]byte(body), &got); code == http.StatusOK && err != nil {
				t.Fatal(err)
			}
			if code != tc.code || (got.Window != nil) != tc.has {
				t.Fatalf("got %d %s, want %d and a window: %v", code, body, tc.code, tc.has)
			}
			if w := got.Window; w != nil && !w.Before.At.Before(w.After.At) {
				t.Errorf("the window is from %s to %s", w.Before.At, w.After.At)
			}
		})
	}
}

// A container that stood still until now says so: the next sample would be late.
func TestEnvironmentOfAWindowWithAGap(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.sampler.Sample()
	time.Sleep(1300 * time.Millisecond)
	for query, has := range map[string]bool{"?from=10&to=0": true, "?from=0.3&to=0": false, "": false} {
		_, body := r.request("GET", contract.PathEnvironment+query, agentKey, "")
		var got contract.TargetEnvironment
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		if (got.Gap != nil) != has || has && got.Gap.InsideSeconds < 1 {
			t.Errorf("%q: the gap is %+v, want one: %v: %s", query, got.Gap, has, body)
		}
	}
}

func TestRequestsThatAreNoOperation(t *testing.T) {
	r := newRig(t, "init", "serve")
	for _, body := range []string{"", "{}", `{"id":""}`, `{"id":5}`, "[", `{"id":"` + strings.Repeat("x", maxRequest) + `"}`} {
		code, answer := r.request("POST", contract.PathSnapshot, agentKey, body)
		if code != http.StatusBadRequest || !strings.Contains(answer, string(contract.ReasonRequestInvalid)) {
			t.Errorf("%.20q: %d %s", body, code, answer)
		}
	}
}

// Whoever waits hears it before the agent's port closes.
func TestAStopIsAnswered(t *testing.T) {
	r := newRig(t, "init", "serve")
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.Listen = socket.Addr().String()
	_ = socket.Close()
	r.beginReady(t)
	r.volume.clone = func(_, _ *os.File) error { r.stop(); return errors.ErrUnsupported }
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+r.Listen+contract.PathSnapshot, strings.NewReader(`{"id":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	signing := &http.Client{Transport: control.NewTransport(control.NewKey(agentKey), http.DefaultTransport)}
	answer, err := signing.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var refusal contract.Refusal
	if err := json.NewDecoder(answer.Body).Decode(&refusal); err != nil || answer.StatusCode != http.StatusServiceUnavailable || refusal.Reason != contract.ReasonAgentStopped {
		t.Errorf("got %d %+v, %v; want %s", answer.StatusCode, refusal, err, contract.ReasonAgentStopped)
	}
	_ = r.end(t)
	if _, err := net.Dial("tcp", r.Listen); err == nil {
		t.Error("the port is open after the end")
	}
}

// The tool of a benchmark has the password: that opens nothing.
func TestThePasswordIsNoKey(t *testing.T) {
	r := newRig(t, "init", "serve")
	for _, path := range []string{contract.PathSnapshot, contract.PathRestore} {
		if code, body := r.request("POST", path, r.in.password, `{"id":"x"}`); code != http.StatusUnauthorized {
			t.Errorf("%s: %d %s, want 401", path, code, body)
		}
	}
	if code, _ := r.request("GET", contract.PathClock, r.in.password, ""); code != http.StatusUnauthorized {
		t.Errorf("%s: %d", contract.PathClock, code)
	}
}

func TestTheAgentTellsTheTime(t *testing.T) {
	r := newRig(t, "init", "serve")
	before := time.Now()
	code, body := r.request("GET", contract.PathClock, agentKey, "")
	after := time.Now()
	var told contract.Clock
	if err := json.Unmarshal([]byte(body), &told); err != nil || code != http.StatusOK {
		t.Fatalf("%d %s, %v", code, body, err)
	}
	if told.Received.Before(before.Round(0)) || told.Answered.Before(told.Received) || told.Answered.After(after.Round(0)) {
		t.Errorf("received %s, answered %s: not between %s and %s", told.Received, told.Answered, before, after)
	}
}

// What the trial asks for just before it begins: the node's speed and the storage's, in less
// time than a trial may lose to it, and nothing is left in the volume.
func TestSpeed(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	code, body := r.request("GET", contract.PathSpeed, agentKey, "")
	var got contract.Speed
	if err := json.Unmarshal([]byte(body), &got); err != nil || code != http.StatusOK {
		t.Fatalf("%d %s", code, body)
	}
	if got.Integer == nil || got.Memory == nil || got.Fsync == nil || got.Fsync.N > quickSyncs || got.Seconds <= 0 {
		t.Errorf("speed %s", body)
	}
	if _, err := os.Stat(r.Data + "/.assay-fsync"); !os.IsNotExist(err) {
		t.Errorf("the file of the probe is still there: %v", err)
	}
}

// Requests wait for one another: one whose asker has gone meanwhile measures nothing, since it would
// run beside a trial.
func TestNobodyMeasuresForWhoHasGone(t *testing.T) {
	r := newRig(t, "init", "serve")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := r.speed(httptest.NewRequestWithContext(gone, http.MethodGet, contract.PathSpeed, nil)); got != nil || err == nil {
		t.Errorf("it was measured: %v, %v", got, err)
	}
}
