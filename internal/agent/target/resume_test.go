package target

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestAStopDuringAnOperation(t *testing.T) {
	for _, path := range []string{contract.PathSnapshot, contract.PathRestore} {
		t.Run(path, func(t *testing.T) {
			r := newRig(t, "init", "serve")
			r.beginReady(t)
			r.write(t, rowsFile, "loaded")
			r.ask(t, contract.PathSnapshot, "first").mustSucceed(t)
			r.write(t, rowsFile, "changed")
			r.volume.clone = func(_, _ *os.File) error { r.stop(); return errors.ErrUnsupported }
			r.ask(t, path, "x").mustBe(t, http.StatusServiceUnavailable, contract.ReasonAgentStopped, "shutting down")
			if err := r.end(t); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want the end of the context", err)
			}
			if exists(r.volume.snapshotDraft()) {
				t.Error("a draft is left")
			}

			next := r.again(t)
			next.beginReady(t)
			want := "changed"
			if path == contract.PathRestore {
				want = "loaded"
			}
			if got := next.rows(t); got != want {
				t.Errorf("after a restart the rows are %q, want %q", got, want)
			}
		})
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
			r.ask(t, contract.PathSnapshot, "s").mustSucceed(t)
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
			answer := next.asking(t, contract.PathRestore, "r")
			next.ask(t, contract.PathRestore, "another").mustBe(t, http.StatusConflict, contract.ReasonBusy, `"r"`)
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
			if again := next.ask(t, contract.PathRestore, "r").mustSucceed(t); !cmp.Equal(again, copied) || next.rows(t) != "changed" {
				t.Errorf("the operation was carried out again: %+v", again)
			}
		})
	}
}

// What a container that died while an archive was restored can leave: the server goes on with whole data, and nothing else stays.
func TestAnInterruptedFetch(t *testing.T) {
	moved := func(t *testing.T, from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		interrupt func(t *testing.T, v *volume)
		want      string
	}{
		"the new directory is half there": {func(t *testing.T, v *volume) { half(t, v.dataDraft()) }, "before"},
		"the old directory was moved": {func(t *testing.T, v *volume) {
			moved(t, v.data, v.dataOld())
			half(t, v.dataDraft())
		}, "before"},
		"the new directory is in its place": {func(t *testing.T, v *volume) {
			if _, err := copyTree(t.Context(), v.dataDraft(), v.data, v.clone); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(v.dataDraft(), rowsFile), []byte("fetched"), 0o600); err != nil {
				t.Fatal(err)
			}
			moved(t, v.data, v.dataOld())
			moved(t, v.dataDraft(), v.data)
			remove(t, filepath.Join(v.dataOld(), rowsFile))
		}, "fetched"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "init", "serve")
			r.beginReady(t)
			r.write(t, rowsFile, "before")
			r.stop()
			if err := r.end(t); err != nil {
				t.Fatal(err)
			}
			tt.interrupt(t, r.volume)
			next := r.again(t)
			next.beginReady(t)
			if got := next.rows(t); got != tt.want {
				t.Errorf("the rows are %q, want %q", got, tt.want)
			}
			if exists(next.volume.dataOld()) || exists(next.volume.dataDraft()) {
				t.Error("something is left of the archive")
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
			if err := r.end(t); !errors.As(err, &f) || f.reason != contract.ReasonStorageFailed || !strings.Contains(f.what, tc.part) {
				t.Errorf("got %v, want %s with %q", err, contract.ReasonStorageFailed, tc.part)
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
	r.ask(t, contract.PathSnapshot, "s").mustSucceed(t)
	link := filepath.Join(r.volume.snapshotDir(), "zz")
	if err := os.Symlink("/", link); err != nil {
		t.Fatal(err)
	}
	r.ask(t, contract.PathRestore, "r").mustBe(t, http.StatusInsufficientStorage, contract.ReasonStorageFailed, "symbolic link")
	var f *failure
	if err := r.end(t); !errors.As(err, &f) || f.reason != contract.ReasonStorageFailed {
		t.Errorf("got %v, want %s", err, contract.ReasonStorageFailed)
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
