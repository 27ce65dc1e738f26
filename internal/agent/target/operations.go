package target

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/assay-bench/assay/internal/contract"
)

// operation is one snapshot or restore that somebody asked for.
type operation struct {
	// path is engine.PathSnapshot or engine.PathRestore.
	path string
	id   string
	// stopped is when the server was told to stop; set by whoever carries it out.
	stopped time.Time
	// copied and err are the answer. Read them only when done is closed.
	copied contract.Copy
	err    error
	done   chan struct{}
}

func newOperation(path, id string) *operation {
	return &operation{path: path, id: id, done: make(chan struct{})}
}

func (op *operation) isDone() bool {
	select {
	case <-op.done:
		return true
	default:
		return false
	}
}

// operations are the one that is under way and the one before, of which there is
// at most one: who asks again got no answer, and asks for the last.
type operations struct {
	// wanted has the operation that nobody carries out yet.
	wanted chan *operation

	mu    sync.Mutex
	last  *operation
	ended bool
	cause error
}

func newOperations() *operations { return &operations{wanted: make(chan *operation, 1)} }

// ask returns the operation of that path and ID, a new one if there is none. It
// fails while another one is under way.
func (o *operations) ask(path, id string) (*operation, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.last != nil && o.last.path == path && o.last.id == id {
		return o.last, nil
	}
	if o.ended {
		return nil, o.cause
	}
	if o.last != nil && !o.last.isDone() {
		return nil, fail(contract.ReasonBusy, "the operation %s %q is under way: ask again when it has ended", o.last.path, o.last.id)
	}
	o.last = newOperation(path, id)
	o.wanted <- o.last // does not block: the one before was taken, as it is done
	return o.last, nil
}

// set makes an operation of an earlier agent the last one.
func (o *operations) set(op *operation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = op
}

// finish gives an operation its answer.
func (o *operations) finish(op *operation, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !op.isDone() {
		op.err = err
		close(op.done)
	}
}

// end ends what is under way; nothing new begins.
func (o *operations) end(cause error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if cause == nil { // a stop that went well is one nevertheless
		cause = context.Canceled
	}
	o.ended, o.cause = true, cause
	if o.last != nil && !o.last.isDone() {
		o.last.err = cause
		close(o.last.done)
	}
}

// record is the last operation that went well, on the volume.
type record struct {
	Path string        `json:"path"`
	ID   string        `json:"id"`
	Copy contract.Copy `json:"copy"`
}

// loadRecord returns the last operation that went well, of an earlier agent; ok is
// false if there is none.
func (v *volume) loadRecord() (op *operation, ok bool, err error) {
	data, err := os.ReadFile(v.recordFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, false, err
	}
	op = newOperation(r.Path, r.ID)
	op.copied = r.Copy
	close(op.done)
	return op, true, nil
}

func (v *volume) saveRecord(op *operation) error {
	return writeDurably(v.recordFile(), record{Path: op.path, ID: op.id, Copy: op.copied})
}
