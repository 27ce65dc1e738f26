package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-bench/assay/internal/agent/pause"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// waitForPeers waits until every other client of the server has loaded its part of the data. With one
// client there is nothing to wait for, and one that does nothing waits for the first.
func waitForPeers(ctx context.Context, s session) *contract.Failure {
	for _, client := range beside(s.role)[1:] {
		if s.all.GroupOf(client).Idle {
			continue
		}
		if failure := waitForPeer(ctx, s, client); failure != nil {
			return failure
		}
	}
	return nil
}

// waitForPeer waits for the result of one client. It polls, because clients may get the
// results of their trial, but not watch them.
func waitForPeer(ctx context.Context, s session, client int) *contract.Failure {
	// A missing result is the usual case, and no error.
	missing := errors.New("it has not delivered yet")
	for {
		data, err := s.delivered(ctx, client)
		if err == nil && data != nil {
			return yield(ctx, s, client, partOf(data, s.trial.Ref, client))
		}
		if err == nil {
			err = missing
		} else {
			s.Log.Warn("looking again", "what", "the result of another client", "client", client, "error", err)
		}
		if pause.For(ctx, s.Peers) != nil {
			return failed(contract.ReasonInterrupted, "waiting for client %d of %d to load its part of the data: %v", client, s.all.Clients, err)
		}
	}
}

// delivered is the stored result of a client; nil when there is none yet.
func (a *Agent) delivered(ctx context.Context, client int) ([]byte, error) {
	cm, err := a.API.Get(ctx, contract.ResultName(a.Trial, client))
	return cm.BinaryData[contract.KeyResult], err
}

// partOf returns why a delivered result does not prove that the client loaded its part.
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

// yield is nil when the other client succeeded. A failed client reports its own failure. This
// client only reports an interruption, and waits first until the other pod has ended and the
// Job terminates this one.
func yield(ctx context.Context, s session, client int, err error) *contract.Failure {
	if err == nil {
		return nil
	}
	// An early end is what is waited for.
	_ = pause.For(ctx, s.Yield)
	return failed(contract.ReasonInterrupted, "client %d of %d did not load its part of the data: %v", client, s.all.Clients, err)
}
