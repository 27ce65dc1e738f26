package target

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// checkRetained refuses a volume of an earlier run that another server uses, that holds no data, or that of another version of the server, before anything is
// written to it: a newer server changes the files of an older one at its first start.
func (a *agent) checkRetained() error {
	from := a.in.target.Retained
	if from == nil {
		return nil
	}
	if err := a.hold(); err != nil {
		return err
	}
	if !exists(a.paths().Data) && !exists(a.volume.dataOld()) && !a.volume.isRestoring() {
		return fail(contract.ReasonVolumeUnfit, "the volume %s of an earlier run holds no data directory: load again", a.Data)
	}
	if here, there := numbersOf(a.in.target.ServerVersion), numbersOf(from.ServerVersion); there != "" && here != there {
		return fail(contract.ReasonVolumeUnfit, "the data on the volume %s was written by server version %s, and the image has %s: name the image by its digest in both runs, or load again",
			a.Data, there, here)
	}
	return nil
}

// hold the volume for as long as this process lives: two servers on it would destroy the data. The manager keeps them apart; this is for
// when somebody changes what it has written on the volume. It writes nothing.
func (a *agent) hold() error {
	dir, err := os.Open(a.Data)
	if err != nil {
		return stored(err)
	}
	err = syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		a.held = dir
		return nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return errors.Join(fail(contract.ReasonVolumeUnfit, "the volume %s of an earlier run is used by another server: create the run again when that is gone", a.Data), dir.Close())
	}
	return errors.Join(stored(fmt.Errorf("locking the volume %s: %w", a.Data, err)), dir.Close())
}

// numbersOf a version, as the binary says it: 11.8.3 of 11.8.3-MariaDB-log.
func numbersOf(version string) string {
	end := strings.IndexFunc(version, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end < 0 {
		return version
	}
	return version[:end]
}
