// Package wire is what the plugin of CNI tells the agent for policies on its node: the address
// of a pod, over a socket on which only root may write.
//
// In: a pod whose network was just made. Out: nothing, once the rules of this pod are in force.
// Refused: by the agent with status 503 and a reason, when it could not load them.
package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Socket of the agent, on the file system of the node.
const Socket = "/run/policy-agent/socket"

// errRefused is an agent that is there and could not load the rules.
var errRefused = errors.New("the agent for policies")

// retry is the pause while nobody answers.
const retry = 50 * time.Millisecond

// Pod whose network was just made.
type Pod struct {
	Namespace string     `json:"namespace"`
	Name      string     `json:"name"`
	UID       types.UID  `json:"uid"`
	Address   netip.Addr `json:"address"`
}

// Send a pod to the agent and wait for its rules, until the context ends. It returns
// os.ErrNotExist when no agent has been on this node since it started. An agent that is
// away for a moment is waited for.
func Send(ctx context.Context, socket string, pod Pod) error {
	body, err := json.Marshal(pod)
	if err != nil {
		return err
	}
	var away error
	for {
		err := post(ctx, socket, body)
		if err == nil || errors.Is(err, errRefused) || errors.Is(err, os.ErrNotExist) {
			return err
		}
		if ctx.Err() == nil {
			away = err
		}
		select {
		case <-ctx.Done():
			return errors.Join(away, ctx.Err())
		case <-time.After(retry):
		}
	}
}

func post(ctx context.Context, socket string, body []byte) error {
	var dialer net.Dialer
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, "unix", socket)
	}}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://agent/pods", bytes.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return fmt.Errorf("telling the agent for policies: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusNoContent {
		reason, err := io.ReadAll(io.LimitReader(answer.Body, 4096))
		return errors.Join(fmt.Errorf("%w answers %s: %s", errRefused, answer.Status, reason), err)
	}
	return nil
}

// Listen on a socket. The one before is replaced in one step, and stays when the listener is
// closed: without it a pod would start without rules.
func Listen(socket string) (net.Listener, error) {
	fresh := socket + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: fresh, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	if err := errors.Join(os.Chmod(fresh, 0o600), os.Rename(fresh, socket)); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}
