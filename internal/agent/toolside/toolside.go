// Package toolside is the agent's end of the connection to the supervisor in the tool's
// container (package supervisor). In: orders. Out: processes, their output, and the counters of
// that container.
//
// A tool may have taken the supervisor over: it has the same user. So every answer is refused
// that is too large, too late, or no answer to the order, with ErrLost or ErrOutput. Nothing of
// the tool's container is opened here: its files arrive as bytes, under names that stay below
// the directory of the output. The socket takes one connection, before any tool of the trial runs, and is
// then removed. Of a client that stands, a process that an earlier tool left may connect before it is killed: that fails its own run.
package toolside

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/assay-bench/assay/internal/agent/toolwire"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Errors of orders.
var (
	// ErrLost: the supervisor is gone, or does not keep to the protocol.
	ErrLost = errors.New("the tool's container is lost")
	// ErrMissing: the image has no such program.
	ErrMissing = errors.New("no such program")
	// ErrRefused: the supervisor could not carry out the order.
	ErrRefused = errors.New("refused in the tool's container")
	// ErrOutput: the output is too large, or not what was announced.
	ErrOutput = errors.New("the output cannot be read")
)

const (
	// socketMode lets the group of the pod connect.
	socketMode = 0o660
	// maxMessage is the maximum size of a message of the supervisor, in bytes.
	maxMessage = 1 << 10
)

// Side is the tool's container, as the agent sees it.
type Side struct {
	// Answer is the timeout of orders that do not wait for the tool.
	Answer time.Duration

	listener *net.UnixListener
	http     *http.Client
	conn     net.Conn
}

// Listen opens the socket that the supervisor connects to.
func Listen(socket string, answer time.Duration) (*Side, error) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("waiting for the tool's container: %w", err)
	}
	// A socket without a listener tells a supervisor that the agent has ended.
	l.SetUnlinkOnClose(false)
	if err := os.Chmod(socket, socketMode); err != nil {
		return nil, errors.Join(fmt.Errorf("waiting for the tool's container: %w", err), l.Close())
	}
	return &Side{Answer: answer, listener: l}, nil
}

// Wait for the supervisor, whose container may start later than the agent's, and have it keep to its CPUs.
func (s *Side) Wait(ctx context.Context, cpus *contract.CPUs) (toolwire.Hello, error) {
	stop := context.AfterFunc(ctx, func() { _ = s.listener.SetDeadline(time.Now()) })
	conn, err := s.listener.Accept()
	stop()
	if err != nil {
		return toolwire.Hello{}, fmt.Errorf("%w: it did not start: %w", ErrLost, err)
	}
	if err := s.connect(ctx, conn); err != nil {
		return toolwire.Hello{}, fmt.Errorf("%w: %w", ErrLost, err)
	}
	// Nobody else may connect.
	if err := errors.Join(os.Remove(s.listener.Addr().String()), s.listener.Close()); err != nil {
		return toolwire.Hello{}, fmt.Errorf("closing the socket of the tool's container: %w", err)
	}
	var hello toolwire.Hello
	err = s.ask(ctx, http.MethodPut, toolwire.PathHello, toolwire.Greeting{CPUs: cpus}, &hello)
	if err == nil && hello.Version != toolwire.Version {
		err = fmt.Errorf("%w: it speaks %.50q instead of %q: use images of one release", ErrLost, hello.Version, toolwire.Version)
	}
	return hello, err
}

// connect makes a connection that of all orders.
func (s *Side) connect(ctx context.Context, conn net.Conn) error {
	s.conn = conn
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{
		Protocols: protocols, DisableCompression: true, MaxResponseHeaderBytes: 16 << 10,
		HTTP2:       &http.HTTP2Config{MaxReceiveBufferPerConnection: 4 << 20, MaxReceiveBufferPerStream: 1 << 20},
		DialContext: func(context.Context, string, string) (net.Conn, error) { return conn, nil },
	}
	only, err := transport.NewClientConn(ctx, "http", "tool:80")
	if err == nil {
		s.http = &http.Client{Transport: only}
	}
	return err
}

// Close ends the connection, and so the supervisor. It may be called several times, but not during Wait.
func (s *Side) Close() {
	_ = s.listener.Close()
	if s.conn != nil {
		_ = s.conn.Close()
	}
}

// ask sends an order, and reads the answer into a document; nil for none.
func (s *Side) ask(ctx context.Context, method, path string, order, into any) error {
	ctx, cancel := context.WithTimeout(ctx, s.Answer)
	defer cancel()
	return s.await(ctx, method, path, order, into)
}

// await is ask for an order that the tool may delay.
func (s *Side) await(ctx context.Context, method, path string, order, into any) error {
	var body io.Reader
	if order != nil {
		text, err := json.Marshal(order)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	response, err := s.do(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if into == nil {
		return nil
	}
	if err := toolwire.Decode(response.Body, toolwire.MaxAnswer, into); err != nil {
		return fmt.Errorf("%w: its answer to %s: %w", ErrLost, path, err)
	}
	return nil
}

// do sends an order, and returns the answer if it is a success.
func (s *Side) do(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://tool:80"+path, body)
	if err != nil {
		return nil, err
	}
	if s.http == nil {
		return nil, fmt.Errorf("%w: it has not started", ErrLost)
	}
	response, err := s.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrLost, path, err)
	}
	if response.StatusCode/100 == 2 {
		return response, nil
	}
	defer func() { _ = response.Body.Close() }()
	return nil, refusal(response)
}

// refusal is the error of an answer without success.
func refusal(response *http.Response) error {
	var r toolwire.Refusal
	if err := toolwire.Decode(response.Body, toolwire.MaxAnswer, &r); err != nil {
		return fmt.Errorf("%w: it answered %d", ErrLost, response.StatusCode)
	}
	if response.StatusCode == http.StatusNotFound {
		return fmt.Errorf("%w: %.*s", ErrMissing, maxMessage, r.Message)
	}
	return fmt.Errorf("%w: %.*s", ErrRefused, maxMessage, r.Message)
}
