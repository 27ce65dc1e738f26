package target

import (
	"net/http"
	"time"

	"github.com/assay-bench/assay/internal/agent/environment"
	"github.com/assay-bench/assay/internal/trial/machinespeed"
)

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
