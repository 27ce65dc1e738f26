package queue

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment/placement"
	"github.com/assay-bench/assay/internal/ground/budget"
)

// Ask puts a run into the queue, or updates it there. The run gets its nodes if it fits on
// nodes that no run holds and that are not reserved for a run in front of it. It then holds
// them, and the answer has no Reason. Reason Queued: the run waits, and the message says for
// what. Any other reason: these nodes, or the limits of its namespace, can never hold the run,
// and it leaves the queue.
//
// Reason ProvisioningNodes: nodes have to be made for the run. It holds those that it could use, so that no other run gets them, and
// counts against the limits of its namespace as if it had all of them. It gets its nodes as soon as it fits on these. When it is overdue
// by then, it is refused. One that is barred stays in the queue with this answer, holds nothing, and is refused with NodesNotProvisioned
// when it was so for as long as it may wait.
//
// A run that holds nodes gets the same nodes again, because the status with the first answer
// may not have been written. If they no longer fit, the run releases them and asks like any
// other run.
func (l *Ledger) Ask(req Request, nodes []corev1.Node, now time.Time) placement.Answer {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.cluster(nodes)
	began, grew := now, false
	if h, has := l.holds[req.UID]; has {
		if answer := c.Find(req.Need, except(c, h.Nodes)); answer.Reason == "" && hasRoom(l, req, h, answer.Placement) {
			l.grant(req, answer.Placement, now)
			return answer
		}
		if grew = h.Growing != nil; grew {
			began = h.Began
			// Also where no placeholder says so: nobody may have made one.
			req.Overdue = req.Overdue || now.Sub(began) > req.Need.Patience()
		}
		delete(l.holds, req.UID)
		l.order = nil
	}
	w := l.wait(req)
	need := l.seen.needs(w)
	if need == 0 || req.Limits.Nodes > 0 && need > req.Limits.Nodes {
		l.forget(w.UID)
		if need > 0 {
			return tooLarge(w, need)
		}
		return c.Find(req.Need, nil)
	}
	if answer := tooManyBytes(w); answer.Reason != "" {
		l.forget(w.UID)
		return answer
	}
	s := l.schedule(now)
	var v verdict
	var front inFront
	for _, o := range l.queue() {
		if o != w && l.seen.bars(o) {
			continue
		}
		v = s.next(o)
		if o == w {
			break
		}
		if !grew && v.limited == "" && l.seen.grows(o) && s.lacks(o) == "" && mayGrow(l, o) {
			front.grows = o.Name
		}
		if v.limited == "" && l.seen.compete(o, w) {
			front.count, front.last = front.count+1, o
		}
	}
	if v.granted {
		l.grant(req, v.placement, now)
		return placement.Answer{Placement: v.placement}
	}
	if v.limited == "" && l.seen.grows(w) {
		if h := growing(l); h != nil {
			front.grows = h.Name
		}
		switch v.lacks = s.lacks(w); {
		case v.lacks != "" || front.grows != "" || !mayGrow(l, w):
		case w.Barred:
			return bar(l, w, now)
		default:
			return grow(l, req, began)
		}
	}
	return placement.Answer{Reason: v1alpha1.ReasonQueued, Message: s.describe(w, v, front)}
}

// hasRoom says whether the namespace of a run may hold its nodes. What was made for it may be more than that.
func hasRoom(l *Ledger, req Request, h *Holding, p v1alpha1.Placement) bool {
	if h.Growing == nil || req.Limits.Nodes == 0 {
		return true
	}
	others := of(usageOf(l), req.Name).nodes - h.Growing.Least()
	return others+len(placement.Nodes(p)) <= req.Limits.Nodes
}

// mayGrow says whether nodes may be made for a run now: for no other one are some made, and none holds a node that it could use.
func mayGrow(l *Ledger, w *waiter) bool {
	return growing(l) == nil && !l.seen.of(w).Overlaps(heldBeside(l, nil))
}

// heldBeside are the nodes of all runs but one.
func heldBeside(l *Ledger, one *Holding) placement.Set {
	out := l.seen.cluster.Set()
	for _, h := range l.holds {
		if h != one {
			out.AddAll(l.seen.cluster.SetOf(h.Nodes))
		}
	}
	return out
}

// grow the cluster for a run.
func grow(l *Ledger, req Request, began time.Time) placement.Answer {
	need := req.Need
	l.hold(Holding{
		UID: req.UID, Name: req.Name, Priority: req.Priority, Since: req.Since, Exclusive: true, Began: began,
		Until: began.Add(need.Patience() + req.Longest), Growing: &need, Bytes: req.Bytes, Held: req.Held,
	})
	l.holds[req.UID].Nodes = l.seen.cluster.NamesIn(l.seen.cluster.Candidates(need)) // nobody holds one of them
	return placement.Answer{Reason: v1alpha1.ReasonProvisioningNodes, Message: fmt.Sprintf(
		"%d of %d placeholder pods have a node: the autoscaler of the cluster makes the others", req.Made, len(need.Pods()))}
}

// bar a run whose turn it is from having nodes made: it cannot ask for them.
func bar(l *Ledger, w *waiter, now time.Time) placement.Answer {
	if w.barredSince.IsZero() {
		w.barredSince = now
	}
	if now.Sub(w.barredSince) > w.Need.Patience() {
		l.forget(w.UID)
		return placement.Answer{Reason: v1alpha1.ReasonNodesNotProvisioned, Message: "the run could not ask for nodes"}
	}
	return placement.Answer{Reason: v1alpha1.ReasonProvisioningNodes, Message: "nodes have to be made for the run, which cannot ask for them: other runs go on meanwhile"}
}

// grant a run its nodes.
func (l *Ledger) grant(req Request, p v1alpha1.Placement, now time.Time) {
	l.hold(Holding{
		UID: req.UID, Name: req.Name, Priority: req.Priority, Since: req.Since,
		Nodes: placement.Nodes(p), Exclusive: req.Exclusive, Began: now, Until: now.Add(req.Longest),
		Bytes: req.Bytes, Held: req.Held,
	})
}

// tooLarge refuses a run that alone is beyond the limit of its namespace.
func tooLarge(w *waiter, need int) placement.Answer {
	return placement.Answer{Reason: v1alpha1.ReasonNamespaceLimitExceeded, Message: fmt.Sprintf(
		"the run needs %d nodes, and namespace %s may hold %d at a time (limit nodes of queue.bounds or queue.rules): ask the administrator for more, or use fewer targets, replicas or clients",
		need, namespaceOf(w.Name), w.Limits.Nodes)}
}

// tooManyBytes refuses a run whose results alone are beyond a budget.
func tooManyBytes(w *waiter) placement.Answer {
	for i, field := range []string{"results.budget.namespace", "results.budget.cluster"} {
		if limit := w.budgets()[i]; limit > 0 && w.Bytes > limit {
			return placement.Answer{Reason: v1alpha1.ReasonResultBudgetExceeded, Message: fmt.Sprintf(
				"the results of the run may take %s, and %s is %s: ask the administrator for more, or measure less",
				budget.Text(w.Bytes), field, budget.Text(limit))}
		}
	}
	return placement.Answer{}
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
