package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
)

// played is a run of the driver null whose operations a test does.
func played(t *testing.T, request *request, data [][]any, operation func(worker int, rows [][]any) error) (runAnswer, []*worker, error) {
	t.Helper()
	workers := make([]*worker, request.Concurrency)
	for i := range workers {
		w := &worker{work: newWork(request, data)}
		w.operation = func() error { return operation(i, w.work.next()) }
		workers[i] = w
	}
	var answer runAnswer
	h := newHarness()
	err := gather(workers, request, h.histogram).work(&answer)
	answer.Histogram = h.histogram.buckets()
	return answer, workers, err
}

// Every operation is done once, each with its own rows, and each worker does at least one.
func TestAtOnce(t *testing.T) {
	data := [][]any{{"a"}, {"b"}, {"c"}, {"d"}}
	for name, r := range map[string]*request{
		"one each":            {Concurrency: 3, Operations: 3, RowsPerOperation: 2},
		"more than workers":   {Concurrency: 3, Operations: 50, RowsPerOperation: 2},
		"a time that is over": {Concurrency: 3, Seconds: 1e-9, RowsPerOperation: 2},
		"a time":              {Concurrency: 3, Seconds: 0.02, RowsPerOperation: 2},
	} {
		t.Run(name, func(t *testing.T) {
			var lock sync.Mutex
			took := map[string]int64{}
			answer, workers, err := played(t, r, data, func(_ int, rows [][]any) error {
				lock.Lock()
				defer lock.Unlock()
				took[fmt.Sprint(rows)]++
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if r.Operations > 0 && answer.Operations != r.Operations || answer.Operations < 3 {
				t.Errorf("%d operations", answer.Operations)
			}
			first, second := took["[[a] [b]]"], took["[[c] [d]]"]
			if first != (answer.Operations+1)/2 || second != answer.Operations/2 {
				t.Errorf("%d operations: %v", answer.Operations, took)
			}
			var counted int64
			for _, bucket := range answer.Histogram {
				counted += bucket[1]
			}
			if counted != answer.Operations {
				t.Errorf("%d operations, and %d in the histogram", answer.Operations, counted)
			}
			greatest := slices.MaxFunc(workers, func(a, b *worker) int { return int(a.last - b.last) })
			if greatest.last != answer.Operations-1 {
				t.Errorf("%d operations, and the last has the number %d", answer.Operations, greatest.last)
			}
		})
	}
}

// Where one fails, no other begins, and its error is the answer.
func TestAtOnceFails(t *testing.T) {
	full := errors.New("the table is full")
	var lock sync.Mutex
	done := 0
	r := &request{Concurrency: 4, Operations: 1 << 40, RowsPerOperation: 1}
	_, _, err := played(t, r, [][]any{{1}}, func(worker int, _ [][]any) error {
		lock.Lock()
		defer lock.Unlock()
		if done++; worker == 2 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) {
		t.Errorf("%v after %d operations", err, done)
	}
}

// The harness answers a run of several at once as the protocol says.
func TestNullAtOnce(t *testing.T) {
	h := newHarness()
	for _, line := range []string{
		`{"id":1,"do":"prepare","connection":"c1","driver":"null","version":"","host":"","port":1,"database":"","tls":false,"options":{}}`,
		`{"id":2,"do":"data","name":"d","rows":[[1],[2],[3]]}`,
	} {
		if _, err := h.answer([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	for _, session := range []string{"Dedicated", "Pool", "New"} {
		for _, scheme := range []string{"SingleRow", "Prepared", "Batch"} {
			answer, err := h.do(&request{ID: 3, Do: "run", Connection: "c1", Kind: "Execute", Scheme: scheme, Session: session, Commit: true,
				Data: "d", RowsPerOperation: 1, Chunk: 1, Concurrency: 2, Operations: 5})
			if run, is := answer.(runAnswer); err != nil || !is || run.Operations != 5 || run.State != "ok" {
				t.Errorf("%s, %s: %+v, %v", session, scheme, answer, err)
			}
		}
	}
}
