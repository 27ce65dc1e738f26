package queue

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment/placement"
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
	running map[types.UID]*running
	// suspends: some runs are suspended, and keep their nodes for a while.
	suspends bool
	// first is the first run of the queue that has reserved nodes, and since when they come
	// free at the latest.
	first                               reservation
	granted, limited, passed, overtaken int
}

// running is a run that holds nodes until a time.
type running struct {
	Holding
	ends time.Time
}

// reservation of the first run in the queue.
type reservation struct {
	uid   types.UID
	nodes []string
	by    time.Time
}

// spaces are the namespaces of the runs, with their limits.
var spaces = map[string]Limits{"free": {}, "two": {Runs: 2}, "small": {Nodes: 4}, "tight": {Nodes: 5, Runs: 3}}

func newWorld(t *testing.T, seed uint64) *world {
	return &world{
		t: t, r: rand.New(rand.NewPCG(seed, 7)), ledger: NewLedger(), now: noon,
		nodes:   pool("a:x b:x c:x d:x e:y f:y g:y h:z"),
		waiting: map[types.UID]Request{}, running: map[types.UID]*running{},
	}
}

// arrive makes a run that the empty cluster can do, and asks for it.
func (w *world) arrive(n int) {
	kind := func() string { return []string{"", "x", "x", "y", "z"}[w.r.IntN(5)] }
	r := request(fmt.Sprintf("run-%04d", w.r.IntN(10)*1000+n), kind()).priority(int32(w.r.IntN(5)))
	r.Since, r.Exclusive = w.now, w.r.IntN(3) > 0
	r.Longest = time.Duration(1+w.r.IntN(180)) * time.Minute
	space := slices.Sorted(maps.Keys(spaces))[w.r.IntN(len(spaces))]
	r = r.in(space)
	r.Limits = spaces[space]
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
	w.ledger.Wait(r)
	first := w.look()
	answer := w.ledger.Ask(r, w.nodes, w.now)
	if answer.Reason != "" {
		if answer.Reason != v1alpha1.ReasonQueued {
			w.t.Fatalf("%s is refused for good: %+v", uid, answer)
		}
		if strings.Contains(answer.Message, "limit") {
			w.limited++
		}
		return false
	}
	nodes := placement.Nodes(answer.Placement)
	delete(w.waiting, uid)
	used := Limits{Nodes: len(nodes), Runs: 1}
	for _, other := range w.running {
		if (r.Exclusive || other.Exclusive) && intersect(nodes, other.Nodes) {
			w.t.Fatalf("%s (exclusive: %v) is on a node of %s (exclusive: %v): %v, %v", uid, r.Exclusive, other.UID, other.Exclusive, nodes, other.Nodes)
		}
		if namespaceOf(other.Name) == namespaceOf(r.Name) {
			used.Nodes, used.Runs = used.Nodes+len(other.Nodes), used.Runs+1
		}
	}
	if l := r.Limits; l.Nodes > 0 && used.Nodes > l.Nodes || l.Runs > 0 && used.Runs > l.Runs {
		w.t.Fatalf("%s is beyond the limits of its namespace (%+v): %+v", r.Name, l, used)
	}
	if front, waits := w.waiting[first.uid]; waits && (front.Exclusive || r.Exclusive) && intersect(nodes, first.nodes) {
		if w.now.Add(r.Longest).After(first.by) {
			w.t.Fatalf("%s got %v until %s: %v are reserved for %s, from %s on", uid, nodes, w.now.Add(r.Longest), first.nodes, first.uid, first.by)
		}
		w.passed++
	}
	for _, other := range w.waiting {
		if other.Since.Before(r.Since) && (r.Exclusive || other.Exclusive) {
			w.overtaken++
		}
	}
	if first.uid == uid {
		w.first = reservation{} // it came to the front, and may have taken what was reserved
	}
	w.granted++
	w.running[uid] = &running{
		Holding{UID: uid, Name: r.Name, Priority: r.Priority, Since: r.Since, Nodes: nodes, Exclusive: r.Exclusive, Began: w.now, Until: w.now.Add(r.Longest)},
		w.now.Add(1 + time.Duration(w.r.Int64N(int64(r.Longest)))),
	}
	return true
}

// look at the first run of the queue that its namespace has room for.
func (w *world) look() reservation {
	l := w.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.cluster(w.nodes)
	s := l.schedule(w.now)
	for _, o := range l.queue() {
		v := s.next(o)
		if v.limited != "" {
			continue
		}
		out := reservation{uid: o.UID}
		see := s.sees[kindOf(true)]
		for _, n := range see.reserved.Members() {
			out.nodes, out.by = append(out.nodes, c.Names()[n]), see.by[n]
		}
		return out
	}
	return reservation{}
}

