package main

import (
	"context"
	"errors"
	"runtime"
	"time"
)

// run does the untimed part before and after the operations, and measures those.
func (h *harness) run(r *request, ok outcome, c *connection) (any, error) {
	workers := make([]*worker, r.Concurrency)
	for i := range workers {
		workers[i] = &worker{work: newWork(r, h.data[r.Data])}
	}
	answer := runAnswer{outcome: ok}
	if err := h.measured(r, c, workers, &answer); err != nil {
		_ = c.drop() // it may be broken; what failed before is what is told
		return nil, err
	}
	answer.Histogram = h.histogram.buckets()
	last := workers[0]
	for _, w := range workers {
		if w.work.sink != nil {
			answer.Rows += w.work.sink.total
		}
		if w.last > last.last {
			last = w
		}
	}
	if last.work.sink != nil {
		answer.Checksum = last.work.sink.checksum()
	}
	return answer, nil
}

func (h *harness) measured(r *request, c *connection, workers []*worker, answer *runAnswer) error {
	after, err := prepare(r, c, workers)
	if err != nil {
		return err
	}
	h.histogram.reset()
	work := func() error { return h.repeat(workers[0].operation, r, answer) }
	if len(workers) > 1 {
		crew := gather(workers, r, h.histogram)
		work = func() error { return crew.work(answer) }
	}
	begin := time.Now()
	runtime.GC()
	answer.Collection.Before = time.Since(begin).Nanoseconds()
	var before, since runtime.MemStats
	runtime.ReadMemStats(&before)
	err = work()
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

// prepare makes everything that is not timed, gives each worker its operation, and returns what is to be done after the last.
func prepare(r *request, c *connection, workers []*worker) (after func() error, err error) {
	each := func(operation func(*work) func() error) {
		for _, w := range workers {
			w.operation = operation(w.work)
		}
	}
	none := func() error { return nil }
	switch {
	case r.Kind == "Encode":
		encoder := c.client.(encoder)
		each(func(w *work) func() error { return func() error { return encoder.encode(w.template.text, w.data[0]) } })
		return none, nil
	case r.Kind == "Connect":
		each(func(*work) func() error { return func() error { return connectAndClose(c.client) } })
		return none, nil
	case r.Session == "New":
		each(func(w *work) func() error { return w.anew(c.client.connect, r.Commit, true) })
		return none, nil
	case r.Session == "Pool":
		pool, err := c.filled(len(workers), func(s session) error { return setAutocommit(s, r.Commit, false) })
		if err != nil {
			return nil, err
		}
		each(func(w *work) func() error { return w.anew(pool.acquire, r.Commit, false) })
		return func() error {
			return throughAll(pool, len(workers), func(s session) error { return setAutocommit(s, r.Commit, true) })
		}, nil
	}
	return dedicated(r, c, workers)
}

// connectAndClose is the operation of the kind Connect.
func connectAndClose(c client) error {
	session, err := c.connect(context.Background())
	if err != nil {
		return err
	}
	return session.close()
}

// dedicated gives each worker a connection of its own: what the scheme prepares is prepared now.
func dedicated(r *request, c *connection, workers []*worker) (after func() error, err error) {
	if err := c.ensure(len(workers)); err != nil {
		return nil, err
	}
	for i, w := range workers {
		session, work := c.sessions[i], w.work
		if err := work.keepPrepared(session); err != nil {
			return nil, err
		}
		if err := setAutocommit(session, r.Commit, false); err != nil {
			return nil, err
		}
		w.operation = func() error {
			work.begin()
			if err := work.body(session); err != nil || !r.Commit {
				return err
			}
			return session.call("COMMIT", nil, nil)
		}
	}
	return func() error {
		var errs []error
		for i, w := range workers {
			errs = append(errs, w.work.closePrepared(), setAutocommit(c.sessions[i], r.Commit, true))
		}
		return errors.Join(errs...)
	}, nil
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
