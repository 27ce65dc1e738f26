// Package queue is the ledger of nodes: which run holds which nodes, and which runs wait. In:
// requests of runs, with the nodes of the cluster and the time. Out: a placement, or the
// position in the queue. It is pure.
//
//	ledger.go  the runs and their nodes
//	order.go   the order of the queue, and the nodes that runs in front block
//	ask.go     a run asks for nodes
//	next.go    the runs that would get nodes now
//	nodes.go   the latest cluster
//
// The rules:
//
//   - All or nothing: a run gets all its nodes at once, or none.
//   - An exclusive run shares no node with any other run. Runs that are not exclusive
//     share nodes with each other. Their free room is not counted here: a pod without
//     room waits for the scheduler.
//   - A waiting run blocks every node that it could use for all runs behind it, even a
//     free node. So no run overtakes a large run on a node that it needs, and no run
//     starves. Runs on other nodes are not affected. Two runs that are not exclusive do
//     not block each other.
//   - The priority of a waiting run grows by 1 for each hour. A run of priority p is
//     overtaken by a run of priority q only if that came less than q-p hours later.
//
// The ledger is lost with the process. After a start, Hold and Wait must rebuild it from the
// objects before the first Ask; otherwise the first run to ask overtakes the others.
package queue

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/internal/placement"
)

// Request is a run's request for nodes.
type Request struct {
	// UID of the run.
	UID types.UID
	// Name of the run for people: namespace/name.
	Name string
	// Priority: higher first.
	Priority int32
	// Since is the start of the wait.
	Since time.Time
	// Exclusive: no other run uses the nodes.
	Exclusive bool
	// Need has the pods to place.
	Need placement.Need
}

// Ledger of nodes. It is safe for concurrent use. The zero value is not ready: use NewLedger.
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

// NewLedger makes an empty ledger.
func NewLedger() *Ledger {
	return &Ledger{holds: map[types.UID]hold{}, waiting: map[types.UID]*waiter{}}
}

// Hold records the nodes in the status of a run. It cannot be refused, even when another run
// holds one of them. It replaces the nodes that the run held before, and removes the run from
// the queue.
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

// Wait puts a run into the queue, or updates it there, without asking for nodes. A run that
// holds nodes keeps them and stays out of the queue.
func (l *Ledger) Wait(req Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, has := l.holds[req.UID]; !has {
		l.waiting[req.UID] = newWaiter(req)
	}
}

// Release frees the nodes of a run; true if it held any. The caller calls Next for the runs
// that get them.
func (l *Ledger) Release(uid types.UID) (freed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, freed = l.holds[uid]
	delete(l.holds, uid)
	return freed
}

// Forget removes a run from the queue and keeps the nodes that it holds. Runs behind it may
// get nodes now: the caller calls Next.
func (l *Ledger) Forget(uid types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, uid)
}

// holders lists the names of the runs that hold a node, sorted: one, or several non-exclusive
// runs, or none.
func (l *Ledger) holders(node string) (names []string) {
	for _, h := range l.holds {
		if _, has := slices.BinarySearch(h.nodes, node); has {
			names = append(names, h.name)
		}
	}
	slices.Sort(names)
	return names
}

// taken are the nodes that a run cannot have because other runs hold them.
func (l *Ledger) taken(c *placement.Cluster, exclusive bool) placement.Set {
	out := c.Set()
	for _, h := range l.holds {
		if h.exclusive || exclusive {
			out.AddAll(c.SetOf(h.nodes))
		}
	}
	return out
}
