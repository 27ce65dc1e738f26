package target

import (
	"context"
	"os"
	"time"

	"github.com/assay-bench/assay/internal/agent/supervise"

	"github.com/assay-bench/assay/internal/contract"
)

// resume ends what an earlier agent left: it removes a snapshot that is not
// complete, remembers the last answer, and finishes a restore that was
// interrupted.
func (s *server) resume(ctx context.Context) error {
	if err := os.RemoveAll(s.volume.snapshotDraft()); err != nil {
		return storageFailure("removing an unfinished snapshot", err)
	}
	if !s.volume.isRestoring() {
		last, found, err := s.volume.loadRecord()
		if err != nil {
			// All that is lost is that an old question would be answered by a new copy.
			s.Log.Warn("reading the last operation", "error", err)
		}
		if found {
			s.operations.set(last)
		}
		return nil
	}
	m, err := s.volume.readMarker()
	if err != nil {
		return err
	}
	s.Log.Info("finishing a restore that was interrupted", "id", m.ID)
	op := newOperation(contract.PathRestore, m.ID)
	op.stopped = m.Stopped
	s.operations.set(op)
	if op.copied, err = s.volume.finishRestore(ctx); err != nil {
		return err
	}
	s.interrupted = op
	return nil
}

// perform carries out one operation: it stops the server, copies, and starts the
// server again, also after a copy that failed. The operation has its answer when
// it returns, unless an error, which ends the agent, takes the place of it.
func (s *server) perform(ctx context.Context, p running, op *operation) (running, error) {
	select {
	case <-p.Done():
		return p, s.crashed(p)
	default:
	}
	if op.path == contract.PathRestore && !s.volume.hasSnapshot() {
		s.conclude(op, fail(contract.ReasonSnapshotMissing, "there is no snapshot to restore: take one after loading"))
		return p, nil
	}
	s.Log.Info("the operation begins", "operation", op.path, "id", op.id)
	op.stopped = time.Now()
	stopped := s.stopCleanly(p)
	var refused error
	if op.copied, refused = s.copyData(ctx, op, stopped); refused != nil {
		// Without a server: the agent ends, or the data directory is none.
		if ctx.Err() != nil || s.volume.isRestoring() {
			return p, refused
		}
	}
	p, err := s.launch(ctx)
	if err != nil {
		return p, err
	}
	s.conclude(op, refused)
	return p, nil
}

// stopCleanly fails if the data directory is not as a clean shutdown leaves it.
func (s *server) stopCleanly(p running) error {
	if err := s.stop(p); err != nil {
		return err
	}
	if exit := p.Exit(); exit != (supervise.Exit{}) {
		return failWithLog(classify(exit, p.log.Tail(), contract.ReasonServerCrashed), p.log.Tail(), "the server %s when it was told to stop", exit)
	}
	return nil
}

// copyData copies in the direction that is wanted. The error of the stop counts
// for a snapshot only: a restore throws away what the server left.
func (s *server) copyData(ctx context.Context, op *operation, stopped error) (contract.Copy, error) {
	if err := ctx.Err(); err != nil {
		return contract.Copy{}, err
	}
	if op.path == contract.PathRestore {
		if stopped != nil {
			s.Log.Warn("the server did not stop cleanly; its data is replaced", "error", stopped)
		}
		return s.volume.restore(ctx, marker{ID: op.id, Stopped: op.stopped})
	}
	if stopped != nil {
		return contract.Copy{}, stopped
	}
	return s.volume.snapshot(ctx)
}

// conclude gives an operation its answer, once the server is up again.
func (s *server) conclude(op *operation, refused error) {
	if refused != nil {
		s.Log.Warn("the operation failed", "operation", op.path, "id", op.id, "error", refused)
		s.operations.finish(op, refused)
		return
	}
	// At least the copy: the clock of an interrupted restore may have been set back.
	op.copied.StoppedSeconds = max(time.Since(op.stopped).Seconds(), op.copied.Seconds)
	if err := s.volume.saveRecord(op); err != nil {
		s.Log.Warn("recording the operation", "error", err)
	}
	s.Log.Info("the operation is done", "operation", op.path, "id", op.id, "files", op.copied.Files, "bytes", op.copied.Bytes,
		"reflink", op.copied.Reflink, "seconds", op.copied.Seconds, "stoppedSeconds", op.copied.StoppedSeconds)
	s.operations.finish(op, nil)
}
