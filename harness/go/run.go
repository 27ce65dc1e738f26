package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// run does the untimed part before and after the operations, and measures those.
func (h *harness) run(r *request, ok outcome, c *connection) (any, error) {
	w := newWork(r, h.data[r.Data])
	answer := runAnswer{outcome: ok}
	if err := h.measured(r, c, w, &answer); err != nil {
		_ = c.drop() // it may be broken; what failed before is what is told
		return nil, err
	}
	answer.Histogram = h.histogram.buckets()
	if w.sink != nil {
		answer.Rows, answer.Checksum = w.sink.total, w.sink.checksum()
	}
	return answer, nil
}

func (h *harness) measured(r *request, c *connection, w *work, answer *runAnswer) error {
	operation, after, err := w.operation(r, c)
	if err != nil {
		return err
	}
	h.histogram.reset()
	begin := time.Now()
	runtime.GC()
	answer.Collection.Before = time.Since(begin).Nanoseconds()
	var before, since runtime.MemStats
	runtime.ReadMemStats(&before)
	err = h.repeat(operation, r, answer)
	runtime.ReadMemStats(&since)
	answer.Collection.Count = int64(since.NumGC - before.NumGC)
	answer.Collection.Nanoseconds = int64(since.PauseTotalNs - before.PauseTotalNs)
	answer.Collection.Allocated = since.TotalAlloc - before.TotalAlloc
	if err != nil {
		return err
	}
	return after()
}

// repeat does the operation so many times, or as often as one begins within so many seconds, and records how long each
// took. It answers how many there were, the time from the beginning of the first to the end of the last, and the CPU time.
func (h *harness) repeat(operation func() error, r *request, answer *runAnswer) error {
	operations, limit := r.Operations, int64(r.Seconds*1e9)
	cpu := cpuTime()
	zero := time.Now()
	first := time.Since(zero).Nanoseconds()
	begin := first
	for n := int64(1); ; n++ {
		if err := operation(); err != nil {
			return err
		}
		end := time.Since(zero).Nanoseconds()
		h.histogram.record(end - begin)
		begin = time.Since(zero).Nanoseconds()
		if n == operations || operations == 0 && begin-first >= limit {
			answer.CPUNanoseconds = cpuSince(cpu)
			answer.Operations, answer.Nanoseconds = n, max(end-first, 1)
			return nil
		}
	}
}

// operation makes everything that is not timed, and returns the operation and what is to be done after the last.
func (w *work) operation(r *request, c *connection) (operation func() error, after func() error, err error) {
	none := func() error { return nil }
	switch r.Kind {
	case "Encode":
		encoder := c.client.(encoder)
		return func() error { return encoder.encode(w.template.text, w.data[0]) }, none, nil
	case "Connect":
		return func() error {
			session, err := c.client.connect(context.Background())
			if err != nil {
				return err
			}
			return session.close()
		}, none, nil
	}
	switch r.Session {
	case "New":
		return w.anew(c.client.connect, r.Commit, true), none, nil
	case "Pool":
		return w.pooled(c, r.Commit)
	default:
		return w.dedicated(c, r.Commit)
	}
}

// dedicated uses the connection of prepare: what the scheme prepares is prepared now.
func (w *work) dedicated(c *connection, one bool) (func() error, func() error, error) {
	if err := c.ensure(); err != nil {
		return nil, nil, err
	}
	session := c.session
	if err := w.keepPrepared(session); err != nil {
		return nil, nil, err
	}
	after := func() error { return errors.Join(w.closePrepared(), setAutocommit(session, one, true)) }
	if err := setAutocommit(session, one, false); err != nil {
		return nil, nil, err
	}
	return func() error {
		w.begin()
		if err := w.body(session); err != nil || !one {
			return err
		}
		return session.call("COMMIT", nil, nil)
	}, after, nil
}

// pooled uses a connection of the pool, which is made and filled now. There is only one in it, so that autocommit set on
// one that was acquired holds for all that are acquired later.
func (w *work) pooled(c *connection, one bool) (func() error, func() error, error) {
	var err error
	if c.pool == nil {
		if c.pool, err = c.client.pool(); err != nil {
			return nil, nil, err
		}
	}
	pool := c.pool
	switched := func(on bool) error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		session, err := pool.acquire(ctx)
		if err != nil {
			return fmt.Errorf("the pool gave no connection: %w", err)
		}
		return errors.Join(setAutocommit(session, one, on), session.close())
	}
	if err := switched(false); err != nil {
		return nil, nil, err
	}
	return w.anew(pool.acquire, one, false), func() error { return switched(true) }, nil
}

// anew does each operation on a session that it opens and closes. A new connection has autocommit on; with the transaction
// One it is switched off inside the operation.
func (w *work) anew(open func(context.Context) (session, error), one, fresh bool) func() error {
	ctx := context.Background()
	return func() error {
		w.begin()
		session, err := open(ctx)
		if err != nil {
			return err
		}
		err = setAutocommit(session, one && fresh, false)
		if err == nil {
			err = w.body(session)
		}
		if err == nil && one {
			err = session.call("COMMIT", nil, nil)
		}
		if closed := session.close(); err == nil {
			err = closed
		}
		return err
	}
}

// setAutocommit does nothing for a run whose statements the server commits.
func setAutocommit(session session, one, on bool) error {
	switch {
	case !one:
		return nil
	case on:
		return session.call("SET autocommit=1", nil, nil)
	default:
		return session.call("SET autocommit=0", nil, nil)
	}
}
