package queue

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/internal/placement"
)

// world is a cluster with runs that come, wait, measure and go, as a controller
// would carry them out: it asks once when a run comes, and then only when Next says
// so. It checks the ledger against what it knows itself.
type world struct {
	t       *testing.T
	r       *rand.Rand
	ledger  *Ledger
	nodes   []corev1.Node
	now     time.Time
	waiting map[types.UID]Request
	running map[types.UID]running
	granted int
	// overtaken by priority, which has to happen for the test to prove something.
	overtaken int
}

type running struct {
	Request
	nodes []string
	until time.Time
}

func newWorld(t *testing.T, seed uint64) *world {
	return &world{
		t: t, r: rand.New(rand.NewPCG(seed, 7)), ledger: NewLedger(), now: noon,
		nodes:   pool("a:x b:x c:x d:x e:y f:y g:y h:z"),
		waiting: map[types.UID]Request{}, running: map[types.UID]running{},
	}
}

// arrive makes a run that the empty cluster can do, and asks for it.
func (w *world) arrive(n int) {
	kind := func() string { return []string{"", "x", "x", "y", "z"}[w.r.IntN(5)] }
	r := request(fmt.Sprintf("run-%04d", w.r.IntN(10)*1000+n), kind()).priority(int32(w.r.IntN(5)))
	r.Since, r.Exclusive = w.now, w.r.IntN(3) > 0
	for range w.r.IntN(4) {
		more := request("", "", kind())
		r.Need.Targets = append(r.Need.Targets, placement.Target{Name: fmt.Sprint(len(r.Need.Targets)), Shape: more.Need.Targets[0].Shape})
	}
	if placement.NewCluster(w.nodes).Find(r.Need, nil).Reason != "" {
		return
	}
	w.waiting[r.UID] = r
	w.ask(r.UID)
	w.wake()
}

// ask and check what comes back.
func (w *world) ask(uid types.UID) bool {
	r := w.waiting[uid]
	answer := w.ledger.Ask(r, w.nodes, w.now)
	if answer.Reason != "" {
		if !answer.Busy {
			w.t.Fatalf("%s is refused for good: %+v", uid, answer)
		}
		return false
	}
	nodes := placement.Nodes(answer.Placement)
	delete(w.waiting, uid)
	for _, other := range w.running {
		if (r.Exclusive || other.Exclusive) && intersect(nodes, other.nodes) {
			w.t.Fatalf("%s (exclusive: %v) is on a node of %s (exclusive: %v): %v, %v", uid, r.Exclusive, other.UID, other.Exclusive, nodes, other.nodes)
		}
	}
	for _, other := range w.waiting {
		if !r.Exclusive && !other.Exclusive || !w.couldUse(other, nodes) {
			continue
		}
		if compare(other, r, w.now) < 0 {
			w.t.Fatalf("%s got %v, although %s is in front of it and could use one of them", uid, nodes, other.UID)
		}
		if other.Since.Before(r.Since) {
			w.overtaken++
			if lead := time.Duration(r.Priority-other.Priority) * time.Hour; r.Since.Sub(other.Since) >= lead {
				w.t.Fatalf("%s of priority %d overtook %s of priority %d, which came %s before", uid, r.Priority, other.UID, other.Priority, r.Since.Sub(other.Since))
			}
		}
	}
	w.granted++
	w.running[uid] = running{r, nodes, w.now.Add(time.Duration(1+w.r.IntN(90)) * time.Minute)}
	return true
}

func (w *world) couldUse(r Request, nodes []string) bool {
	for _, n := range w.nodes {
		if !slices.Contains(nodes, n.Name) {
			continue
		}
		c := placement.NewCluster([]corev1.Node{n})
		if c.Candidates(r.Need).Len() > 0 {
			return true
		}
	}
	return false
}

