package target

import (
	"cmp"
	"context"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// operation is one requested copy of the data, restart, or change of settings.
type operation struct {
	// path is that of a POST, such as contract.PathSnapshot.
	path string
	id   string
	// archive of contract.PathArchive and contract.PathFetch.
	archive contract.Archive
	// settings of the next start, or those to set.
	settings []contract.Setting
	// stopped is when the stop of the server began; set by the operator.
	stopped time.Time
	// copied and err are the answer. Read them only when done is closed.
	copied contract.Copy
	err    error
	done   chan struct{}
}

func newOperation(path string, wanted contract.Operation) *operation {
	op := &operation{path: path, id: wanted.ID, settings: wanted.Settings, done: make(chan struct{})}
	if wanted.Archive != nil {
		op.archive = *wanted.Archive
	}
	return op
}

func (op *operation) isDone() bool {
	select {
	case <-op.done:
		return true
	default:
		return false
	}
}

// finish is for the first answer.
func (op *operation) finish(err error) {
	if !op.isDone() {
		op.err = err
		close(op.done)
	}
}

// operations has the running or the last operation, whose answer a repeated request gets.
type operations struct {
	// wanted has the operation that has not started yet.
	wanted chan *operation

	mu   sync.Mutex
	last *operation
	// cause of the end; nil before.
	cause error
}

func newOperations() *operations { return &operations{wanted: make(chan *operation, 1)} }

// ask returns the operation with that path, ID and settings, or a new one: one that an agent finished after its start had none. It fails while another
// operation is running.
func (o *operations) ask(path string, wanted contract.Operation) (*operation, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.last != nil && o.last.path == path && o.last.id == wanted.ID && slices.Equal(o.last.settings, wanted.Settings) {
		return o.last, nil
	}
	if o.cause != nil {
		return nil, o.cause
	}
	if o.last != nil && !o.last.isDone() {
		return nil, fail(contract.ReasonBusy, "the operation %s %q is under way: ask again when it has ended", o.last.path, o.last.id)
	}
	o.last = newOperation(path, wanted)
	o.wanted <- o.last // does not block: the one before was taken, as it is done
	return o.last, nil
}

// set makes an operation of an earlier agent the last operation.
func (o *operations) set(op *operation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = op
}

// finish answers an operation.
func (o *operations) finish(op *operation, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	op.finish(err)
}

// end ends the running operation; no other starts.
func (o *operations) end(cause error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cause = cmp.Or(cause, context.Canceled) // also after a clean stop
	if o.last != nil {
		o.last.finish(o.cause)
	}
}

// record is the last successful operation, stored on the volume.
type record struct {
	Path string        `json:"path"`
	ID   string        `json:"id"`
	Copy contract.Copy `json:"copy"`
	// User is that of the volume; empty for one of the run's own.
	User string `json:"user,omitempty"`
}

// loadRecord returns the last successful operation of an earlier agent; fs.ErrNotExist if there is none. Those of another run are none:
// it may have had the same name, and so the same IDs.
func (v *volume) loadRecord() (*operation, error) {
	var r record
	if err := readJSON(v.recordFile(), &r); err != nil {
		return nil, err
	}
	if r.User != v.user {
		return nil, fs.ErrNotExist
	}
	op := newOperation(r.Path, contract.Operation{ID: r.ID})
	op.copied = r.Copy
	close(op.done)
	return op, nil
}

func (v *volume) saveRecord(op *operation) error {
	return writeDurably(v.recordFile(), record{Path: op.path, ID: op.id, Copy: op.copied, User: v.user})
}
