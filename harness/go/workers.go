package main

import (
	"sync"
	"sync/atomic"
	"time"
)

// worker does one operation after the other, beside others.
type worker struct {
	work      *work
	operation func() error
	last      int64 // the number of its last operation
	begin     int64 // of its first operation, in ns on the clock of the run
	end       int64 // of its last
}

// crew are the workers of a run at once, each of which waits until the gate opens.
type crew struct {
	workers []*worker
	queue   *queue
	gate    chan struct{}
	ended   sync.WaitGroup
}

// queue is what the workers of a run have in common.
type queue struct {
	zero       time.Time
	seconds    float64
	operations int64 // how many there are; 0: as many as begin in time
	deadline   int64 // in ns since zero
	next       atomic.Int64
	failure    atomic.Pointer[error] // the first
}

// gather the workers at the gate: that makes threads and memory, which are not of their operations.
func gather(workers []*worker, r *request, to *histogram) *crew {
	c := &crew{workers: workers, queue: &queue{zero: time.Now(), operations: r.Operations, seconds: r.Seconds}, gate: make(chan struct{})}
	c.queue.next.Store(int64(len(workers)))
	var ready sync.WaitGroup
	for i, w := range workers {
		ready.Add(1)
		c.ended.Go(func() {
			ready.Done()
			<-c.gate
			w.run(c.queue, int64(i), to)
		})
	}
	ready.Wait()
	return c
}

// work is repeat for several workers: each does the operation with its own number first, and then the next one that nobody
// has taken.
func (c *crew) work(answer *runAnswer) error {
	q, workers := c.queue, c.workers
	cpu := cpuTime()
	q.deadline = time.Since(q.zero).Nanoseconds() + int64(q.seconds*1e9)
	close(c.gate)
	c.ended.Wait()
	answer.CPUNanoseconds = cpuSince(cpu)
	if failed := q.failure.Load(); failed != nil {
		return *failed
	}
	begin, end := workers[0].begin, workers[0].end
	for _, w := range workers {
		begin, end = min(begin, w.begin), max(end, w.end)
	}
	answer.Operations, answer.Nanoseconds = q.done(), max(end-begin, 1)
	return nil
}

// run does operations from the one with a number on, until there is none left or one failed.
func (w *worker) run(q *queue, number int64, to *histogram) {
	w.begin = time.Since(q.zero).Nanoseconds()
	for begin := w.begin; q.failure.Load() == nil; begin = time.Since(q.zero).Nanoseconds() {
		w.last = number
		w.work.seek(number)
		err := w.operation()
		w.end = time.Since(q.zero).Nanoseconds()
		if err != nil {
			q.failure.CompareAndSwap(nil, &err)
			return
		}
		to.add(w.end - begin)
		if q.operations == 0 && time.Since(q.zero).Nanoseconds() >= q.deadline {
			return
		}
		if number = q.next.Add(1) - 1; q.operations > 0 && number >= q.operations {
			return
		}
	}
}

// done is how many operations all did. Every number that was taken in time is that of an operation.
func (q *queue) done() int64 {
	if q.operations > 0 {
		return q.operations
	}
	return q.next.Load()
}
