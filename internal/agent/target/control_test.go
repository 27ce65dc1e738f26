package target

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// beginReady provides the server in the background and waits for it.
func (r *rig) beginReady(t *testing.T) {
	t.Helper()
	r.begin(t)
	await(t, "readiness", r.isReady)
}

// reply is the answer to an operation.
type reply struct {
	code    int
	copied  contract.Copy
	refusal contract.Refusal
}

func (r *rig) ask(t *testing.T, path, id string) reply {
	t.Helper()
	var a reply
	var text string
	a.code, text = r.request("POST", path, agentKey, fmt.Sprintf(`{"id":%q}`, id))
	var into any = &a.refusal
	if a.code == http.StatusOK {
		into = &a.copied
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Errorf("%s: %v", text, err)
	}
	return a
}

// asking asks in the background.
func (r *rig) asking(t *testing.T, path, id string) <-chan reply {
	t.Helper()
	answers := make(chan reply, 1)
	go func() { answers <- r.ask(t, path, id) }()
	return answers
}

func (a reply) mustBe(t *testing.T, code int, reason contract.TargetReason, part string) {
	t.Helper()
	if a.code != code || a.refusal.Reason != reason || !strings.Contains(a.refusal.Message, part) {
		t.Fatalf("got %d %+v, want %d %s with %q", a.code, a.refusal, code, reason, part)
	}
}

func (a reply) mustSucceed(t *testing.T) contract.Copy {
	t.Helper()
	if a.code != http.StatusOK {
		t.Fatalf("got %d %+v, want success", a.code, a.refusal)
	}
	return a.copied
}

func (r *rig) write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.paths().Data, name), []byte(content), 0o640); err != nil {
		t.Fatal(err)
	}
}

func (r *rig) rows(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(r.paths().Data, rowsFile))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// again is another agent on the volume of an earlier one that has ended.
func (r *rig) again(t *testing.T) *rig {
	t.Helper()
	next := newRig(t, "refuse", "serve") // it must not initialise
	next.Data = r.Data
	next.volume = newVolume(next.Options)
	return next
}

// hold makes every copy wait until the function that it returns is called.
func (r *rig) hold(t *testing.T) (release func()) {
	t.Helper()
	gate := make(chan struct{})
	r.volume.clone = func(_, _ *os.File) error { <-gate; return errors.ErrUnsupported }
	var once atomic.Bool
	release = func() {
		if once.CompareAndSwap(false, true) {
			close(gate)
		}
	}
	t.Cleanup(release)
	return release
}

func (r *rig) isDown() bool {
	code, _ := r.get("/readyz")
	return code == http.StatusServiceUnavailable
}
