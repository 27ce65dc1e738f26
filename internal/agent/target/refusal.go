package target

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// statusOf is the HTTP status of a refusal; 500 by default.
var statusOf = map[contract.TargetReason]int{
	contract.ReasonUnauthorized:    http.StatusUnauthorized,
	contract.ReasonRequestInvalid:  http.StatusBadRequest,
	contract.ReasonBusy:            http.StatusConflict,
	contract.ReasonSnapshotMissing: http.StatusPreconditionFailed,
	contract.ReasonAgentStopped:    http.StatusServiceUnavailable,
	contract.ReasonStorageFailed:   http.StatusInsufficientStorage,
}

// refusalOf translates the end of an operation.
func refusalOf(err error) contract.Refusal {
	var f *failure
	switch {
	case errors.As(err, &f):
		return contract.Refusal(f.termination())
	case errors.Is(err, context.Canceled):
		return contract.Refusal{Reason: contract.ReasonAgentStopped, Message: "the agent is shutting down"}
	}
	return contract.Refusal{Reason: contract.ReasonInitialisationFailed, Message: err.Error()}
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
