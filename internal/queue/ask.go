package queue

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/internal/placement"
)

// Ask puts a run into the queue, or updates it there. The run gets its nodes if it fits on
// nodes that no run holds and no run in front of it could use. It then holds them, and the
// answer has no Reason. Reason Queued: the run waits, and the message names the nodes that it
// waits for. Any other reason: these nodes can never hold the run, and it leaves the queue.
//
// A run that holds nodes gets the same nodes again, because the status with the first answer
// may not have been written. If they no longer fit, the run releases them and asks like any
// other run.
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
		answer.Message = l.queueMessage(w, front, held)
	default:
		delete(l.waiting, req.UID)
	}
	return answer
}

// except is every node of the cluster without these.
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

// queueMessage has the position of a run and the nodes that it waits for, such as "queued:
// position 3, after ns/b; node n1 is held by ns/a". The position counts only runs that compete
// for the same nodes.
func (l *Ledger) queueMessage(w *waiter, front inFront, held placement.Set) string {
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
