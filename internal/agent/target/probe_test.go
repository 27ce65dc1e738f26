package target

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
)

func TestProbeSync(t *testing.T) {
	dir := t.TempDir()
	// What an agent that was killed left behind.
	if err := os.WriteFile(filepath.Join(dir, ".assay-fsync"), make([]byte, 1<<20), 0o400); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() != 0 {
		_ = os.Remove(filepath.Join(dir, ".assay-fsync"))
	}
	got, err := probeSync(t.Context(), dir, syncs, syncTime)
	if err != nil {
		t.Fatal(err)
	}
	if got.N < 1 || got.N > syncs || got.MinSeconds <= 0 || got.P50Seconds < got.MinSeconds || got.P99Seconds < got.P50Seconds || got.MaxSeconds < got.P99Seconds {
		t.Errorf("probe %+v", got)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if got, err := probeSync(t.Context(), dir+"/missing", syncs, syncTime); got != nil || err == nil {
		t.Errorf("a directory that is missing has %+v, %v", got, err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if got, err := probeSync(stopped, dir, syncs, syncTime); got != nil || err != nil {
		t.Errorf("an agent that is told to stop has %+v, %v", got, err)
	}
}

func TestAVolumeThatIsBeingRestoredIsNotProbed(t *testing.T) {
	o := Options{Data: t.TempDir(), Run: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	v := newVolume(o)
	if err := os.WriteFile(v.markerFile(), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := probeStorage(t.Context(), o, v); got.Filesystem == "" || got.Fsync != nil {
		t.Errorf("while restoring: %+v, want the file system and no times", got)
	}
	if err := os.Remove(v.markerFile()); err != nil {
		t.Fatal(err)
	}
	if got := probeStorage(t.Context(), o, v); got.Fsync == nil || got.SizeBytes == nil {
		t.Errorf("afterwards: %+v, want times", got)
	}
}
