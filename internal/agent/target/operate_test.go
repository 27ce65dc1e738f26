package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/result"
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
	copied  result.Copy
	refusal engine.Refusal
}

func (r *rig) ask(t *testing.T, path, id string) reply {
	t.Helper()
	var a reply
	var text string
	a.code, text = r.request("POST", path, "Bearer "+engine.ControlToken(r.in.password), fmt.Sprintf(`{"id":%q}`, id))
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

func (a reply) mustBe(t *testing.T, code int, reason engine.Reason, part string) {
	t.Helper()
	if a.code != code || a.refusal.Reason != reason || !strings.Contains(a.refusal.Message, part) {
		t.Fatalf("got %d %+v, want %d %s with %q", a.code, a.refusal, code, reason, part)
	}
}

func (a reply) mustSucceed(t *testing.T) result.Copy {
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

func TestASnapshotIsRestored(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	r.write(t, rowsFile, "loaded")
	taken := r.ask(t, engine.PathSnapshot, "s1").mustSucceed(t)
	// The file of the initialisation, the rows, and the mark of a clean shutdown.
	want := result.Copy{Bytes: int64(len("loaded")), Files: 3}
	if diff := cmp.Diff(want, taken, cmpopts.IgnoreFields(result.Copy{}, "Seconds", "StoppedSeconds", "Reflink")); diff != "" {
		t.Errorf("snapshot (-want +got):\n%s", diff)
	}
	if taken.Seconds <= 0 || taken.StoppedSeconds <= taken.Seconds {
		t.Errorf("the copy took %g s, the server was down for %g s", taken.Seconds, taken.StoppedSeconds)
	}
	for _, id := range []string{"r1", "r2"} {
		r.write(t, rowsFile, "changed")
		r.write(t, "new.ibd", "a new table")
		await(t, "readiness", r.isReady)
		restored := r.ask(t, engine.PathRestore, id).mustSucceed(t)
		if diff := cmp.Diff(want, restored, cmpopts.IgnoreFields(result.Copy{}, "Seconds", "StoppedSeconds", "Reflink")); diff != "" {
			t.Errorf("restore (-want +got):\n%s", diff)
		}
		if got := r.rows(t); got != "loaded" {
			t.Errorf("the rows are %q", got)
		}
		if exists(filepath.Join(r.paths().Data, "new.ibd")) {
			t.Error("a table that is not in the snapshot is still there")
		}
		if !r.isReady() {
			t.Error("not ready after the restore")
		}
	}
	if info, err := os.Stat(filepath.Join(r.paths().Data, rowsFile)); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file is %v, %v", info, err)
	}
	left, err := filepath.Glob(r.Data + "/*")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{r.Data + "/db", r.Data + "/operation.json", r.Data + "/snapshot"}, left); diff != "" {
		t.Errorf("on the volume (-want +got):\n%s", diff)
	}
	if n := len(r.findings()); n != 1 {
		t.Errorf("%d findings, want the one that every start repeats", n)
	}
	r.stop()
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}

