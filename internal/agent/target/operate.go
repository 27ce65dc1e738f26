package target

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// serve runs the server until it or the context ends, and stops it for every operation. An
// interrupted restore (nil for none) is answered at the first login.
func (a *agent) serve(ctx context.Context, interrupted *operation) error {
	p, err := a.launch(ctx)
	if err != nil {
		return err
	}
	if interrupted != nil {
		a.conclude(interrupted, nil)
	}
	for {
		select {
		case <-p.Done():
			return a.crashed(p)
		case <-ctx.Done():
			return a.stop(p)
		case op := <-a.operations.wanted:
			if p, err = a.perform(ctx, p, op); err != nil {
				return err
			}
		}
	}
}

// resume continues after an earlier agent: it removes an incomplete snapshot and what is left of an archive that was
// restored, loads the last answer, and finishes an interrupted restore. It returns that restore, which has no answer
// yet; nil for none.
func (a *agent) resume(ctx context.Context) (interrupted *operation, err error) {
	if err := os.RemoveAll(a.volume.snapshotDraft()); err != nil {
		return nil, storageFailure("removing an unfinished snapshot", err)
	}
	if !a.volume.isRestoring() {
		if err := a.volume.endFetch(); err != nil {
			return nil, err
		}
		last, err := a.volume.loadRecord()
		if err == nil {
			a.operations.set(last)
		} else if !errors.Is(err, fs.ErrNotExist) {
			// The only loss is that a repeated old request makes a new copy.
			a.Log.Warn("reading the last operation", "error", err)
		}
		return nil, nil
	}
	var m marker
	if err := readJSON(a.volume.markerFile(), &m); err != nil {
		return nil, storageFailure("reading the marker of a restore", err)
	}
	a.Log.Info("finishing a restore that was interrupted", "id", m.ID)
	op := newOperation(contract.PathRestore, contract.Operation{ID: m.ID})
	op.stopped = m.Stopped
	a.operations.set(op)
	if op.copied, err = a.volume.finishRestore(ctx); err != nil {
		return nil, err
	}
	return op, nil
}

// perform executes one operation: it stops the server, copies (but for a restart), and starts the server again,
// also after a failed copy. It answers the operation before it returns, except with an error,
// which ends the agent.
func (a *agent) perform(ctx context.Context, p running, op *operation) (running, error) {
	select {
	case <-p.Done():
		return p, a.crashed(p)
	default:
	}
	if op.path == contract.PathRestore && !a.volume.hasSnapshot() {
		a.conclude(op, fail(contract.ReasonSnapshotMissing, "there is no snapshot to restore: take one after loading"))
		return p, nil
	}
	if op.path == contract.PathSettings {
		a.operations.finish(op, a.set(ctx, op))
		return p, nil
	}
	a.Log.Info("the operation begins", "operation", op.path, "id", op.id)
	op.stopped = time.Now()
	stopped := a.stopCleanly(p)
	took := time.Since(op.stopped).Seconds()
	var refused error
	if op.copied, refused = a.copyData(ctx, op, stopped); refused != nil {
		// No server can run: the agent ends, or the data directory is unusable.
		if ctx.Err() != nil || a.volume.isRestoring() {
			return p, refused
		}
	}
	if stopped == nil {
		op.copied.StopSeconds = &took
	}
	p, unsuitable, err := a.launchWith(ctx, op.settings)
	if err != nil {
		return p, err
	}
	a.conclude(op, cmp.Or(refused, unsuitable))
	return p, nil
}

// copyData copies in the direction of the operation; a restart copies nothing. The error of the stop counts but for a
// restore and an archive that is fetched, which discard the server's data.
func (a *agent) copyData(ctx context.Context, op *operation, stopped error) (contract.Copy, error) {
	if err := ctx.Err(); err != nil {
		return contract.Copy{}, err
	}
	replaces := op.path == contract.PathRestore || op.path == contract.PathFetch
	switch {
	case stopped != nil && !replaces:
		return contract.Copy{}, stopped
	case stopped != nil:
		a.Log.Warn("the server did not stop cleanly; its data is replaced", "error", stopped)
	}
	switch op.path {
	case contract.PathRestore:
		return a.volume.restore(ctx, marker{ID: op.id, Stopped: op.stopped})
	case contract.PathFetch:
		return a.volume.fetch(ctx, op.archive)
	case contract.PathArchive:
		return a.volume.archive(ctx, op.archive)
	case contract.PathSnapshot:
		return a.volume.snapshot(ctx)
	}
	return contract.Copy{}, nil
}

// conclude answers an operation after the restart of the server.
func (a *agent) conclude(op *operation, refused error) {
	if refused != nil {
		a.Log.Warn("the operation failed", "operation", op.path, "id", op.id, "error", refused)
		a.operations.finish(op, refused)
		return
	}
	// At least the time of the copy: the clock may have been set back during an interrupted
	// restore.
	op.copied.StoppedSeconds = max(time.Since(op.stopped).Seconds(), op.copied.Seconds)
	// Another agent starts the server with the settings of the target: it has to be asked for others again.
	if len(op.settings) == 0 {
		if err := a.volume.saveRecord(op); err != nil {
			a.Log.Warn("recording the operation", "error", err)
		}
	}
	a.Log.Info("the operation is done", "operation", op.path, "id", op.id, "files", op.copied.Files, "bytes", op.copied.Bytes,
		"reflink", op.copied.Reflink, "seconds", op.copied.Seconds, "stoppedSeconds", op.copied.StoppedSeconds)
	a.operations.finish(op, nil)
}