// wake those whom Next names: each of them gets its nodes.
func (w *world) wake() {
	for _, uid := range w.ledger.Next(w.nodes, w.now) {
		if _, is := w.waiting[uid]; !is {
			w.t.Fatalf("Next names %s, which does not wait", uid)
		}
		if !w.ask(uid) {
			w.t.Fatalf("Next names %s, but it is refused", uid)
		}
	}
	if again := w.ledger.Next(w.nodes, w.now); len(again) > 0 {
		w.t.Fatalf("Next names %v after all it named before have their nodes", again)
	}
	// Nobody else would get any: Next forgets no one.
	for _, uid := range slices.Sorted(maps.Keys(w.waiting)) {
		if w.ask(uid) {
			w.t.Fatalf("%s gets its nodes, but Next did not name it", uid)
		}
	}
}

// pass some time: runs end, ranks grow.
func (w *world) pass(d time.Duration) {
	w.now = w.now.Add(d)
	var ended []types.UID
	for uid, run := range w.running {
		if !run.until.After(w.now) {
			ended = append(ended, uid)
		}
	}
	slices.Sort(ended)
	for _, uid := range ended {
		delete(w.running, uid)
		if !w.ledger.Release(uid) {
			w.t.Fatalf("%s held nothing", uid)
		}
	}
	w.wake()
}

// leave: a run that waits is deleted.
func (w *world) leave() {
	uids := slices.Sorted(maps.Keys(w.waiting))
	if len(uids) == 0 {
		return
	}
	uid := uids[w.r.IntN(len(uids))]
	delete(w.waiting, uid)
	w.ledger.Forget(uid)
	w.wake()
}

// restart: the manager is killed. Runs that have nodes say so, the others ask.
func (w *world) restart() {
	w.ledger = NewLedger()
	for uid, run := range w.running {
		w.ledger.Hold(uid, run.Name, run.nodes, run.Exclusive)
		w.ledger.Hold(uid, run.Name, run.nodes, run.Exclusive)
	}
	for _, r := range w.waiting {
		w.ledger.Wait(r)
	}
	w.wake()
}

func intersect(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

func TestNothingIsSharedOvertakenOrStarved(t *testing.T) {
	granted, overtaken := 0, 0
	for seed := range uint64(10) {
		w := newWorld(t, seed)
		for n := range 200 {
			switch w.r.IntN(20) {
			case 0:
				w.leave()
			case 1:
				w.restart()
			}
			w.arrive(n)
			w.pass(time.Duration(w.r.IntN(30)) * time.Minute)
		}
		// Nobody comes any more: all who wait get their nodes.
		for i := 0; len(w.waiting) > 0; i++ {
			if i > 10000 {
				t.Fatalf("seed %d: %d runs wait for ever", seed, len(w.waiting))
			}
			w.pass(10 * time.Minute)
		}
		granted, overtaken = granted+w.granted, overtaken+w.overtaken

	}
	if granted < 1000 || overtaken < 50 {
		t.Errorf("%d runs got nodes and %d were overtaken: too few to prove anything", granted, overtaken)
	}
}

// TestALargeRunIsNotStarved: small runs come for ever, as fast as they are served,
// and a large one still gets all its nodes after those that were there before.
func TestALargeRunIsNotStarved(t *testing.T) {
	l, nodes := NewLedger(), pool("a:x b:x c:x d:x")
	for i, node := range []string{"a", "b", "c", "d"} {
		l.Hold(types.UID(fmt.Sprint("first-", i)), "ns/first", []string{node}, true)
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
		l.Hold(types.UID(fmt.Sprint("holder-", i)), "ns/holder", []string{n.Name}, true)
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

func TestAskIsFastInALongQueue(t *testing.T) {
	l, nodes := busyLedger()
	best := time.Hour
	for i := range 200 {
		start := time.Now()
		l.Ask(waiting(999-i), nodes, noon)
		best = min(best, time.Since(start)) // the machine may be busy with something else
	}
	if best > time.Millisecond {
		t.Errorf("Ask took %s with 1,000 waiting, want less than 1ms", best)
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
