package target

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestASnapshotIsRestored(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	r.write(t, rowsFile, "loaded")
	taken := r.ask(t, contract.PathSnapshot, "s1").mustSucceed(t)
	// The file of the initialisation, the rows, and the mark of a clean shutdown.
	want := contract.Copy{Bytes: int64(len("loaded")), Files: 3}
	if diff := cmp.Diff(want, taken, cmpopts.IgnoreFields(contract.Copy{}, "Seconds", "StoppedSeconds", "StopSeconds", "Reflink")); diff != "" {
		t.Errorf("snapshot (-want +got):\n%s", diff)
	}
	if taken.Seconds <= 0 || taken.StoppedSeconds <= taken.Seconds {
		t.Errorf("the copy took %g s, the server was down for %g s", taken.Seconds, taken.StoppedSeconds)
	}
	for _, id := range []string{"r1", "r2"} {
		r.write(t, rowsFile, "changed")
		r.write(t, "new.ibd", "a new table")
		await(t, "readiness", r.isReady)
		restored := r.ask(t, contract.PathRestore, id).mustSucceed(t)
		if diff := cmp.Diff(want, restored, cmpopts.IgnoreFields(contract.Copy{}, "Seconds", "StoppedSeconds", "StopSeconds", "Reflink")); diff != "" {
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
	if n := len(r.logged.list()); n != 1 {
		t.Errorf("%d findings, want the one that every start repeats", n)
	}
	r.stop()
	if err := r.end(t); err != nil {
		t.Error(err)
	}
}

func TestOneOperationAtATime(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	release := r.hold(t)
	first := r.asking(t, contract.PathSnapshot, "one")
	await(t, "the stop", r.isDown)
	if r.pid.Load() != 0 {
		t.Error("there is a server while the snapshot is taken")
	}
	r.ask(t, contract.PathSnapshot, "two").mustBe(t, http.StatusConflict, contract.ReasonBusy, `"one"`)
	r.ask(t, contract.PathRestore, "one").mustBe(t, http.StatusConflict, contract.ReasonBusy, `"one"`)
	second := r.asking(t, contract.PathSnapshot, "one")
	select {
	case <-first:
		t.Fatal("an answer before the copy")
	case <-second:
		t.Fatal("an answer before the copy")
	case <-time.After(50 * time.Millisecond):
	}
	release()
	a, b := (<-first).mustSucceed(t), (<-second).mustSucceed(t)
	if c := r.ask(t, contract.PathSnapshot, "one").mustSucceed(t); !cmp.Equal(a, b) || !cmp.Equal(a, c) || a.Reflink {
		t.Errorf("three answers to one operation: %+v, %+v, %+v", a, b, c)
	}
	if d := r.ask(t, contract.PathSnapshot, "two").mustSucceed(t); cmp.Equal(d, a) {
		t.Errorf("another operation has the same answer: %+v", d)
	}
}

func TestAnAnswerOutlivesTheAgent(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	r.write(t, rowsFile, "loaded")
	r.ask(t, contract.PathSnapshot, "s").mustSucceed(t)
	want := r.ask(t, contract.PathRestore, "r").mustSucceed(t)
	r.stop()
	if err := r.end(t); err != nil {
		t.Fatal(err)
	}
	next := r.again(t)
	next.beginReady(t)
	next.write(t, rowsFile, "changed")
	if got := next.ask(t, contract.PathRestore, "r").mustSucceed(t); !cmp.Equal(got, want) {
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
	r.ask(t, contract.PathRestore, "r").mustBe(t, http.StatusPreconditionFailed, contract.ReasonSnapshotMissing, "no snapshot")
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
	a := r.ask(t, contract.PathSnapshot, "s")
	a.mustBe(t, http.StatusInsufficientStorage, contract.ReasonStorageFailed, "1.0 MiB free")
	a.mustBe(t, http.StatusInsufficientStorage, contract.ReasonStorageFailed, "3.0 MiB needed")
	if !r.isReady() || r.volume.hasSnapshot() {
		t.Errorf("ready: %v, snapshot: %v", r.isReady(), r.volume.hasSnapshot())
	}
	r.volume.free = freeBytes
	r.ask(t, contract.PathSnapshot, "s2").mustSucceed(t)

	// What is replaced counts as free: twice the data is enough.
	r.volume.free = func(string) (int64, error) { return 4096, nil }
	r.ask(t, contract.PathRestore, "r").mustSucceed(t)
	r.ask(t, contract.PathSnapshot, "s3").mustSucceed(t)
	r.write(t, rowsFile, "")
	r.ask(t, contract.PathRestore, "r2").mustBe(t, http.StatusInsufficientStorage, contract.ReasonStorageFailed, "too small")
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
	if copied := r.ask(t, contract.PathSnapshot, "s").mustSucceed(t); !copied.Reflink {
		t.Errorf("%+v is no reflink", copied)
	}
	r.write(t, rowsFile, "changed")
	if copied := r.ask(t, contract.PathRestore, "r").mustSucceed(t); !copied.Reflink || r.rows(t) != "loaded" {
		t.Errorf("%+v, rows %q", copied, r.rows(t))
	}
}

func TestACopyThatFails(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	if err := os.Symlink("/etc/hosts", filepath.Join(r.paths().Data, "link")); err != nil {
		t.Fatal(err)
	}
	r.ask(t, contract.PathSnapshot, "s").mustBe(t, http.StatusInsufficientStorage, contract.ReasonStorageFailed, "link is a symbolic link")
	if !r.isReady() || r.volume.hasSnapshot() || exists(r.volume.snapshotDraft()) {
		t.Error("a snapshot that failed left something, or no server")
	}
}

// A server that does not stop leaves data that a snapshot must not have; a restore
// throws them away.
func TestAServerThatDoesNotStopCleanly(t *testing.T) {
	tests := map[string]struct {
		serve  string
		reason contract.TargetReason
		part   string
	}{
		"it had to be killed":     {"serve-hangs", contract.ReasonServerKilled, "was killed"},
		"it failed while it ends": {"serve-dirty", contract.ReasonServerCrashed, "exited with code 3 when it was told to stop"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "init", tc.serve)
			r.Grace = 100 * time.Millisecond
			r.beginReady(t)
			r.ask(t, contract.PathSnapshot, "s").mustBe(t, http.StatusInternalServerError, tc.reason, tc.part)
			if !r.isReady() || r.volume.hasSnapshot() {
				t.Errorf("ready: %v, snapshot: %v", r.isReady(), r.volume.hasSnapshot())
			}
			if err := os.Mkdir(r.volume.snapshotDir(), 0o700); err != nil {
				t.Fatal(err)
			}
			r.ask(t, contract.PathRestore, "r").mustSucceed(t)
			if exists(filepath.Join(r.paths().Data, "ibdata1")) {
				t.Error("the data directory is not the snapshot's")
			}
		})
	}
}

// A restart keeps the data, and takes as long as there is no server.
func TestARestart(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	r.write(t, rowsFile, "loaded")
	pid := r.pid.Load()
	first := r.ask(t, contract.PathRestart, "t1").mustSucceed(t)
	if first.StopSeconds == nil || *first.StopSeconds <= 0 || *first.StopSeconds > first.StoppedSeconds {
		t.Errorf("the server took %v s to stop, and was down for %g s", first.StopSeconds, first.StoppedSeconds)
	}
	if first.StoppedSeconds <= 0 || first.Bytes != 0 || first.Files != 0 || r.pid.Load() == pid || !r.isReady() || r.rows(t) != "loaded" {
		t.Errorf("%+v, pid %d was %d, rows %q", first, r.pid.Load(), pid, r.rows(t))
	}
	pid = r.pid.Load()
	if again := r.ask(t, contract.PathRestart, "t1").mustSucceed(t); !cmp.Equal(again, first) || r.pid.Load() != pid {
		t.Errorf("the same operation once more: %+v, pid %d was %d", again, r.pid.Load(), pid)
	}
	if r.ask(t, contract.PathRestart, "t2").mustSucceed(t); r.pid.Load() == pid || r.volume.hasSnapshot() {
		t.Errorf("another operation: pid %d, a snapshot: %v", r.pid.Load(), r.volume.hasSnapshot())
	}
}

// A server that was killed is no server that was started again as it was: the trial fails, and the next one has a server.
func TestARestartThatKills(t *testing.T) {
	r := newRig(t, "init", "serve-hangs")
	r.Grace = 100 * time.Millisecond
	r.beginReady(t)
	r.ask(t, contract.PathRestart, "t").mustBe(t, http.StatusInternalServerError, contract.ReasonServerKilled, "was killed")
	if !r.isReady() {
		t.Error("no server")
	}
}

func TestACrashOutsideOfAnOperationEndsTheAgent(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	r.ask(t, contract.PathSnapshot, "s").mustSucceed(t)
	r.write(t, crashFile, "")
	var f *failure
	if err := r.end(t); !errors.As(err, &f) || f.reason != contract.ReasonServerCrashed || !strings.Contains(f.what, "exited with code 2 while it served") {
		t.Errorf("got %v, want %s", err, contract.ReasonServerCrashed)
	}
	r.ask(t, contract.PathRestore, "r").mustBe(t, http.StatusInternalServerError, contract.ReasonServerCrashed, "while it served")
}

func TestAServerThatDoesNotComeBack(t *testing.T) {
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	r.write(t, brokeFile, "")
	r.ask(t, contract.PathSnapshot, "s").mustBe(t, http.StatusInternalServerError, contract.ReasonServerCrashed, "before it was ready")
	var f *failure
	if err := r.end(t); !errors.As(err, &f) || f.reason != contract.ReasonServerCrashed {
		t.Errorf("got %v, want %s", err, contract.ReasonServerCrashed)
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
	r.ask(t, contract.PathSnapshot, "s1").mustSucceed(t)
	r.ask(t, contract.PathSnapshot, "s2").mustSucceed(t)
	r.ask(t, contract.PathRestore, "r1").mustSucceed(t)
	if most != 2 {
		t.Errorf("up to %d copies at once, want 2", most)
	}
}
