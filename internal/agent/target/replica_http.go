package target

import (
	"context"
	"net/http"
	"strconv"

	"github.com/assay-bench/assay/internal/contract"
)

// answerReplica is the handler of engine.PathReplica.
func (s *server) answerReplica(w http.ResponseWriter, r *http.Request) {
	if s.follower == nil {
		s.refuse(w, fail(contract.ReasonRequestInvalid, "this server follows no other one"))
		return
	}
	query := r.URL.Query()
	wait := 0.0
	if text := query.Get("wait"); text != "" {
		var err error
		// In these words NaN, too, is refused.
		if wait, err = strconv.ParseFloat(text, 64); err != nil || !(wait >= 0 && wait <= contract.MaxReplicaWait) {
			s.refuse(w, fail(contract.ReasonRequestInvalid, "wait: got %q, want seconds from 0 to %d", text, contract.MaxReplicaWait))
			return
		}
	}
	if !s.serving.Load() {
		s.answer(w, http.StatusOK, contract.ReplicaState{Error: "the server is starting, stopping, or down for a copy of its data"})
		return
	}
	var applied *bool
	if position := query.Get("position"); position != "" {
		done, err := s.follower.applied(r.Context(), position, wait)
		if err != nil {
			s.answer(w, http.StatusOK, contract.ReplicaState{Error: "waiting for the position: " + err.Error()})
			return
		}
		applied = &done
	}
	state := s.follower.state(r.Context())
	state.ServerVersion, state.Applied = s.door.lastVersion(), applied
	s.answer(w, http.StatusOK, state)
}

// followPrimary makes a server that just started a replica, if it is to be one.
func (s *server) followPrimary(ctx context.Context) error {
	if !s.in.target.IsReplica() {
		return nil
	}
	if err := s.follower.follow(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fail(contract.ReasonInitialisationFailed, "the server cannot be made a replica of %s: %v", s.in.target.Replication.Primary, err)
	}
	return nil
}
