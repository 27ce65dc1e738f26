package target

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// checkRetained refuses a volume of an earlier run that another server uses, that holds no data, or that of another version of the server, before anything is
// written to its data: a newer server changes the files of an older one at its first start.
func checkRetained(a *agent) error {
	from := a.in.target.Retained
	if from == nil {
		return nil
	}
	if err := a.hold(); err != nil {
		return err
	}
	if !exists(a.paths().Data) && !exists(a.volume.dataOld()) && !a.volume.isRestoring() {
		if from.Snapshot != "" {
			return fail(contract.ReasonVolumeUnfit, "the volume %s of VolumeSnapshot %s holds no data directory of Assay: use a storageClassName whose provisioner makes volumes of snapshots, "+
				"or name a VolumeSnapshot that a run has made", a.Data, from.Snapshot)
		}
		return fail(contract.ReasonVolumeUnfit, "the volume %s of an earlier run holds no data directory: load again", a.Data)
	}
	if here, there := numbersOf(a.in.target.ServerVersion), numbersOf(from.ServerVersion); there != "" && here != there {
		if from.Snapshot != "" {
			return fail(contract.ReasonVolumeUnfit, "the data of VolumeSnapshot %s was written by server version %s, and the image has %s: name the image of that server by its digest, "+
				"or load again and make another VolumeSnapshot", from.Snapshot, there, here)
		}
		return fail(contract.ReasonVolumeUnfit, "the data on the volume %s was written by server version %s, and the image has %s: name the image by its digest in both runs, or load again",
			a.Data, there, here)
	}
	return nil
}

// lockFile is in the volume of an earlier run.
const lockFile = ".assay.lock"

// hold the volume for as long as this process lives: two servers on it would destroy the data. The manager keeps them apart; this is for
// when somebody changes what it has written on the volume. Where the storage knows no locks, the log says so.
func (a *agent) hold() error {
	file, err := os.OpenFile(filepath.Join(a.Data, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return stored(err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errors.Join(fail(contract.ReasonVolumeUnfit, "the volume %s is used by another server: create the run again when that is gone", a.Data), file.Close())
	}
	if err != nil {
		a.Log.Warn("the volume of an earlier run cannot be locked against other servers", "error", err)
	}
	a.held = file
	return nil
}

// numbersOf a version, as the binary says it: 11.8.3 of 11.8.3-MariaDB-log.
func numbersOf(version string) string {
	end := strings.IndexFunc(version, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end < 0 {
		return version
	}
	return version[:end]
}
