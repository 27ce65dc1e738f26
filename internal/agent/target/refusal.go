package target

import (
	"cmp"
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

func refuse(err error) (status int, body []byte) {
	refusal := refusalOf(err)
	return encode(cmp.Or(statusOf[refusal.Reason], http.StatusInternalServerError), refusal)
}

func encode(status int, document any) (int, []byte) {
	body, err := json.Marshal(document)
	if err != nil {
		return http.StatusInternalServerError, []byte(err.Error())
	}
	return status, body
}
