package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/assay-bench/assay/internal/agent/control"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// reachTarget is the timeout to connect to the target's agent.
const reachTarget = 5 * time.Second

// targetAgent is `agent target` in the database pod, over HTTP.
type targetAgent struct {
	address string
	key     control.Key
	http    *http.Client
}

func newTargetAgent(address string, key control.Key) *targetAgent {
	t := &targetAgent{address: address, key: key}
	// No proxy: the agent is a pod of the same cluster. No connection is kept: the
	// next question comes minutes later. A copy may take as long as the trial has;
	// a peer that is gone is noticed by the keep-alive of TCP.
	t.over(&http.Transport{DialContext: (&net.Dialer{Timeout: reachTarget}).DialContext, DisableKeepAlives: true})
	return t
}

// over another transport, which the requests are signed for.
func (t *targetAgent) over(base http.RoundTripper) {
	t.http = &http.Client{Transport: control.NewTransport(t.key, base)}
}

// refusedError is a permanent refusal by the target's agent.
type refusedError struct{ contract.Refusal }

// Error has the reason and the message.
func (r *refusedError) Error() string { return fmt.Sprintf("%s: %s", r.Reason, r.Message) }

// Unwrap marks it as permanent (ErrRefused).
func (r *refusedError) Unwrap() error { return ErrRefused }

// get reads the answer of a path.
func (t *targetAgent) get(ctx context.Context, path string, into any) error {
	return t.do(ctx, http.MethodGet, path, nil, into)
}

// post requests an operation and reads the answer.
func (t *targetAgent) post(ctx context.Context, path string, op contract.Operation, into any) error {
	body, err := json.Marshal(op)
	if err != nil {
		return err
	}
	return t.do(ctx, http.MethodPost, path, body, into)
}

func (t *targetAgent) do(ctx context.Context, method, path string, body []byte, into any) error {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+t.address+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("agent: %w: %w", ErrRefused, err)
	}
	answer, err := t.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body) // bounded by the transport
	if err != nil {
		return fmt.Errorf("reading the answer to %s: %w", path, err)
	}
	if answer.StatusCode == http.StatusOK {
		if err := json.Unmarshal(text, into); err != nil {
			return fmt.Errorf("%w: the answer to %s: %w: use agents of the same release", ErrRefused, path, err)
		}
		return nil
	}
	return refusal(path, answer, text)
}

// refusal is the error of a response without success. A retry can help if another operation is
// running, if the agent is restarting, or if the response is not from the agent (5xx without a
// Refusal).
func refusal(path string, answer *http.Response, text []byte) error {
	var r refusedError
	if json.Unmarshal(text, &r.Refusal) == nil && r.Reason != "" {
		if r.Reason == contract.ReasonBusy || r.Reason == contract.ReasonAgentStopped {
			return errors.New(r.Error())
		}
		return &r
	}
	err := fmt.Errorf("%s answered %s: %.200s", path, answer.Status, bytes.TrimSpace(text))
	if answer.StatusCode >= http.StatusInternalServerError {
		return err
	}
	return fmt.Errorf("%w: %w", ErrRefused, err)
}