func TestOnlyTheTokenOpens(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	good := "Bearer " + engine.ControlToken("secret")
	for _, authorization := range []string{"", "Bearer ", "Bearer secret", "Bearer " + engine.ControlToken("other"), good + "x", strings.TrimPrefix(good, "Bearer ")} {
		for path, method := range map[string]string{engine.PathEnvironment: "GET", engine.PathSnapshot: "POST", engine.PathRestore: "POST"} {
			code, body := r.request(method, path, authorization, `{"id":"x"}`)
			var refusal engine.Refusal
			if err := json.Unmarshal([]byte(body), &refusal); err != nil || code != http.StatusUnauthorized || refusal.Reason != reasonUnauthorized {
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
		if code != http.StatusBadRequest || !strings.Contains(answer, string(reasonRequestInvalid)) {
			t.Errorf("%.20q: %d %s", body, code, answer)
		}
	}
}

func TestOneOperationAtATime(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	release := r.hold(t)
	first := r.asking(t, engine.PathSnapshot, "one")
	await(t, "the stop", r.isDown)
	if r.pid.Load() != 0 {
		t.Error("there is a server while the snapshot is taken")
	}
	r.ask(t, engine.PathSnapshot, "two").mustBe(t, http.StatusConflict, reasonBusy, `"one"`)
	r.ask(t, engine.PathRestore, "one").mustBe(t, http.StatusConflict, reasonBusy, `"one"`)
	second := r.asking(t, engine.PathSnapshot, "one")
	select {
	case <-first:
		t.Fatal("an answer before the copy")
	case <-second:
		t.Fatal("an answer before the copy")
	case <-time.After(50 * time.Millisecond):
	}
	release()
	a, b := (<-first).mustSucceed(t), (<-second).mustSucceed(t)
	if c := r.ask(t, engine.PathSnapshot, "one").mustSucceed(t); a != b || a != c || a.Reflink {
		t.Errorf("three answers to one operation: %+v, %+v, %+v", a, b, c)
	}
	if d := r.ask(t, engine.PathSnapshot, "two").mustSucceed(t); d == a {
		t.Errorf("another operation has the same answer: %+v", d)
	}
}

func TestAnAnswerOutlivesTheAgent(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	r.write(t, rowsFile, "loaded")
	r.ask(t, engine.PathSnapshot, "s").mustSucceed(t)
	want := r.ask(t, engine.PathRestore, "r").mustSucceed(t)
	r.stop()
	if err := r.end(t); err != nil {
		t.Fatal(err)
	}
	next := r.again(t)
	next.beginReady(t)
	next.write(t, rowsFile, "changed")
	if got := next.ask(t, engine.PathRestore, "r").mustSucceed(t); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := next.rows(t); got != "changed" {
		t.Errorf("the same operation was carried out twice: the rows are %q", got)
	}
}

func TestARestoreWithoutASnapshot(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	pid := r.pid.Load()
	r.ask(t, engine.PathRestore, "r").mustBe(t, http.StatusPreconditionFailed, reasonSnapshotMissing, "no snapshot")
	if r.pid.Load() != pid {
		t.Error("the server was stopped for nothing")
	}
}

func TestAVolumeThatIsTooSmall(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.volume.clone = func(_, _ *os.File) error { return errors.ErrUnsupported }
	r.beginReady(t)
	r.write(t, rowsFile, strings.Repeat("x", 3<<20))
	r.volume.free = func(string) (int64, error) { return 1 << 20, nil }
	a := r.ask(t, engine.PathSnapshot, "s")
	a.mustBe(t, http.StatusInsufficientStorage, engine.ReasonStorageFailed, "1.0 MiB free")
	a.mustBe(t, http.StatusInsufficientStorage, engine.ReasonStorageFailed, "3.0 MiB needed")
	if !r.isReady() || r.volume.hasSnapshot() {
		t.Errorf("ready: %v, snapshot: %v", r.isReady(), r.volume.hasSnapshot())
	}
	r.volume.free = freeBytes
	r.ask(t, engine.PathSnapshot, "s2").mustSucceed(t)

	// What is replaced counts as free: twice the data is enough.
	r.volume.free = func(string) (int64, error) { return 4096, nil }
	r.ask(t, engine.PathRestore, "r").mustSucceed(t)
	r.ask(t, engine.PathSnapshot, "s3").mustSucceed(t)
	r.write(t, rowsFile, "")
	r.ask(t, engine.PathRestore, "r2").mustBe(t, http.StatusInsufficientStorage, engine.ReasonStorageFailed, "too small")
	if !r.isReady() || r.rows(t) != "" || r.volume.isRestoring() {
		t.Error("a restore that was refused changed something")
	}
}

func TestAVolumeThatClonesNeedsNoRoom(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.volume.clone = func(dst, src *os.File) error { _, err := dst.ReadFrom(src); return err }
	r.volume.free = func(string) (int64, error) { return 0, nil }
	r.beginReady(t)
	r.write(t, rowsFile, "loaded")
	if copied := r.ask(t, engine.PathSnapshot, "s").mustSucceed(t); !copied.Reflink {
		t.Errorf("%+v is no reflink", copied)
	}
	r.write(t, rowsFile, "changed")
	if copied := r.ask(t, engine.PathRestore, "r").mustSucceed(t); !copied.Reflink || r.rows(t) != "loaded" {
		t.Errorf("%+v, rows %q", copied, r.rows(t))
	}
}

func TestACopyThatFails(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	if err := os.Symlink("/etc/hosts", filepath.Join(r.paths().Data, "link")); err != nil {
		t.Fatal(err)
	}
	r.ask(t, engine.PathSnapshot, "s").mustBe(t, http.StatusInsufficientStorage, engine.ReasonStorageFailed, "link is a symbolic link")
	if !r.isReady() || r.volume.hasSnapshot() || exists(r.volume.snapshotDraft()) {
		t.Error("a snapshot that failed left something, or no server")
	}
}

// A server that does not stop leaves data that a snapshot must not have; a restore
// throws them away.
func TestAServerThatDoesNotStopCleanly(t *testing.T) {
	tests := map[string]struct {
		serve  string
		reason engine.Reason
		part   string
	}{
		"it had to be killed":     {"serve-hangs", engine.ReasonServerKilled, "was killed"},
		"it failed while it ends": {"serve-dirty", engine.ReasonServerCrashed, "exited with code 3 when it was told to stop"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "init", tc.serve)
			r.Grace = 100 * time.Millisecond
			r.beginReady(t)
			r.ask(t, engine.PathSnapshot, "s").mustBe(t, http.StatusInternalServerError, tc.reason, tc.part)
			if !r.isReady() || r.volume.hasSnapshot() {
				t.Errorf("ready: %v, snapshot: %v", r.isReady(), r.volume.hasSnapshot())
			}
			if err := os.Mkdir(r.volume.snapshotDir(), 0o700); err != nil {
				t.Fatal(err)
			}
			r.ask(t, engine.PathRestore, "r").mustSucceed(t)
			if exists(filepath.Join(r.paths().Data, "ibdata1")) {
				t.Error("the data directory is not the snapshot's")
			}
		})
	}
}

