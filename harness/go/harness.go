package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"time"
)

// patience is how long a connection may take that is not measured.
const patience = 30 * time.Second

type harness struct {
	data        map[string][][]any
	connections map[string]*connection
	histogram   *histogram
}

// connection is what a prepare opened. There are no sessions after a failure, until the next run makes them again; the pool is
// nil until a run wants one.
type connection struct {
	client   client
	sessions []session
	pool     pool
	poolSize int
}

func newHarness() *harness {
	return &harness{data: map[string][][]any{}, connections: map[string]*connection{}, histogram: &histogram{}}
}

// answer is the line that answers a line. Requests are as the protocol says, so nothing in them is checked.
func (h *harness) answer(line []byte) ([]byte, error) {
	var request request
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	if err := decoder.Decode(&request); err != nil {
		return nil, err
	}
	answer, err := h.do(&request)
	if err != nil {
		answer = refusal(request.ID, err)
	}
	return json.Marshal(answer)
}

func refusal(id int64, err error) outcome {
	state := "failed"
	if errors.As(err, new(unsupported)) {
		state = "unsupported"
	}
	return outcome{ID: id, State: state, Code: serverCode(err), Reason: err.Error()}
}

func (h *harness) do(r *request) (any, error) {
	ok := outcome{ID: r.ID, State: "ok"}
	switch r.Do {
	case "hello":
		return hello(ok), nil
	case "data":
		h.data[r.Name] = r.Rows
		return ok, parameters(r.Rows)
	case "prepare":
		return h.prepare(r, ok)
	case "run":
		return h.run(r, ok, h.connections[r.Connection])
	default:
		connection := h.connections[r.Connection]
		delete(h.connections, r.Connection)
		return ok, connection.close()
	}
}

func hello(ok outcome) helloAnswer {
	answer := helloAnswer{outcome: ok, Protocol: protocolVersion, Language: "Go", Runtime: runtime.Version(),
		Clock: "time.Since (monotonic)"}
	for _, d := range drivers {
		answer.Drivers = append(answer.Drivers, driverSummary{d.name, []string{d.version()}, d.can, d.cannot})
	}
	return answer
}

func (h *harness) prepare(r *request, ok outcome) (any, error) {
	d := drivers[slices.IndexFunc(drivers, func(d driver) bool { return d.name == r.Driver })]
	t := target{r.Host, r.Port, r.Database, os.Getenv("ASSAY_USERNAME"), os.Getenv("ASSAY_PASSWORD"), nil, r.Options}
	var err error
	if r.TLS {
		if t.tls, err = encryption(r.Host, os.Getenv("ASSAY_CA")); err != nil {
			return nil, err
		}
	}
	opened, err := d.open(t)
	if err != nil {
		return nil, err
	}
	connection := &connection{client: opened}
	h.connections[r.Connection] = connection
	if err := connection.ensure(1); err != nil {
		return nil, err
	}
	cipher, err := connection.cipher()
	return prepareAnswer{outcome: ok, Version: d.version(), Cipher: cipher}, err
}

// ensure makes sessions until there are so many.
func (c *connection) ensure(n int) error {
	for len(c.sessions) < n {
		session, err := opened(c.client.connect)
		if err != nil {
			return err
		}
		c.sessions = append(c.sessions, session)
	}
	return nil
}

// opened is a session that came in time.
func opened(open func(context.Context) (session, error)) (session, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return open(ctx)
}

// filled is the pool of so many connections, all of them open. Each was handed to a function.
func (c *connection) filled(n int, each func(session) error) (pool, error) {
	if c.pool != nil && c.poolSize != n {
		if err := c.pool.close(); err != nil { // such as of a connection that the server has ended meanwhile
			fmt.Fprintln(os.Stderr, "harness: closing a pool of another size:", err)
		}
		c.pool = nil
	}
	if c.pool == nil {
		var err error
		if c.pool, err = c.client.pool(n); err != nil {
			return nil, err
		}
		c.poolSize = n
	}
	return c.pool, throughAll(c.pool, n, each)
}

// throughAll of the connections of a pool goes a function. All are acquired before the first goes back.
func throughAll(p pool, n int, each func(session) error) error {
	var held []session
	var errs []error
	for len(held) < n && errs == nil {
		session, err := opened(p.acquire)
		if err != nil {
			errs = append(errs, fmt.Errorf("the pool gave no connection: %w", err))
			break
		}
		held = append(held, session)
		if err := each(session); err != nil {
			errs = append(errs, err)
		}
	}
	for _, session := range held {
		errs = append(errs, session.close())
	}
	return errors.Join(errs...)
}

// cipher asks the server with what this connection is encrypted.
func (c *connection) cipher() (string, error) {
	var answer rows
	if err := c.sessions[0].call("SHOW SESSION STATUS LIKE 'Ssl_cipher'", nil, &answer); err != nil {
		return "", err
	}
	if len(answer.values) == 2 { // name and value; null answers nothing
		return answer.values[1].text, nil
	}
	return "", nil
}

// drop closes sessions and a pool on which something failed: what state they are in nobody knows.
func (c *connection) drop() error {
	var errs []error
	if c.pool != nil {
		errs = append(errs, c.pool.close())
		c.pool = nil
	}
	for _, session := range c.sessions {
		errs = append(errs, session.close())
	}
	c.sessions = nil
	return errors.Join(errs...)
}

func (c *connection) close() error { return errors.Join(c.drop(), c.client.close()) }

func (h *harness) closeAll() {
	for _, name := range slices.Sorted(maps.Keys(h.connections)) {
		if err := h.connections[name].close(); err != nil {
			fmt.Fprintln(os.Stderr, "harness: closing", name+":", err)
		}
	}
}
