package target

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/result"
)

func TestOnlyTheTokenOpens(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	good := "Bearer " + engine.ControlToken("secret")
	for _, authorization := range []string{"", "Bearer ", "Bearer secret", "Bearer " + engine.ControlToken("other"), good + "x", strings.TrimPrefix(good, "Bearer ")} {
		for path, method := range map[string]string{engine.PathEnvironment: "GET", engine.PathSpeed: "GET", engine.PathReplica: "GET", engine.PathSnapshot: "POST", engine.PathRestore: "POST"} {
			code, body := r.request(method, path, authorization, `{"id":"x"}`)
			var refusal engine.Refusal
			if err := json.Unmarshal([]byte(body), &refusal); err != nil || code != http.StatusUnauthorized || refusal.Reason != engine.ReasonUnauthorized {
				t.Errorf("%s with %q: %d %s", path, authorization, code, body)
			}
		}
	}
	for _, path := range []string{"/readyz", "/livez"} {
		if code, _ := r.request("GET", path, "", ""); code != http.StatusOK {
			t.Errorf("%s without a token: %d", path, code)
		}
	}
	if r.volume.hasSnapshot() {
		t.Error("somebody without the token took a snapshot")
	}
}

func TestRequestsThatAreNoOperation(t *testing.T) {
	r := newRig(t, "init", "serve")
	for _, body := range []string{"", "{}", `{"id":""}`, `{"id":5}`, "[", `{"id":"` + strings.Repeat("x", maxRequest) + `"}`} {
		code, answer := r.request("POST", engine.PathSnapshot, "Bearer "+engine.ControlToken("secret"), body)
		if code != http.StatusBadRequest || !strings.Contains(answer, string(engine.ReasonRequestInvalid)) {
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
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+r.Listen+engine.PathSnapshot, strings.NewReader(`{"id":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+engine.ControlToken("secret"))
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var refusal engine.Refusal
	if err := json.NewDecoder(answer.Body).Decode(&refusal); err != nil || answer.StatusCode != http.StatusServiceUnavailable || refusal.Reason != engine.ReasonAgentStopped {
		t.Errorf("got %d %+v, %v; want %s", answer.StatusCode, refusal, err, engine.ReasonAgentStopped)
	}
	_ = r.end(t)
	if _, err := net.Dial("tcp", r.Listen); err == nil {
		t.Error("the port is open after the end")
	}
}

// What the trial asks for just before it begins: the node's speed and the storage's, in less
// time than a trial may lose to it, and nothing is left in the volume.
func TestSpeed(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	code, body := r.request("GET", engine.PathSpeed, "Bearer "+engine.ControlToken("secret"), "")
	var got result.Speed
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
