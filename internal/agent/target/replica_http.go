package target

import (
	"net/http"
	"strconv"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// answerReplica is the handler of contract.PathReplica.
func (a api) answerReplica(w http.ResponseWriter, r *http.Request) {
	if a.follower == nil {
		a.refuse(w, fail(contract.ReasonRequestInvalid, "this server follows no other one"))
		return
	}
	query := r.URL.Query()
	wait := 0.0
	if text := query.Get("wait"); text != "" {
		var err error
		// Written this way, the condition also refuses NaN.
		if wait, err = strconv.ParseFloat(text, 64); err != nil || !(wait >= 0 && wait <= contract.MaxReplicaWait) {
			a.refuse(w, fail(contract.ReasonRequestInvalid, "wait: got %q, want seconds from 0 to %d", text, contract.MaxReplicaWait))
			return
		}
	}
	if !a.state.serving.Load() {
		a.answer(w, http.StatusOK, contract.ReplicaState{Error: "the server is starting, stopping, or down for a copy of its data"})
		return
	}
	var applied *bool
	if position := query.Get("position"); position != "" {
		done, err := a.follower.applied(r.Context(), position, wait)
		if err != nil {
			a.answer(w, http.StatusOK, contract.ReplicaState{Error: "waiting for the position: " + err.Error()})
			return
		}
		applied = &done
	}
	state := a.follower.state(r.Context())
	state.ServerVersion, state.Applied = a.login.lastVersion(), applied
	a.answer(w, http.StatusOK, state)
}
