package target

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/assay-bench/assay/engines/engine"
)

// statusOf is the HTTP status of a refusal; 500 for what is not in the list.
var statusOf = map[engine.Reason]int{
	engine.ReasonUnauthorized:    http.StatusUnauthorized,
	engine.ReasonRequestInvalid:  http.StatusBadRequest,
	engine.ReasonBusy:            http.StatusConflict,
	engine.ReasonSnapshotMissing: http.StatusPreconditionFailed,
	engine.ReasonAgentStopped:    http.StatusServiceUnavailable,
	engine.ReasonStorageFailed:   http.StatusInsufficientStorage,
}

// refusalOf translates the end of an operation.
func refusalOf(err error) engine.Refusal {
	var f *failure
	switch {
	case errors.As(err, &f):
		return engine.Refusal(f.termination())
	case errors.Is(err, context.Canceled):
		return engine.Refusal{Reason: engine.ReasonAgentStopped, Message: "the agent was told to end"}
	}
	return engine.Refusal{Reason: engine.ReasonInitialisationFailed, Message: err.Error()}
}

func (a api) refuse(w http.ResponseWriter, err error) {
	refusal := refusalOf(err)
	status, listed := statusOf[refusal.Reason]
	if !listed {
		status = http.StatusInternalServerError
	}
	a.answer(w, status, refusal)
}

func (a api) answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		a.Log.Warn("answering a request", "error", err)
	}
}
