package target

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/assay-bench/assay/engines/engine"
)

// Reasons of refusals that do not end the agent, beside those of engine.Reason.
const (
	// reasonUnauthorized: the request bears no or another token.
	reasonUnauthorized engine.Reason = "Unauthorized"
	// reasonRequestInvalid: the body is no engine.Operation.
	reasonRequestInvalid engine.Reason = "RequestInvalid"
	// reasonBusy: another operation is under way. A second try can help.
	reasonBusy engine.Reason = "Busy"
	// reasonSnapshotMissing: there is nothing to restore.
	reasonSnapshotMissing engine.Reason = "SnapshotMissing"
	// reasonAgentStopped: the agent was told to end before the operation did. A
	// restore goes on when the agent starts again; a snapshot does not.
	reasonAgentStopped engine.Reason = "AgentStopped"
)

// statusOf is the HTTP status of a refusal; 500 for what is not in the list.
var statusOf = map[engine.Reason]int{
	reasonUnauthorized:         http.StatusUnauthorized,
	reasonRequestInvalid:       http.StatusBadRequest,
	reasonBusy:                 http.StatusConflict,
	reasonSnapshotMissing:      http.StatusPreconditionFailed,
	reasonAgentStopped:         http.StatusServiceUnavailable,
	engine.ReasonStorageFailed: http.StatusInsufficientStorage,
}

// refusalOf translates the end of an operation.
func refusalOf(err error) engine.Refusal {
	var f *failure
	switch {
	case errors.As(err, &f):
		return engine.Refusal(f.termination())
	case errors.Is(err, context.Canceled):
		return engine.Refusal{Reason: reasonAgentStopped, Message: "the agent was told to end"}
	}
	return engine.Refusal{Reason: engine.ReasonInitialisationFailed, Message: err.Error()}
}

func (s *server) refuse(w http.ResponseWriter, err error) {
	refusal := refusalOf(err)
	status, listed := statusOf[refusal.Reason]
	if !listed {
		status = http.StatusInternalServerError
	}
	s.answer(w, status, refusal)
}

func (s *server) answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		s.Log.Warn("answering a request", "error", err)
	}
}
