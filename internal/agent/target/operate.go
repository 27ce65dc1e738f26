package target

import (
	"context"
	"os"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// operator runs the server, and stops it for snapshots and restores.
type operator struct {
	server     server
	volume     *volume
	operations *operations
}

// serve runs the server until it or the context ends, and stops it for every operation. An
// interrupted restore (nil for none) is answered at the first login.
func (o operator) serve(ctx context.Context, interrupted *operation) error {
	p, err := o.server.launch(ctx)
	if err != nil {
		return err
	}
	if interrupted != nil {
		o.conclude(interrupted, nil)
	}
	for {
		select {
		case <-p.Done():
			return o.server.crashed(p)
		case <-ctx.Done():
			return o.server.stop(p)
		case op := <-o.operations.wanted:
			if p, err = o.perform(ctx, p, op); err != nil {
				return err
			}
		}
	}
}

// resume continues after an earlier agent: it removes an incomplete snapshot, loads the last
// answer, and finishes an interrupted restore. It returns that restore, which has no answer
// yet; nil for none.
func (o operator) resume(ctx context.Context) (interrupted *operation, err error) {
	if err := os.RemoveAll(o.volume.snapshotDraft()); err != nil {
		return nil, storageFailure("removing an unfinished snapshot", err)
	}
	if !o.volume.isRestoring() {
		last, found, err := o.volume.loadRecord()
		if err != nil {
			// The only loss is that a repeated old request makes a new copy.
			o.server.Log.Warn("reading the last operation", "error", err)
		}
		if found {
			o.operations.set(last)
		}
		return nil, nil
	}
	m, err := o.volume.readMarker()
	if err != nil {
		return nil, err
	}
	o.server.Log.Info("finishing a restore that was interrupted", "id", m.ID)
	op := newOperation(contract.PathRestore, m.ID)
	op.stopped = m.Stopped
	o.operations.set(op)
	if op.copied, err = o.volume.finishRestore(ctx); err != nil {
		return nil, err
	}
	return op, nil
}

// perform executes one operation: it stops the server, copies, and starts the server again,
// also after a failed copy. It answers the operation before it returns, except with an error,
// which ends the agent.
func (o operator) perform(ctx context.Context, p running, op *operation) (running, error) {
	select {
	case <-p.Done():
		return p, o.server.crashed(p)
	default:
	}
	if op.path == contract.PathRestore && !o.volume.hasSnapshot() {
		o.conclude(op, fail(contract.ReasonSnapshotMissing, "there is no snapshot to restore: take one after loading"))
		return p, nil
	}
	o.server.Log.Info("the operation begins", "operation", op.path, "id", op.id)
	op.stopped = time.Now()
	stopped := o.server.stopCleanly(p)
	var refused error
	if op.copied, refused = o.copyData(ctx, op, stopped); refused != nil {
		// No server can run: the agent ends, or the data directory is unusable.
		if ctx.Err() != nil || o.volume.isRestoring() {
			return p, refused
		}
	}
	p, err := o.server.launch(ctx)
	if err != nil {
		return p, err
	}
	o.conclude(op, refused)
	return p, nil
}

// copyData copies in the direction of the operation. The error of the stop counts only for a
// snapshot: a restore discards the server's data.
func (o operator) copyData(ctx context.Context, op *operation, stopped error) (contract.Copy, error) {
	if err := ctx.Err(); err != nil {
		return contract.Copy{}, err
	}
	if op.path == contract.PathRestore {
		if stopped != nil {
			o.server.Log.Warn("the server did not stop cleanly; its data is replaced", "error", stopped)
		}
		return o.volume.restore(ctx, marker{ID: op.id, Stopped: op.stopped})
	}
	if stopped != nil {
		return contract.Copy{}, stopped
	}
	return o.volume.snapshot(ctx)
}

// conclude answers an operation after the restart of the server.
func (o operator) conclude(op *operation, refused error) {
	if refused != nil {
		o.server.Log.Warn("the operation failed", "operation", op.path, "id", op.id, "error", refused)
		o.operations.finish(op, refused)
		return
	}
	// At least the time of the copy: the clock may have been set back during an interrupted
	// restore.
	op.copied.StoppedSeconds = max(time.Since(op.stopped).Seconds(), op.copied.Seconds)
	if err := o.volume.saveRecord(op); err != nil {
		o.server.Log.Warn("recording the operation", "error", err)
	}
	o.server.Log.Info("the operation is done", "operation", op.path, "id", op.id, "files", op.copied.Files, "bytes", op.copied.Bytes,
		"reflink", op.copied.Reflink, "seconds", op.copied.Seconds, "stoppedSeconds", op.copied.StoppedSeconds)
	o.operations.finish(op, nil)
}
