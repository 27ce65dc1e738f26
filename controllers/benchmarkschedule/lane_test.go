package benchmarkschedule

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// However many passes of a namespace wait for a lane, one of another namespace does not wait for all of them, and no two are in it.
func TestLane(t *testing.T) {
	const many = 100
	var l lane
	var inside, passed atomic.Int32
	var all sync.WaitGroup
	through := func(namespace string) {
		leave := l.enter(nil, namespace)
		if n := inside.Add(1); n != 1 {
			t.Errorf("%d passes are in the lane", n)
		}
		time.Sleep(2 * time.Millisecond)
		inside.Add(-1)
		passed.Add(1)
		leave()
		leave()
	}
	hold := l.enter(nil, "many")
	for range many {
		all.Go(func() { through("many") })
	}
	time.Sleep(10 * time.Millisecond) // so that they wait
	hold()
	through("other")
	if n := passed.Load(); n > many/2 {
		t.Errorf("the other namespace was the one in place %d", n)
	}
	all.Wait()
	if n := passed.Load(); n != many+1 {
		t.Errorf("%d passes", n)
	}
}