// observe that the first run comes nearer to its nodes, as long as it is the first: the time
// of its reservation never moves back, and when it has come, the run has its nodes.
func (w *world) observe() {
	now := w.look()
	if now.uid == w.first.uid && now.uid != "" && !w.suspends {
		if len(now.nodes) == 0 {
			w.t.Fatalf("%s is the first in the queue and has lost its reservation of %v", now.uid, w.first.nodes)
		}
		if now.by.After(w.first.by) {
			w.t.Fatalf("%s is the first in the queue: its nodes come free at %s at the latest, and did at %s before", now.uid, now.by, w.first.by)
		}
		if w.now.After(now.by) || w.now.After(w.first.by) {
			w.t.Fatalf("%s waits at %s, and its nodes had to be free at %s", now.uid, w.now, w.first.by)
		}
	}
	w.first = now
}

// wake those whom Next names, until it names nobody. The first one gets its nodes; those after
// it may have to wait, because their namespaces have had a turn.
func (w *world) wake() {
	for {
		next := w.ledger.Next(w.nodes, w.now)
		if len(next) == 0 {
			break
		}
		if _, is := w.waiting[next[0]]; !is {
			w.t.Fatalf("Next names %s, which does not wait", next[0])
		}
		if !w.ask(next[0]) {
			w.t.Fatalf("Next names %s first, but it is refused", next[0])
		}
	}
	// Nobody else would get any: Next forgets no one.
	for _, uid := range slices.Sorted(maps.Keys(w.waiting)) {
		if w.ask(uid) {
			w.t.Fatalf("%s gets its nodes, but Next did not name it", uid)
		}
	}
	w.observe()
}

// pass some time: runs end.
func (w *world) pass(d time.Duration) {
	w.now = w.now.Add(d)
	for _, uid := range slices.Sorted(maps.Keys(w.running)) {
		if run := w.running[uid]; !run.ends.After(w.now) {
			delete(w.running, uid)
			if !w.ledger.Release(uid) {
				w.t.Fatalf("%s held nothing", uid)
			}
		}
	}
	w.wake()
}

// suspend a run that has nodes, or resume one.
func (w *world) suspend() {
	uids := slices.Sorted(maps.Keys(w.running))
	if len(uids) == 0 {
		return
	}
	run := w.running[uids[w.r.IntN(len(uids))]]
	if run.Idle == "" {
		run.Idle, run.Until = "suspended", w.now.Add(time.Hour)
		run.ends = run.Until // unless it is resumed
	} else {
		run.Idle, run.Until = "", w.now.Add(2*time.Hour)
		run.ends = w.now.Add(time.Duration(1+w.r.IntN(120)) * time.Minute)
	}
	if !w.ledger.Hold(run.Holding) {
		w.t.Fatalf("%s was suspended or resumed, and Hold says that nothing changed", run.UID)
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
	w.first = reservation{} // it may have been behind one that has left its namespace's room to it
	w.wake()
}

// restart: the manager is killed. Runs that have nodes say so, the others ask.
func (w *world) restart() {
	w.ledger = NewLedger()
	for _, run := range w.running {
		w.ledger.Hold(run.Holding)
		w.ledger.Hold(run.Holding)
	}
	for _, r := range w.waiting {
		w.ledger.Wait(r)
	}
	w.wake()
}

func intersect(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

func TestNothingIsSharedAndNobodyStarves(t *testing.T) {
	var granted, limited, passed, overtaken int
	for seed := range uint64(8) {
		w := newWorld(t, seed)
		w.suspends = seed%2 == 1
		for n := range 100 {
			switch w.r.IntN(20) {
			case 0:
				w.leave()
			case 1:
				w.restart()
			case 2, 3:
				if w.suspends {
					w.suspend()
				}
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
		granted, limited, passed, overtaken = granted+w.granted, limited+w.limited, passed+w.passed, overtaken+w.overtaken
	}
	if granted < 500 || limited < 100 || passed < 50 || overtaken < 100 {
		t.Errorf("%d runs got nodes, %d times a limit held one back, %d used reserved nodes meanwhile, %d times one was overtaken: too few to prove anything",
			granted, limited, passed, overtaken)
	}
	t.Logf("%d runs got nodes, %d times a limit held one back, %d used reserved nodes meanwhile, %d times one was overtaken", granted, limited, passed, overtaken)
}