func TestACrashOutsideOfAnOperationEndsTheAgent(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	r.ask(t, engine.PathSnapshot, "s").mustSucceed(t)
	r.write(t, crashFile, "")
	var f *failure
	if err := r.end(t); !errors.As(err, &f) || f.reason != engine.ReasonServerCrashed || !strings.Contains(f.what, "exited with code 2 while it served") {
		t.Errorf("got %v, want %s", err, engine.ReasonServerCrashed)
	}
	r.ask(t, engine.PathRestore, "r").mustBe(t, http.StatusInternalServerError, engine.ReasonServerCrashed, "while it served")
}

func TestAServerThatDoesNotComeBack(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	r.write(t, brokeFile, "")
	r.ask(t, engine.PathSnapshot, "s").mustBe(t, http.StatusInternalServerError, engine.ReasonServerCrashed, "before it was ready")
	var f *failure
	if err := r.end(t); !errors.As(err, &f) || f.reason != engine.ReasonServerCrashed {
		t.Errorf("got %v, want %s", err, engine.ReasonServerCrashed)
	}
}

func TestAStopDuringAnOperation(t *testing.T) {
	for _, path := range []string{engine.PathSnapshot, engine.PathRestore} {
		t.Run(path, func(t *testing.T) {
			r := newRig(t, "init", "serve")
			r.beginReady(t)
			r.write(t, rowsFile, "loaded")
			r.ask(t, engine.PathSnapshot, "first").mustSucceed(t)
			r.write(t, rowsFile, "changed")
			r.volume.clone = func(_, _ *os.File) error { r.stop(); return errors.ErrUnsupported }
			r.ask(t, path, "x").mustBe(t, http.StatusServiceUnavailable, reasonAgentStopped, "told to end")
			if err := r.end(t); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want the end of the context", err)
			}
			if exists(r.volume.snapshotDraft()) {
				t.Error("a draft is left")
			}

			next := r.again(t)
			next.beginReady(t)
			want := "changed"
			if path == engine.PathRestore {
				want = "loaded"
			}
			if got := next.rows(t); got != want {
				t.Errorf("after a restart the rows are %q, want %q", got, want)
			}
		})
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
	if err := json.NewDecoder(answer.Body).Decode(&refusal); err != nil || answer.StatusCode != http.StatusServiceUnavailable || refusal.Reason != reasonAgentStopped {
		t.Errorf("got %d %+v, %v; want %s", answer.StatusCode, refusal, err, reasonAgentStopped)
	}
	_ = r.end(t)
	if _, err := net.Dial("tcp", r.Listen); err == nil {
		t.Error("the port is open after the end")
	}
}

func TestTheVolumeNeverHoldsThree(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	most := 0
	r.volume.clone = func(dst, _ *os.File) error {
		if _, err := os.Stat(dst.Name()); err == nil && filepath.Dir(dst.Name()) != r.Data { // not the probe
			copies, _ := filepath.Glob(r.Data + "/*/ibdata1")
			most = max(most, len(copies))
		}
		return errors.ErrUnsupported
	}
	r.write(t, rowsFile, "loaded")
	r.ask(t, engine.PathSnapshot, "s1").mustSucceed(t)
	r.ask(t, engine.PathSnapshot, "s2").mustSucceed(t)
	r.ask(t, engine.PathRestore, "r1").mustSucceed(t)
	if most != 2 {
		t.Errorf("up to %d copies at once, want 2", most)
	}
}

