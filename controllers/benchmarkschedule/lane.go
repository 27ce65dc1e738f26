package benchmarkschedule

import "sync"

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

// lane is for work that takes memory or CPU: one pass at a time. Passes of one namespace wait for each other first, so that however
// many those are, another namespace waits for one of them.
type lane struct {
	one sync.Mutex
	// namespaces by their names: each is a *sync.Mutex.
	namespaces sync.Map
}

// enter waits for the turn of a namespace, and returns what ends it; to call that again does nothing. Meanwhile another pass has the
// place of this one.
func (l *lane) enter(place places, namespace string) (leave func()) {
	place.leave()
	defer place.enter()
	found, _ := l.namespaces.LoadOrStore(namespace, &sync.Mutex{})
	own := found.(*sync.Mutex)
	own.Lock()
	l.one.Lock()
	return sync.OnceFunc(func() {
		l.one.Unlock()
		own.Unlock()
	})
}
