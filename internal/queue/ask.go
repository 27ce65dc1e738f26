package queue

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/internal/placement"
)

// Ask puts a run into the queue, or updates it there, and gives it its nodes if it
// fits on those that nobody holds and nobody in front of it could use. Then it holds
// them, and the answer has no Reason. Reason Queued: it waits, and the message says
// for what. Any other reason: no cluster of these nodes could ever do it, and the
// run is not in the queue any more.
//
// A run that holds nodes gets an answer on these again: the status that was to keep
// the first one may not have been written. If they no longer do, it lets them go
// and asks like any other.
func (l *Ledger) Ask(req Request, nodes []corev1.Node, now time.Time) placement.Answer {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.cluster(nodes)
	if h, has := l.holds[req.UID]; has {
		if answer := c.Find(req.Need, except(c, h.nodes)); answer.Reason == "" {
			l.hold(req.UID, hold{name: req.Name, nodes: placement.Nodes(answer.Placement), exclusive: req.Exclusive})
			return answer
		}
		delete(l.holds, req.UID)
	}
	w := newWaiter(req)
	l.waiting[req.UID] = w
	front := l.inFront(w, now)
	held := l.taken(c, req.Exclusive)
	taken := slices.Clone(held)
	taken.AddAll(front.blocked)
	answer := c.Find(req.Need, taken)
	switch {
	case answer.Reason == "":
		l.hold(req.UID, hold{name: req.Name, nodes: placement.Nodes(answer.Placement), exclusive: req.Exclusive})
	case answer.Busy:
		answer.Message = l.explain(w, front, held)
	default:
		delete(l.waiting, req.UID)
	}
	return answer
}

// except is every node of the cluster but these.
func except(c *placement.Cluster, nodes []string) placement.Set {
	out, own := c.Set(), c.SetOf(nodes)
	for i := range c.Names() {
		if !own.Has(i) {
			out.Add(i)
		}
	}
	return out
}

// maxListed nodes in a message.
const maxListed = 3

// explain says where in the queue a run is and which nodes it waits for, such as
// "queued: position 3, after ns/b; node n1 is held by ns/a". The position counts
// those only that compete for the same nodes.
func (l *Ledger) explain(w *waiter, front inFront, held placement.Set) string {
	var b strings.Builder
	fmt.Fprintf(&b, "queued: position %d", front.count+1)
	if front.last != nil {
		fmt.Fprintf(&b, ", after %s", front.last.Name)
	}
	inTheWay := slices.Clone(l.candidates(w))
	inTheWay.Keep(held)
	members := inTheWay.Members()
	for i, node := range members {
		if i == maxListed {
			fmt.Fprintf(&b, "; %d more nodes are held", len(members)-maxListed)
			break
		}
		name := l.seen.cluster.Names()[node]
		fmt.Fprintf(&b, "; node %s is held by %s", name, strings.Join(l.holders(name), ", "))
	}
	return b.String()
}
