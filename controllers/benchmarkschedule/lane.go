package benchmarkschedule

import (
	"errors"
	"sync"
	"sync/atomic"
)

// places of passes that are worked on. The zero value has any number.
type places chan struct{}

// enter waits for a place.
func (p places) enter() {
	if p != nil {
		p <- struct{}{}
	}
}

// leave gives the place away.
func (p places) leave() {
	if p != nil {
		<-p
	}
}

const (
	// lanes of a Reconciler.
	lanes = 3
	// waitInLane is how many passes of a namespace wait for a lane. Each has a worker meanwhile: those of one namespace must not have all.
	waitInLane = 16
)

// errBusy is the error for a pass of which too many wait already: it is to try again.
var errBusy = errors.New("other schedules of the namespace are read")

// lane is for work that takes memory or CPU: one pass at a time. Passes of one namespace wait for each other first, so that however
// many those are, another namespace waits for one of them.
type lane struct {
	one sync.Mutex
	// namespaces by their names: each is a *queued.
	namespaces sync.Map
}

// queued are the passes of a namespace.
type queued struct {
	one   sync.Mutex
	waits atomic.Int32
}

// enter waits for the turn of a namespace, and returns what ends it; to call that again does nothing. Meanwhile another pass has the
// place of this one. It fails with errBusy where many of the namespace wait.
func (l *lane) enter(place places, namespace string) (leave func(), err error) {
	found, _ := l.namespaces.LoadOrStore(namespace, &queued{})
	own := found.(*queued)
	defer own.waits.Add(-1)
	if own.waits.Add(1) > waitInLane {
		return nil, errBusy
	}
	place.leave()
	defer place.enter()
	own.one.Lock()
	l.one.Lock()
	return sync.OnceFunc(func() {
		l.one.Unlock()
		own.one.Unlock()
	}), nil
}
