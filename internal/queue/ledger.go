// Package queue is the ledger of nodes: which run holds which, and who waits for
// some. It is pure: the nodes and the time come with every call.
//
//	ledger.go  who holds what
//	order.go   who is before whom, and what those in front block
//	ask.go     a run asks for nodes
//	next.go    who would get nodes now
//	nodes.go   the cluster as it was seen last
//
// The rules:
//
//   - All or nothing: a run gets all its nodes at once, or none.
//   - An exclusive run shares no node with any other run. Runs that are not exclusive
//     share nodes with each other; whether there is room for both is not counted
//     here: the scheduler has the last word, and a pod that finds no room waits.
//   - Whoever waits blocks every node that it could use for all behind it, also when
//     the node is free and it waits for another one. So a large run at the head is
//     never overtaken on a node that it needs, and nothing starves; runs on other
//     nodes go ahead. Two runs that are not exclusive do not block each other.
//   - A run that waits gains one of priority for each hour. So one of priority p is
//     overtaken by one of priority q only if that came less than q-p hours after it.
//
// The ledger is lost with the process. After a start, Hold and Wait rebuild it from
// the objects before the first Ask, or else the first one to ask overtakes the rest.
package queue

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/internal/placement"
)

// Request of a run for nodes.
type Request struct {
	// UID of the run.
	UID types.UID
	// Name of the run for people: namespace/name.
	Name string
	// Priority: higher first.
	Priority int32
	// Since when the run waits.
	Since time.Time
	// Exclusive: no other run on the nodes.
	Exclusive bool
	// Need is what has to be placed.
	Need placement.Need
}

// Ledger of nodes. Its methods may be called from several goroutines. The zero
// value is not ready: use NewLedger.
type Ledger struct {
	mu      sync.Mutex
	holds   map[types.UID]hold
	waiting map[types.UID]*waiter
	seen    seen
}

type hold struct {
	name      string
	nodes     []string // sorted
	exclusive bool
}

// NewLedger makes an empty one.
func NewLedger() *Ledger {
	return &Ledger{holds: map[types.UID]hold{}, waiting: map[types.UID]*waiter{}}
}

// Hold records that a run has nodes, as its status says: it cannot be refused, also
// when another run has one of them. It replaces what the run held before, and takes
// it out of the queue.
func (l *Ledger) Hold(uid types.UID, name string, nodes []string, exclusive bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hold(uid, hold{name: name, nodes: nodes, exclusive: exclusive})
}

func (l *Ledger) hold(uid types.UID, h hold) {
	h.nodes = slices.Sorted(slices.Values(h.nodes))
	h.nodes = slices.Compact(h.nodes)
	l.holds[uid] = h
	delete(l.waiting, uid)
}

// Wait puts a run into the queue, or updates it there, without asking for nodes. One
// that holds nodes keeps them and stays out of the queue.
func (l *Ledger) Wait(req Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, has := l.holds[req.UID]; !has {
		l.waiting[req.UID] = newWaiter(req)
	}
}

// Release gives the nodes of a run back; true if it held any. The caller asks Next
// who gets them.
func (l *Ledger) Release(uid types.UID) (freed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, freed = l.holds[uid]
	delete(l.holds, uid)
	return freed
}

// Forget takes a run out of the queue; what it holds stays. Those behind it may get
// nodes now: the caller asks Next.
func (l *Ledger) Forget(uid types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, uid)
}

// holders lists the names of the runs that hold a node, sorted: one, or several that
// are not exclusive; none if it is free.
func (l *Ledger) holders(node string) (names []string) {
	for _, h := range l.holds {
		if _, has := slices.BinarySearch(h.nodes, node); has {
			names = append(names, h.name)
		}
	}
	slices.Sort(names)
	return names
}

// taken are the nodes that a run cannot have because of those who hold them.
func (l *Ledger) taken(c *placement.Cluster, exclusive bool) placement.Set {
	out := c.Set()
	for _, h := range l.holds {
		if h.exclusive || exclusive {
			out.AddAll(c.SetOf(h.nodes))
		}
	}
	return out
}
