package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// volume is the target's volume: the data directory, and beside it
//
//	snapshot             a copy of the data directory
//	snapshot.draft       one that is not complete
//	db.restoring         a new data directory that is not complete
//	db.old               the data directory before that of an archive took its place
//	restore.json         the marker: the data directory is to become the snapshot's
//	operation.json       the last operation that went well
type volume struct {
	dir, data string
	// user is the UID of the run that measures on the volume of an earlier one; empty for a volume of the run's own.
	user string
	// free is how many bytes a user may still write.
	free func(dir string) (int64, error)
	// clone makes the blocks of one file those of another.
	clone cloneFunc
}

func newVolume(o Options) *volume {
	return &volume{dir: o.Data, data: o.paths().Data, free: freeBytes, clone: reflink}
}

func (v *volume) snapshotDir() string   { return filepath.Join(v.dir, "snapshot") }
func (v *volume) snapshotDraft() string { return v.snapshotDir() + ".draft" }
func (v *volume) dataDraft() string     { return v.data + ".restoring" }
func (v *volume) dataOld() string       { return v.data + ".old" }
func (v *volume) markerFile() string    { return filepath.Join(v.dir, "restore.json") }
func (v *volume) recordFile() string    { return filepath.Join(v.dir, "operation.json") }

// marker says who wanted the restore that is under way.
type marker struct {
	// ID of the operation.
	ID string `json:"id"`
	// Stopped is when the server was told to stop.
	Stopped time.Time `json:"stopped"`
}

// hasSnapshot says whether there is something to restore.
func (v *volume) hasSnapshot() bool { return exists(v.snapshotDir()) }

// isRestoring says whether a restore has begun and not ended: then the data
// directory is neither the old nor the new one.
func (v *volume) isRestoring() bool { return exists(v.markerFile()) }

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// snapshot copies the data directory of a server that has stopped. An older
// snapshot is removed first: the volume need not have room for three.
func (v *volume) snapshot(ctx context.Context) (contract.Copy, error) {
	begin := time.Now()
	if err := os.RemoveAll(v.snapshotDraft()); err != nil {
		return contract.Copy{}, storageFailure("removing an unfinished snapshot", err)
	}
	if err := v.checkRoom(v.data, v.snapshotDir()); err != nil {
		return contract.Copy{}, err
	}
	if err := os.RemoveAll(v.snapshotDir()); err != nil {
		return contract.Copy{}, storageFailure("removing the older snapshot", err)
	}
	copied, err := copyTree(ctx, v.snapshotDraft(), v.data, v.clone)
	if err == nil {
		err = adopt(v.snapshotDraft(), v.snapshotDir())
	}
	if err != nil {
		return contract.Copy{}, errors.Join(storageFailure("copying the data directory", err), os.RemoveAll(v.snapshotDraft()))
	}
	copied.Seconds = time.Since(begin).Seconds()
	return copied, nil
}

// restore makes the data directory of a server that has stopped that of the
// snapshot. It writes the marker before it touches the data.
func (v *volume) restore(ctx context.Context, m marker) (contract.Copy, error) {
	if err := v.checkRoom(v.snapshotDir(), v.data); err != nil {
		return contract.Copy{}, err
	}
	if err := writeDurably(v.markerFile(), m); err != nil {
		return contract.Copy{}, storageFailure("marking the restore", err)
	}
	return v.finishRestore(ctx)
}

// finishRestore does what the marker says, from the start. The data directory is
// removed first, so that the volume never holds more than two.
func (v *volume) finishRestore(ctx context.Context) (contract.Copy, error) {
	begin := time.Now()
	if !v.hasSnapshot() {
		return contract.Copy{}, fail(contract.ReasonStorageFailed, "%s was to be restored, but the snapshot %s is gone: delete the volume and load again",
			v.data, v.snapshotDir())
	}
	for _, dir := range []string{v.data, v.dataDraft()} {
		if err := os.RemoveAll(dir); err != nil {
			return contract.Copy{}, storageFailure("removing the old data directory", err)
		}
	}
	copied, err := copyTree(ctx, v.dataDraft(), v.snapshotDir(), v.clone)
	if err == nil {
		err = adopt(v.dataDraft(), v.data)
	}
	if err == nil {
		err = os.Remove(v.markerFile())
	}
	if err == nil {
		err = syncDir(v.dir)
	}
	if err != nil {
		return contract.Copy{}, storageFailure("copying the snapshot", err)
	}
	copied.Seconds = time.Since(begin).Seconds()
	return copied, nil
}

func readJSON(name string, into any) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// checkRoom refuses a copy for which there is no room, even once the directory
// that it replaces is gone. A clone needs none.
func (v *volume) checkRoom(source, replaced string) error {
	if v.clones() {
		return nil
	}
	need, err := allocated(source)
	if err != nil {
		return storageFailure("measuring what is to be copied", err)
	}
	reclaimed, err := allocated(replaced)
	if err != nil {
		return storageFailure("measuring what is to be replaced", err)
	}
	free, err := v.free(v.dir)
	if err != nil {
		return storageFailure("asking for the room that is left", err)
	}
	if need <= free+reclaimed {
		return nil
	}
	return fail(contract.ReasonStorageFailed, "the volume %s is too small for two copies of the data: %s needed, %s free; "+
		"give the target's storage a size of at least twice the data", v.dir, mebibytes(need), mebibytes(free+reclaimed))
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

// allocated is the room that a directory takes, holes left out; 0 for none.
func allocated(dir string) (int64, error) {
	var total int64
	err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == dir {
			return nil
		}
		if err != nil {
			return err
		}
		var stat unix.Stat_t
		if err := unix.Lstat(name, &stat); err != nil {
			return &os.PathError{Op: "lstat", Path: name, Err: err}
		}
		total += stat.Blocks * 512
		return nil
	})
	return total, err
}

func freeBytes(dir string) (int64, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return int64(stat.Bavail) * int64(stat.Bsize), nil
}

// writeDurably replaces a file as a whole: after a crash it is the old or the new one.
func writeDurably(name string, content any) error {
	data, err := json.Marshal(content)
	if err != nil {
		return err
	}
	draft, err := os.OpenFile(name+".draft", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = draft.Write(data)
	if err == nil {
		err = draft.Sync()
	}
	if err := errors.Join(err, draft.Close()); err != nil {
		return err
	}
	return adopt(draft.Name(), name)
}

// storageFailure leaves an interruption what it is.
func storageFailure(doing string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return fail(contract.ReasonStorageFailed, "%s: %v", doing, err)
}
