package queue

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TestALargeRunIsNotStarved: small runs come for ever, as fast as they are served,
// and a large one still gets all its nodes after those that were there before.
func TestALargeRunIsNotStarved(t *testing.T) {
	l, nodes := NewLedger(), pool("a:x b:x c:x d:x")
	for i, node := range []string{"a", "b", "c", "d"} {
		l.Hold(holding(fmt.Sprint("first-", i), true, node))
	}
	l.Ask(request("large", "x", "x", "x", "x"), nodes, noon)
	for i := range 4 {
		for k := range 50 {
			small := request(fmt.Sprintf("small-%d-%d", i, k), "x").since(time.Minute)
			if answer := l.Ask(small, nodes, noon.Add(time.Minute)); answer.Reason == "" {
				t.Fatalf("%s overtook the large run", small.UID)
			}
		}
		l.Release(types.UID(fmt.Sprint("first-", i)))
	}
	if diff := cmp.Diff([]types.UID{"large"}, l.Next(nodes, noon.Add(time.Minute))); diff != "" {
		t.Errorf("Next (-want +got):\n%s", diff)
	}
}

func TestSeveralGoroutinesMayUseTheLedger(t *testing.T) {
	l, nodes := NewLedger(), pool("a:x b:x c:x")
	done := make(chan bool)
	for g := range 4 {
		go func() {
			for i := range 200 {
				uid := fmt.Sprint(g, "-", i)
				l.Ask(request(uid, "x", "x"), nodes, noon)
				l.Next(nodes, noon)
				l.Waiting(types.UID(uid))
				l.Release(types.UID(uid))
				l.Forget(types.UID(uid))
			}
			done <- true
		}()
	}
	for range 4 {
		<-done
	}
	if len(l.holds)+len(l.waiting) != 0 {
		t.Errorf("%d hold and %d wait, although all have left", len(l.holds), len(l.waiting))
	}
}

// busyLedger has 1,000 runs of 20 kinds of needs that wait for 100 nodes of five
// kinds, all held.
func busyLedger() (*Ledger, []corev1.Node) {
	var nodes []corev1.Node
	for i := range 100 {
		n := pool(fmt.Sprintf("node-%02d:k%d", i, i%5))[0]
		n.ResourceVersion = fmt.Sprint(i)
		nodes = append(nodes, n)
	}
	l := NewLedger()
	for i, n := range nodes {
		l.Hold(holding(fmt.Sprint("holder-", i), true, n.Name).until(time.Duration(i) * time.Hour))
	}
	for i := range 1000 {
		l.Ask(waiting(i), nodes, noon)
	}
	return l, nodes
}

func waiting(i int) Request {
	kind := fmt.Sprintf("k%d", i%5)
	r := request(fmt.Sprintf("w-%04d", i), kind, kind, kind)
	r.Need.Clients = 1 + i%4
	return r.since(-time.Duration(i) * time.Second)
}

// What Ask costs grows with the number of those that wait and no faster. BenchmarkAsk has the time.
func TestAskInALongQueue(t *testing.T) {
	const most = 20 * 1000
	l, nodes := busyLedger()
	i := 0
	if n := testing.AllocsPerRun(20, func() { l.Ask(waiting(999-i), nodes, noon); i++ }); n > most {
		t.Errorf("Ask makes %v allocations with 1,000 waiting, want at most %d", n, most)
	}
}

func BenchmarkAsk(b *testing.B) {
	l, nodes := busyLedger()
	for i := 0; b.Loop(); i++ {
		l.Ask(waiting(i%1000), nodes, noon)
	}
}

func BenchmarkNext(b *testing.B) {
	l, nodes := busyLedger()
	b.Run("nothing is free", func(b *testing.B) {
		for b.Loop() {
			l.Next(nodes, noon)
		}
	})
	b.Run("half is free", func(b *testing.B) {
		for i := range 50 {
			l.Release(types.UID(fmt.Sprint("holder-", i*2)))
		}
		for b.Loop() {
			l.Next(nodes, noon)
		}
	})
}