// What a container that died in the middle of a restore can leave.
func TestAnInterruptedRestoreIsFinished(t *testing.T) {
	tests := map[string]func(t *testing.T, v *volume){
		"the data directory is the old one": func(*testing.T, *volume) {},
		"the data directory is half gone": func(t *testing.T, v *volume) {
			remove(t, filepath.Join(v.data, rowsFile))
		},
		"the data directory is gone": func(t *testing.T, v *volume) { remove(t, v.data) },
		"the new one is half there": func(t *testing.T, v *volume) {
			remove(t, v.data)
			half(t, v.dataDraft())
		},
		"only the marker has to go": func(t *testing.T, v *volume) {
			remove(t, v.data)
			if _, err := copyTree(t.Context(), v.data, v.snapshotDir(), v.clone); err != nil {
				t.Fatal(err)
			}
		},
		"a snapshot was interrupted before": func(t *testing.T, v *volume) { half(t, v.snapshotDraft()) },
	}
	for name, interrupt := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "init", "serve")
			r.beginReady(t)
			r.write(t, rowsFile, "loaded")
			r.ask(t, engine.PathSnapshot, "s").mustSucceed(t)
			r.write(t, rowsFile, "changed")
			r.stop()
			if err := r.end(t); err != nil {
				t.Fatal(err)
			}
			stopped := time.Now().Add(-time.Minute)
			if err := writeDurably(r.volume.markerFile(), marker{ID: "r", Stopped: stopped}); err != nil {
				t.Fatal(err)
			}
			interrupt(t, r.volume)

			next := r.again(t)
			next.open.Store(false)
			next.begin(t)
			await(t, "a login", func() bool { return next.logins.Load() > 0 })
			answer := next.asking(t, engine.PathRestore, "r")
			next.ask(t, engine.PathRestore, "another").mustBe(t, http.StatusConflict, reasonBusy, `"r"`)
			next.open.Store(true)
			copied := (<-answer).mustSucceed(t)
			if copied.Files != 3 || copied.Bytes != int64(len("loaded")) || copied.StoppedSeconds < 60 || copied.StoppedSeconds > 120 {
				t.Errorf("the answer is %+v", copied)
			}
			if got := next.rows(t); got != "loaded" {
				t.Errorf("the rows are %q", got)
			}
			if next.volume.isRestoring() || exists(next.volume.dataDraft()) || exists(next.volume.snapshotDraft()) {
				t.Error("something is left of the restore")
			}
			next.write(t, rowsFile, "changed")
			if again := next.ask(t, engine.PathRestore, "r").mustSucceed(t); again != copied || next.rows(t) != "changed" {
				t.Errorf("the operation was carried out again: %+v", again)
			}
		})
	}
}

func TestAnInterruptedRestoreThatCannotBeFinished(t *testing.T) {
	tests := map[string]struct{ marker, part string }{
		"the snapshot is gone":   {`{"id":"r"}`, "is gone"},
		"the marker is not ours": {"x", "restore.json"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "init", "serve")
			if err := os.MkdirAll(r.Data, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(r.volume.markerFile(), []byte(tc.marker), 0o600); err != nil {
				t.Fatal(err)
			}
			r.begin(t)
			var f *failure
			if err := r.end(t); !errors.As(err, &f) || f.reason != engine.ReasonStorageFailed || !strings.Contains(f.what, tc.part) {
				t.Errorf("got %v, want %s with %q", err, engine.ReasonStorageFailed, tc.part)
			}
			if exists(r.paths().Data) {
				t.Error("a fresh data directory in place of the one that was to be restored")
			}
		})
	}
}

// A restore that fails with the data directory gone ends the agent; the next one
// tries again.
func TestARestoreThatFails(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	r.write(t, rowsFile, "loaded")
	r.ask(t, engine.PathSnapshot, "s").mustSucceed(t)
	link := filepath.Join(r.volume.snapshotDir(), "zz")
	if err := os.Symlink("/", link); err != nil {
		t.Fatal(err)
	}
	r.ask(t, engine.PathRestore, "r").mustBe(t, http.StatusInsufficientStorage, engine.ReasonStorageFailed, "symbolic link")
	var f *failure
	if err := r.end(t); !errors.As(err, &f) || f.reason != engine.ReasonStorageFailed {
		t.Errorf("got %v, want %s", err, engine.ReasonStorageFailed)
	}
	remove(t, link)
	next := r.again(t)
	next.beginReady(t)
	if got := next.rows(t); got != "loaded" {
		t.Errorf("the rows are %q", got)
	}
}

func remove(t *testing.T, name string) {
	t.Helper()
	if err := os.RemoveAll(name); err != nil {
		t.Fatal(err)
	}
}

// half makes a directory that is not complete.
func half(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "ibdata1"), []byte("ha"), 0o600); err != nil {
		t.Fatal(err)
	}
}
