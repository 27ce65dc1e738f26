// Package queue is the ledger of nodes, and of the bytes of results: which run holds which, and which
// runs wait. In:
// requests of runs, with the nodes of the cluster and the time. Out: a placement, or the
// position in the queue. Refused is what could never be: a need that no nodes of the cluster
// satisfy, one beyond the limit of its namespace, or results beyond their budget. It is pure.
//
//	ledger.go    the runs and their nodes
//	order.go     the order of the queue
//	schedule.go  goes through the queue in its order: who gets nodes, who reserves some
//	limits.go    what a namespace may hold
//	bytes.go     the bytes that results hold, and who may write more
//	ask.go       a run asks for nodes
//	message.go   what a run waits for, in words
//	next.go      the runs that would get nodes now
//	nodes.go     the latest cluster
//
// The rules:
//
//   - All or nothing: a run gets all its nodes at once, or none.
//
//   - An exclusive run shares no node with any other run. Runs that are not exclusive
//     share nodes with each other. Their free room is not counted here: a pod without
//     room waits for the scheduler.
//
//   - Order: by the start of the wait, where one of priority counts as one hour before. The
//     wait of a run starts when it was accepted, and again when a run of its namespace that was in
//     front of it gets its nodes; while that waits too, it counts as 24 hours. So namespaces
//     that compete take turns, and a run is overtaken for a bounded time.
//
//   - A run in the queue that cannot have its nodes now reserves those that come free soonest
//     and can host it together, by the time at which their holders have to be done. It
//     reserves none of those that a run in front has reserved, and nothing at all where the
//     rest cannot host it.
//
//   - A run behind uses a reserved node only if it has to be done before the whole of the
//     reservation comes free. It uses all other nodes as it likes.
//
//   - Suspended and retained runs are not about to be done: their nodes are not reserved. A run
//     that cannot do without them reserves nothing.
//
//   - A run that its namespace has no room for reserves nothing either. The runs of a namespace
//     count against its limits in their order, also while they wait.
//
//   - A run that gets its nodes takes the bytes that its results need, too, until it ends. Then it
//     keeps what it has written. A run without nodes takes what it has written.
//
//   - A run that could have its nodes and has no room for its results keeps both: the nodes are
//     reserved until the holders have to be done that take the room. A run behind takes room only
//     if both fit when these have ended, even if it is not done by then.
//
//   - A run for which only a deletion makes room reserves nothing.
//
//   - Nodes are made for one run at a time, the first in the queue that needs them, and only while no other run holds a node that it
//     could use: so nobody waits for nodes that another one has got meanwhile. It then holds all nodes that it could use.
//
//   - A run that needs nodes made, and that cannot ask for them, holds and reserves nothing, and counts against nobody: those behind it
//     go on as if it were not there. When its turn has come and it could not ask for as long as it may wait for nodes, it is refused.
//
// Nobody starves: no run overtakes the first one for ever, since the order does not change with
// time. The first one has reserved its nodes, and the time of its reservation never moves
// back while the holders keep to theirs: nobody else gets one of these nodes for longer.
//
// The ledger is lost with the process. After a start, Hold and Wait must rebuild it from the
// objects before the first Ask; otherwise the first run to ask overtakes the others.
package queue

import (
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/internal/experiment/placement"
)

// Request is a run's request for nodes.
type Request struct {
	// UID of the run.
	UID types.UID
	// Name of the run for people: namespace/name.
	Name string
	// Priority: each one counts as an hour of waiting.
	Priority int32
	// Since is the start of the wait.
	Since time.Time
	// Exclusive: no other run uses the nodes.
	Exclusive bool
	// Need has the pods to place.
	Need placement.Need
	// Longest time for which the run holds its nodes; 0 for one that is not known.
	Longest time.Duration
	// Limits of the namespace of the run.
	Limits Limits
	// Bytes that its results may take while it holds nodes; Held is what they take already.
	Bytes, Held int64
	// Schedule that has started the run; empty for none.
	Schedule string
	// Made is the number of its placeholder pods that have a node.
	Made int
	// Overdue: the run has waited for nodes that are made for it as long as it may.
	Overdue bool
	// Barred: nodes cannot be asked for now, and none were. Until they can, none are made for the run.
	Barred bool
}

// Limits of a namespace; 0 is none.
type Limits struct {
	// Nodes that its runs hold at once. A node that two of them share counts twice.
	Nodes int
	// Runs that hold nodes at once.
	Runs int
	// Bytes of the results of its runs, and AllBytes of those of all namespaces.
	Bytes, AllBytes int64
}

