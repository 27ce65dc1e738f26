package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-bench/assay/internal/contract"
)

// others waits until every other client has loaded its part of the data. With one
// client there is nothing to wait for.
func (e *execution) others(ctx context.Context) *contract.Failure {
	for client := 1; client < e.trial.Clients; client++ {
		if failure := e.other(ctx, client); failure != nil {
			return failure
		}
	}
	return nil
}

// other waits for the result of one client. It looks again and again: clients may
// get the results of their trial, but not watch them.
func (e *execution) other(ctx context.Context, client int) *contract.Failure {
	// A client that has no result yet is the usual case, and no error.
	missing := errors.New("it has not delivered yet")
	for {
		data, err := e.delivered(ctx, client)
		if err == nil && data != nil {
			return e.yield(ctx, client, partOf(data, e.trial.Ref, client))
		}
		if err == nil {
			err = missing
		} else {
			e.Log.Warn("looking again", "what", "the result of another client", "client", client, "error", err)
		}
		if sleep(ctx, e.Others) != nil {
			return interrupted("waiting for client %d of %d to load its part of the data: %v", client, e.trial.Clients, err)
		}
	}
}

// delivered is the result of a client as it stored it; nil when it has not yet.
func (e *execution) delivered(ctx context.Context, client int) ([]byte, error) {
	cm, err := e.API.Get(ctx, resultName(e.Trial, client))
	return cm.BinaryData[contract.KeyResult], err
}

// resultName is the name of the ConfigMap with the result of a client (api/v1alpha1,
// ResultName).
func resultName(trial string, client int) string { return fmt.Sprintf("%s-result-%d", trial, client) }

// partOf says why a delivered result is no proof that the client loaded its part.
func partOf(data []byte, own contract.TrialRef, client int) error {
	res, err := contract.Decode(data)
	if err != nil {
		return err
	}
	ref := res.Trial
	if ref.RunUID != own.RunUID || ref.Phase != own.Phase || ref.Target != own.Target || ref.Client != client {
		return fmt.Errorf("its result is of client %d in phase %s on target %s of run %s", ref.Client, ref.Phase, ref.Target, ref.RunUID)
	}
	if res.State != contract.Succeeded {
		return fmt.Errorf("%s: %s", res.Failure.Reason, res.Failure.Message)
	}
	return nil
}

// yield is nil when the other client succeeded. Its failure is its own to tell: this
// client only says that it was interrupted, and not before the other pod has ended
// for all to see; then the Job tells this one to stop.
func (e *execution) yield(ctx context.Context, client int, err error) *contract.Failure {
	if err == nil {
		return nil
	}
	// An early end is what is waited for.
	_ = sleep(ctx, e.Yield)
	return interrupted("client %d of %d did not load its part of the data: %v", client, e.trial.Clients, err)
}

func interrupted(format string, args ...any) *contract.Failure {
	return &contract.Failure{Reason: contract.ReasonInterrupted, Message: fmt.Sprintf(format, args...)}
}
