package target

import (
	"net/http"
	"time"

	"github.com/assay-bench/assay/internal/agent/environment"
	"github.com/assay-bench/assay/internal/machinespeed"
)

const (
	// quickSyncs is how many writes are made durable before a trial.
	quickSyncs = 20
	// quickSyncTime bounds them: dead time between trials is dear.
	quickSyncTime = 12 * time.Millisecond
)

// speed measures how fast the node and the storage are now. One request at a time: two would
// measure each other.
func (a api) speed(w http.ResponseWriter, r *http.Request) {
	a.speeding.Lock()
	defer a.speeding.Unlock()
	if r.Context().Err() != nil {
		return // who asked has gone while others were measured: it would only disturb
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
	a.answer(w, http.StatusOK, measured)
}