// Holding are the nodes of a run, as its status has them.
type Holding struct {
	// UID of the run.
	UID types.UID
	// Name of the run for people: namespace/name.
	Name string
	// Priority and Since are those of its request; zero for a run that has ended.
	Priority int32
	Since    time.Time
	// Nodes that it holds.
	Nodes []string
	// Exclusive: no other run uses the nodes.
	Exclusive bool
	// Began is when it got them.
	Began time.Time
	// Until is when it gives them back at the latest; zero for a time that is not known.
	Until time.Time
	// Idle is why the run only keeps its nodes, for people, such as suspended; empty for one
	// that works towards its end.
	Idle string
	// Bytes that its results may take, and Held of them are written.
	Bytes, Held int64
	// Growing is what nodes are made for; nil for a run that has its nodes. Until then it holds every node that one of its pods could
	// use, also those that come.
	Growing *placement.Need
}

// Ledger of nodes. It is safe for concurrent use. The zero value is not ready: use NewLedger.
type Ledger struct {
	mu      sync.Mutex
	holds   map[types.UID]*Holding
	waiting map[types.UID]*waiter
	// kept are the bytes of results by their run.
	kept map[types.UID]Kept
	// begun are the runs that got nodes while others of their namespace waited, by namespace.
	begun map[string]map[types.UID]place
	// order of the waiting runs; nil when it has to be computed again.
	order []*waiter
	seen  seen
}

// NewLedger makes an empty ledger.
func NewLedger() *Ledger {
	return &Ledger{holds: map[types.UID]*Holding{}, waiting: map[types.UID]*waiter{}, kept: map[types.UID]Kept{}, begun: map[string]map[types.UID]place{}}
}

// Hold records the nodes in the status of a run. It cannot be refused, even when another run
// holds one of them. It replaces what the run held before, and removes the run from the queue.
// Changed is true when others may get nodes by that, or may not any more: the caller calls Next.
func (l *Ledger) Hold(h Holding) (changed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h.Nodes = slices.Compact(slices.Sorted(slices.Values(h.Nodes)))
	had, has := l.holds[h.UID]
	l.hold(h)
	return !has || had.Idle != h.Idle || had.Exclusive != h.Exclusive || !slices.Equal(had.Nodes, h.Nodes)
}

// hold nodes that are sorted.
func (l *Ledger) hold(h Holding) {
	l.holds[h.UID] = &h
	if h.Bytes > 0 {
		keepBytes(l, Kept{UID: h.UID, Name: h.Name, Bytes: h.Held})
	}
	delete(l.waiting, h.UID)
	begin(l, h)
}

// Begun records that a run got nodes, also one that has given them back: those of its
// namespace that were behind it have had their turn. Began is set.
func (l *Ledger) Begun(h Holding) {
	l.mu.Lock()
	defer l.mu.Unlock()
	begin(l, h)
}

func begin(l *Ledger, h Holding) {
	l.order = nil
	p := placeOf(h.UID, h.Since, h.Priority)
	p.began = h.Began
	namespace := namespaceOf(h.Name)
	if l.begun[namespace] == nil {
		l.begun[namespace] = map[types.UID]place{}
	}
	l.begun[namespace][h.UID] = p
}

// Wait puts a run into the queue, or updates it there, without asking for nodes. A run that
// holds nodes keeps them and stays out of the queue.
func (l *Ledger) Wait(req Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, has := l.holds[req.UID]; !has {
		l.wait(req)
	}
}

func (l *Ledger) wait(req Request) *waiter {
	keepBytes(l, Kept{UID: req.UID, Name: req.Name, Bytes: req.Held})
	w := l.waiting[req.UID]
	if w != nil && w.key == req.Need.Key() && w.Name == req.Name && w.Priority == req.Priority && w.Since.Equal(req.Since) {
		w.Request, w.fit = req, fitKey(req.Need)
		if !w.Barred {
			w.barredSince = time.Time{}
		}
		return w
	}
	w = newWaiter(req)
	l.waiting[req.UID], l.order = w, nil
	return w
}

// Release frees the nodes of a run; true if it held any. The caller calls Next for the runs
// that get them.
func (l *Ledger) Release(uid types.UID) (freed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, freed = l.holds[uid]
	delete(l.holds, uid)
	l.order = nil
	return freed
}

// Forget removes a run from the queue and keeps the nodes that it holds. Runs behind it may
// get nodes now: the caller calls Next.
func (l *Ledger) Forget(uid types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(uid)
}

func (l *Ledger) forget(uid types.UID) {
	delete(l.waiting, uid)
	l.order = nil
}

// Idle marks a run that holds nodes as one that only keeps them, until a time. Changed is true
// when it was none before: the caller calls Next.
func (l *Ledger) Idle(uid types.UID, why string, until time.Time) (changed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h, has := l.holds[uid]
	if !has {
		return false
	}
	changed = h.Idle != why
	h.Idle, h.Until = why, until
	return changed
}

// holdersOf a node, sorted by name: one, or several non-exclusive runs, or none.
func holdersOf(l *Ledger, node string) (out []*Holding) {
	for _, h := range l.holds {
		if _, has := slices.BinarySearch(h.Nodes, node); has {
			out = append(out, h)
		}
	}
	slices.SortFunc(out, func(a, b *Holding) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// namespaceOf a run with this name.
func namespaceOf(name string) string {
	namespace, _, _ := strings.Cut(name, "/")
	return namespace
}
