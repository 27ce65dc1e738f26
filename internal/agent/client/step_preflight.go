package client

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/assay-bench/assay/internal/contract"
)

// preflight takes down what commits cost, before the data is loaded. A server that does
// not allow it, such as one that may only be read, is measured nevertheless.
func (e *execution) preflight(ctx context.Context) *contract.Failure {
	if e.skips(e.phase()) {
		return nil // the data is the user's, and so is the schema
	}
	durability, err := e.server.Durability(ctx, preflightTable(e.trial.Ref), e.trial.Endpoint.StorageEngine)
	if err != nil {
		e.problem("server/durability", "what commits cost is not known: %v", err)
		return nil
	}
	e.res.Server.Durability = durability
	return nil
}

// preflightTable is a name that no other run and no user has, and the same for every
// attempt, so that the next one clears up after one that was killed.
func preflightTable(ref contract.TrialRef) string {
	return fmt.Sprintf("assay_preflight_%x", sha256.Sum256([]byte(ref.RunUID+"/"+ref.Target)))[:32]
}

// checkRows holds what Prepare left against what it has to leave.
func (e *execution) checkRows() *contract.Failure {
	if e.runner.Rows == nil {
		return nil
	}
	want, err := e.runner.Rows(e.trial)
	if err != nil {
		return invalid(err)
	}
	if text := missingRows(e.data().Tables, want).text(); text != "" {
		return &contract.Failure{Reason: contract.ReasonDataDiffers, Message: fmt.Sprintf(
			"the tool ended well, but did not load what was asked for: %s", text)}
	}
	return nil
}
