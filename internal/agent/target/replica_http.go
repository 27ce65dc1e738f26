package target

import (
	"net/http"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// replica answers contract.PathReplica.
func (a *agent) replica(r *http.Request) (any, error) {
	if a.follower == nil {
		return nil, fail(contract.ReasonRequestInvalid, "this server follows no other one")
	}
	query, wait := r.URL.Query(), 0.0
	if query.Get("wait") != "" {
		var err error
		if wait, err = secondsOf(query, "wait", contract.MaxReplicaWait); err != nil {
			return nil, err
		}
	}
	if !a.serving.Load() {
		return contract.ReplicaState{Error: errDown.Error()}, nil
	}
	var applied *bool
	if position := query.Get("position"); position != "" {
		done, err := a.follower.applied(r.Context(), position, wait)
		if err != nil {
			return contract.ReplicaState{Error: "waiting for the position: " + err.Error()}, nil
		}
		applied = &done
	}
	state := a.follower.state(r.Context())
	state.ServerVersion, state.Applied = a.login.lastVersion(), applied
	return state, nil
}
