package target

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assay-bench/assay/internal/agent/environment"
	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// syncs is the number of probed writes.
	syncs = 100
	// syncTime is their timeout on slow storage.
	syncTime = time.Second
	// syncBytes is the size of one write.
	syncBytes = 4 << 10
)

// probeStorage reads the storage of the data directory and measures the time of a durable
// write there, before the start of the server. It does not touch the volume during an
// unfinished restore.
func probeStorage(ctx context.Context, o Options, v *volume) *contract.Storage {
	var r environment.Reader
	storage := r.Storage(o.Data)
	if !v.isRestoring() {
		var err error
		if storage.Fsync, err = probeSync(ctx, o.Data, syncs, syncTime); err != nil {
			o.Log.Warn("probing the storage", "error", err)
		}
	}
	return &storage
}

// probeSync repeatedly overwrites one block with fdatasync, as a server does with its redo
// log; a growing file would cost more. The file has a fixed name, so a leftover file is
// reused.
func probeSync(ctx context.Context, dir string, most int, bound time.Duration) (*contract.Probe, error) {
	name := filepath.Join(dir, ".assay-fsync")
	file, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	tries, err := overwrite(ctx, file, most, bound)
	if err := errors.Join(err, file.Close(), os.Remove(name)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return contract.NewProbe(tries), nil
}

func overwrite(ctx context.Context, file *os.File, most int, bound time.Duration) ([]time.Duration, error) {
	var tries []time.Duration
	block := make([]byte, syncBytes)
	end := time.Now().Add(bound)
	// The first write allocates the block, and is not counted.
	for i := 0; i <= most && (i < 2 || time.Now().Before(end)) && ctx.Err() == nil; i++ {
		block[0] = byte(i)
		began := time.Now()
		if _, err := file.WriteAt(block, 0); err != nil {
			return nil, err
		}
		if err := unix.Fdatasync(int(file.Fd())); err != nil {
			return nil, fmt.Errorf("fdatasync: %w", err)
		}
		if i > 0 {
			tries = append(tries, time.Since(began))
		}
	}
	return tries, nil
}
