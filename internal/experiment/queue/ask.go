package queue

import (
	"fmt"
	"slices"
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
// Reason ProvisioningNodes: nodes have to be made for the run. It holds those of them that exist, so that no other run gets them, and
// counts against the limits of its namespace as if it had all of them. It gets its nodes once it fits on these, or on others that are
// free, and joins the queue when it is overdue and would fit on nodes that others hold.
//
// A run that holds nodes gets the same nodes again, because the status with the first answer
// may not have been written. If they no longer fit, the run releases them and asks like any
// other run.
func (l *Ledger) Ask(req Request, nodes []corev1.Node, now time.Time) placement.Answer {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.cluster(nodes)
	made, began := len(req.Made) > 0, now
	if h, has := l.holds[req.UID]; has {
		if h.Expects > 0 {
			made, began = true, h.Began
		}
		if answer := c.Find(req.Need, except(c, append(slices.Clone(h.Nodes), req.Made...))); answer.Reason == "" {
			l.grant(req, answer.Placement, now)
			return answer
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
		v = s.next(o)
		if o == w {
			break
		}
		if v.limited == "" && l.seen.compete(o, w) {
			front.count, front.last = front.count+1, o
		}
	}
	if v.granted {
		l.grant(req, v.placement, now)
		return placement.Answer{Placement: v.placement}
	}
	if grows := l.seen.size(w) == 0 || made && !req.Overdue; grows && v.limited == "" {
		if v.lacks = s.lacks(w); v.lacks == "" {
			return l.provision(req, began)
		}
	}
	return placement.Answer{Reason: v1alpha1.ReasonQueued, Message: s.describe(w, v, front)}
}

// provision nodes for a run: it holds those that exist.
func (l *Ledger) provision(req Request, began time.Time) placement.Answer {
	l.hold(Holding{
		UID: req.UID, Name: req.Name, Priority: req.Priority, Since: req.Since, Exclusive: req.Exclusive, Began: began,
		Nodes: slices.Compact(slices.Sorted(slices.Values(req.Made))), Expects: req.Need.Least(), Bytes: req.Bytes, Held: req.Held,
	})
	pods := req.Need.Pods()
	return placement.Answer{Reason: v1alpha1.ReasonProvisioningNodes, Message: fmt.Sprintf(
		"%d of %d placeholder pods have a node: the autoscaler of the cluster makes the others", len(req.Made), len(pods))}
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
