package benchmarkschedule

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// However many passes of a namespace wait for a lane, one of another namespace does not wait for all of them, and no two are in it.
func TestLane(t *testing.T) {
	const many = waitInLane
	var l lane
	var inside, passed atomic.Int32
	var all sync.WaitGroup
	through := func(namespace string) {
		leave, err := l.enter(nil, namespace)
		if err != nil {
			t.Error(err)
			return
		}
		if n := inside.Add(1); n != 1 {
			t.Errorf("%d passes are in the lane", n)
		}
		time.Sleep(2 * time.Millisecond)
		inside.Add(-1)
		passed.Add(1)
		leave()
		leave()
	}
	hold, err := l.enter(nil, "many")
	if err != nil {
		t.Fatal(err)
	}
	for range many {
		all.Go(func() { through("many") })
	}
	for found, _ := l.namespaces.Load("many"); found.(*queued).waits.Load() < many; {
		time.Sleep(time.Millisecond)
	}
	if _, err := l.enter(nil, "many"); !errors.Is(err, errBusy) {
		t.Errorf("one more waits, too: %v", err)
	}
	hold()
	through("other")
	if n := passed.Load(); n > many/2+1 {
		t.Errorf("the other namespace was the one in place %d", n)
	}
	all.Wait()
	if n := passed.Load(); n != many+1 {
		t.Errorf("%d passes", n)
	}
}
