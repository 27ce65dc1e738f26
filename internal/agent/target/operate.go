package target

import (
	"context"
	"os"
	"time"

	"github.com/assay-bench/assay/internal/contract"
)

// operator carries out snapshots and restores, and runs the server in between.
type operator struct {
	server     server
	volume     *volume
	operations *operations
}

// serve runs the server until it ends or the context does, and stops it for every
// operation meanwhile. An interrupted restore, nil for none, gets its answer with the
// first login.
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

// resume ends what an earlier agent left: it removes a snapshot that is not
// complete, remembers the last answer, and finishes a restore that was
// interrupted. That restore is returned, and has no answer yet; nil for none.
func (o operator) resume(ctx context.Context) (interrupted *operation, err error) {
	if err := os.RemoveAll(o.volume.snapshotDraft()); err != nil {
		return nil, storageFailure("removing an unfinished snapshot", err)
	}
	if !o.volume.isRestoring() {
		last, found, err := o.volume.loadRecord()
		if err != nil {
			// All that is lost is that an old question would be answered by a new copy.
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

// perform carries out one operation: it stops the server, copies, and starts the
// server again, also after a copy that failed. The operation has its answer when
// it returns, unless an error, which ends the agent, takes the place of it.
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
		// Without a server: the agent ends, or the data directory is none.
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

// copyData copies in the direction that is wanted. The error of the stop counts
// for a snapshot only: a restore throws away what the server left.
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

// conclude gives an operation its answer, once the server is up again.
func (o operator) conclude(op *operation, refused error) {
	if refused != nil {
		o.server.Log.Warn("the operation failed", "operation", op.path, "id", op.id, "error", refused)
		o.operations.finish(op, refused)
		return
	}
	// At least the copy: the clock of an interrupted restore may have been set back.
	op.copied.StoppedSeconds = max(time.Since(op.stopped).Seconds(), op.copied.Seconds)
	if err := o.volume.saveRecord(op); err != nil {
		o.server.Log.Warn("recording the operation", "error", err)
	}
	o.server.Log.Info("the operation is done", "operation", op.path, "id", op.id, "files", op.copied.Files, "bytes", op.copied.Bytes,
		"reflink", op.copied.Reflink, "seconds", op.copied.Seconds, "stoppedSeconds", op.copied.StoppedSeconds)
	o.operations.finish(op, nil)
}
