package supervisor_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/agent/supervisor"
	"github.com/assay-bench/assay/internal/agent/toolside"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// One supervisor serves trial after trial, and nothing of one is left for the next, until there is a socket without a listener.
func TestASupervisorOfManyTrials(t *testing.T) {
	dir, err := os.MkdirTemp("", "tool") // the names of tests are too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	o := supervisor.Options{
		Socket: filepath.Join(dir, "s"), Work: t.TempDir(), Temporary: t.TempDir(), Shared: filepath.Join(dir, "none"), Log: slog.New(slog.DiscardHandler),
	}
	ended := make(chan error, 1)
	go func() { ended <- supervisor.Stand(context.Background(), o) }()
	for trial := range 3 {
		side, err := toolside.Listen(o.Socket, hang.Limit)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := side.Wait(t.Context(), nil); err != nil {
			t.Fatalf("trial %d: %v", trial, err)
		}
		usage, err := side.Usage(t.Context())
		if err != nil || usage.MemoryPeakBytes != nil {
			t.Errorf("trial %d: the peak of memory is %v, %v", trial, usage.MemoryPeakBytes, err)
		}
		for _, in := range []string{o.Work, o.Temporary} {
			if left, err := os.ReadDir(in); err != nil || len(left) > 0 {
				t.Errorf("trial %d finds %v in %s, %v", trial, left, in, err)
			}
			// A directory that nobody may write to.
			if err := os.MkdirAll(filepath.Join(in, "a", "b"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(filepath.Join(in, "a"), 0o500); err != nil {
				t.Fatal(err)
			}
		}
		side.Close()
	}
	side, err := toolside.Listen(o.Socket, hang.Limit)
	if err != nil {
		t.Fatal(err)
	}
	side.Close()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(hang.Limit):
		t.Error("the supervisor outlives its agent")
	}
}
