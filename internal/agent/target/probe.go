package target

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assay-bench/assay/internal/agent/environment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/machinespeed"
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

const (
	// quickSyncs is the number of probed writes before a trial.
	quickSyncs = 20
	// quickSyncTime is their timeout, which keeps the time between trials short.
	quickSyncTime = 12 * time.Millisecond
)

// speed measures the present speed of the node and the storage. It handles one request at a
// time, because two would disturb each other.
func (a *agent) speed(r *http.Request) (any, error) {
	a.speeding.Lock()
	defer a.speeding.Unlock()
	if err := r.Context().Err(); err != nil {
		return nil, err // the requester has gone; a measurement would only disturb
	}
	began := time.Now()
	measured, err := machinespeed.Measure(environment.Reader{}.Throttled())
	if err != nil {
		a.Log.Warn("measuring the speed of the machine", "error", err)
	}
	if !a.volume.isRestoring() {
		if measured.Fsync, err = probeSync(r.Context(), a.Data, quickSyncs, quickSyncTime); err != nil {
			a.Log.Warn("probing the storage", "error", err)
		}
	}
	measured.Seconds = time.Since(began).Seconds()
	return measured, nil
}
