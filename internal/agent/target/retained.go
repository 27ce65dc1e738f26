package target

import (
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// checkRetained refuses a volume of an earlier run that holds no data, or that of another version of the server, before anything is
// written to it: a newer server changes the files of an older one at its first start.
func (a *agent) checkRetained() error {
	from := a.in.target.Retained
	if from == nil {
		return nil
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

// numbersOf a version, as the binary says it: 11.8.3 of 11.8.3-MariaDB-log.
func numbersOf(version string) string {
	end := strings.IndexFunc(version, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end < 0 {
		return version
	}
	return version[:end]
}
