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

// connection is what a prepare opened. The session is nil after a failure, until the next run makes it again; the pool is
// nil until a run wants one.
type connection struct {
	driver  driver
	client  client
	session session
	pool    pool
}

func newHarness() *harness {
	return &harness{data: map[string][][]any{}, connections: map[string]*connection{}, histogram: &histogram{}}
}

// answer is the line that answers a line.
func (h *harness) answer(line []byte) []byte {
	var request request
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	decoder.DisallowUnknownFields()
	var answer any
	err := decoder.Decode(&request)
	if err != nil {
		err = fmt.Errorf("the request cannot be read: %w", err)
		if request.ID == 0 { // it may stand behind what could not be read
			var only struct{ ID int64 }
			_ = json.Unmarshal(line, &only) // if this fails as well, the answer has no id to give
			request.ID = only.ID
		}
	} else {
		answer, err = h.do(&request)
	}
	if err != nil {
		answer = refusal(request.ID, err)
	}
	encoded, err := json.Marshal(answer)
	if err != nil {
		encoded, _ = json.Marshal(refusal(request.ID, err)) // texts and a number: always encoded
	}
	return encoded
}

func refusal(id int64, err error) outcome {
	state := "failed"
	if errors.As(err, new(unsupported)) {
		state = "unsupported"
	}
	return outcome{ID: id, State: state, Reason: err.Error()}
}

func (h *harness) do(r *request) (any, error) {
	ok := outcome{ID: r.ID, State: "ok"}
	switch r.Do {
	case "hello":
		if r.Protocol != protocolVersion {
			return nil, cannot("the protocol %q is not known here; %s is", r.Protocol, protocolVersion)
		}
		return hello(ok), nil
	case "data":
		if r.Name == "" {
			return nil, errors.New("data without a name")
		}
		if err := parameters(r.Rows); err != nil {
			return nil, err
		}
		h.data[r.Name] = r.Rows
		return dataAnswer{ok, len(r.Rows)}, nil
	case "prepare":
		return h.prepare(r, ok)
	case "run":
		connection, err := h.find(r.Connection)
		if err != nil {
			return nil, err
		}
		return h.run(r, ok, connection)
	case "close":
		connection, err := h.find(r.Connection)
		if err != nil {
			return nil, err
		}
		delete(h.connections, r.Connection)
		if err := connection.close(); err != nil {
			return nil, err
		}
		return ok, nil
	default:
		return nil, cannot("the request %q is not known here", r.Do)
	}
}

func hello(ok outcome) helloAnswer {
	answer := helloAnswer{outcome: ok, Protocol: protocolVersion, Language: "Go", Runtime: runtime.Version(),
		Clock: "time.Since (monotonic)"}
	for _, d := range drivers {
		answer.Drivers = append(answer.Drivers, driverSummary{d.name, []string{d.version()}, d.schemes})
	}
	return answer
}

func (h *harness) find(name string) (*connection, error) {
	if connection, ok := h.connections[name]; ok {
		return connection, nil
	}
	return nil, fmt.Errorf("there is no connection %q: prepare opens one", name)
}

func (h *harness) prepare(r *request, ok outcome) (any, error) {
	if r.Connection == "" || h.connections[r.Connection] != nil {
		return nil, fmt.Errorf("a connection needs a name that no other has, not %q", r.Connection)
	}
	i := slices.IndexFunc(drivers, func(d driver) bool { return d.name == r.Driver })
	if i < 0 {
		return nil, cannot("there is no driver %q in this harness", r.Driver)
	}
	d := drivers[i]
	if r.Version != "" && r.Version != d.version() {
		return nil, cannot("%s is here in version %s, not %s", d.name, d.version(), r.Version)
	}
	encryption, err := encryption(r.TLS, r.Host, os.Getenv("ASSAY_CA"))
	if err != nil {
		return nil, err
	}
	opened, err := d.open(target{r.Host, r.Port, r.Database, os.Getenv("ASSAY_USERNAME"), os.Getenv("ASSAY_PASSWORD"),
		encryption, r.Options})
	if err != nil {
		return nil, err
	}
	connection := &connection{driver: d, client: opened}
	if err := connection.ensure(); err != nil {
		_ = opened.close() // nothing is open there; what failed is told
		return nil, err
	}
	cipher, err := connection.cipher()
	if err == nil && d.module != "" && (cipher != "") != (encryption != nil) {
		err = fmt.Errorf("tls is %s, but the cipher of the connection is %q", r.TLS, cipher)
	}
	if err != nil {
		return nil, errors.Join(err, connection.close())
	}
	h.connections[r.Connection] = connection
	return prepareAnswer{outcome: ok, Version: d.version(), Cipher: cipher}, nil
}

// ensure makes the connection, if there is none or the last one broke.
func (c *connection) ensure() error {
	if c.session != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	session, err := c.client.connect(ctx)
	if err != nil {
		return err
	}
	c.session = session
	return nil
}

// cipher asks the server with what this connection is encrypted.
func (c *connection) cipher() (string, error) {
	var answer rows
	if err := c.session.call("SHOW SESSION STATUS LIKE 'Ssl_cipher'", nil, &answer); err != nil {
		return "", err
	}
	if len(answer.values) == 2 { // name and value; null answers nothing
		return answer.values[1].text, nil
	}
	return "", nil
}

// drop closes a session and a pool on which something failed: what state they are in nobody knows.
func (c *connection) drop() error {
	var errs []error
	if c.pool != nil {
		errs = append(errs, c.pool.close())
		c.pool = nil
	}
	if c.session != nil {
		errs = append(errs, c.session.close())
		c.session = nil
	}
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
