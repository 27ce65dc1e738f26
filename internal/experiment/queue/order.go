package queue

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/internal/experiment/placement"
)

const (
	// perPriority is what one of priority is worth.
	perPriority = time.Hour
	// perTurn is what each run of its own namespace that waits in front of it costs a run: as
	// much as the default deadline of the run in front.
	perTurn = 24 * time.Hour
)

// waiter is a request in the queue.
type waiter struct {
	Request
	// key of the candidates, and of everything that decides whether the run fits.
	key, fit string
	// set of candidates in the cluster of this generation; 0 for none yet.
	set        placement.Set
	generation int64
	// due is its place in the order: earlier ones are in front. Only for waiters in the order.
	due time.Time
	// barredSince is when it was its turn to have nodes made, which it could not ask for and cannot since; zero for any other.
	barredSince time.Time
}

func newWaiter(r Request) *waiter {
	return &waiter{Request: r, key: r.Need.Key(), fit: fitKey(r.Need)}
}

// fitKey is equal for needs that fit on the same nodes.
func fitKey(n placement.Need) string {
	var b strings.Builder
	fmt.Fprint(&b, n.Clients, n.Separate, n.OneAtATime, n.Client.Nodes, placement.Need{Client: n.Client}.Key())
	for _, t := range n.Targets {
		fmt.Fprint(&b, "\n", t.Replicas, t.Tenants, t.Shape.Nodes, placement.Need{Client: t.Shape}.Key())
	}
	fmt.Fprintf(&b, "\n%q", n.Beside)
	return b.String()
}

// arrival is the start of the wait, where priority counts as time.
func arrival(since time.Time, priority int32) time.Time {
	return since.Add(-time.Duration(priority) * perPriority)
}

// place of a run in the order of its namespace.
type place struct {
	arrival time.Time
	since   time.Time
	uid     types.UID
	// waiter is nil for a run that has begun, which it did at this time.
	waiter *waiter
	began  time.Time
}

func placeOf(uid types.UID, since time.Time, priority int32) place {
	return place{arrival: arrival(since, priority), since: since, uid: uid}
}

func comparePlaces(a, b place) int {
	return cmp.Or(a.arrival.Compare(b.arrival), a.since.Compare(b.since), strings.Compare(string(a.uid), string(b.uid)))
}

// Before says whether a request is in front of another one of its namespace.
func (r Request) Before(other Request) bool {
	return comparePlaces(placeOf(r.UID, r.Since, r.Priority), placeOf(other.UID, other.Since, other.Priority)) < 0
}

// queue is all waiting runs in their order. It is kept until a run comes or goes: the order
// does not depend on the time.
func (l *Ledger) queue() []*waiter {
	if l.order != nil {
		return l.order
	}
	namespaces := map[string][]place{}
	for uid, w := range l.waiting {
		p := placeOf(uid, w.Since, w.Priority)
		p.waiter = w
		namespaces[namespaceOf(w.Name)] = append(namespaces[namespaceOf(w.Name)], p)
	}
	l.order = make([]*waiter, 0, len(l.waiting))
	for name := range l.begun {
		forgetBegun(l.begun[name], namespaces[name])
		if len(l.begun[name]) == 0 {
			delete(l.begun, name)
		}
	}
	for name, places := range namespaces {
		for _, p := range l.begun[name] {
			places = append(places, p)
		}
		slices.SortFunc(places, comparePlaces)
		l.order = append(l.order, inTurn(places)...)
	}
	slices.SortFunc(l.order, compareWaiters)
	return l.order
}

// inTurn says when the waiting runs of a namespace are due. The wait of a run begins when the
// last of those in front of it got its nodes.
func inTurn(places []place) (out []*waiter) {
	var last, due time.Time // the last one in front that got nodes; the last one that waits
	for _, p := range places {
		if p.waiter == nil {
			last = latest(last, p.began)
			continue
		}
		wait := arrival(latest(p.since, last), p.waiter.Priority)
		due = latest(due, wait.Add(time.Duration(len(out))*perTurn))
		p.waiter.due = due
		out = append(out, p.waiter)
	}
	return out
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// forgetBegun forgets the runs of a namespace that began before the waits of all that wait.
func forgetBegun(begun map[types.UID]place, waiting []place) {
	for uid, b := range begun {
		if !slices.ContainsFunc(waiting, func(p place) bool { return p.since.Before(b.began) }) {
			delete(begun, uid)
		}
	}
}

// compareWaiters is negative when a is in front of b.
func compareWaiters(a, b *waiter) int {
	return cmp.Or(a.due.Compare(b.due), a.Since.Compare(b.Since), strings.Compare(string(a.UID), string(b.UID)))
}

// compete says whether two runs could want the same node, and could not share it.
func (s *seen) compete(a, b *waiter) bool {
	return (a.Exclusive || b.Exclusive) && s.of(a).Overlaps(s.of(b))
}
