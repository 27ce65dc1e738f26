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
func (s *server) speed(w http.ResponseWriter, r *http.Request) {
	s.speeding.Lock()
	defer s.speeding.Unlock()
	if r.Context().Err() != nil {
		return // who asked has gone while others were measured: it would only disturb
	}
	began := time.Now()
	measured, err := machinespeed.Measure(environment.Reader{}.Throttled())
	if err != nil {
		s.Log.Warn("measuring the speed of the machine", "error", err)
	}
	if !s.volume.isRestoring() {
		if measured.Fsync, err = probeSync(r.Context(), s.Data, quickSyncs, quickSyncTime); err != nil {
			s.Log.Warn("probing the storage", "error", err)
		}
	}
	measured.Seconds = time.Since(began).Seconds()
	s.answer(w, http.StatusOK, measured)
}
