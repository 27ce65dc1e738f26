package queue

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/internal/placement"
)

// Next lists the runs in the queue that would get nodes now if they asked one after
// the other in this order. It changes nothing. A run that asks before those in front
// of it may still be refused, so the caller asks Next again after every Ask that
// was granted, every Release, every Forget, and when the nodes have changed.
func (l *Ledger) Next(nodes []corev1.Node, now time.Time) []types.UID {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		return nil
	}
	c := l.cluster(nodes)
	var out []types.UID
	closed := l.taken(c, true)       // to runs that are exclusive
	closedToAll := l.taken(c, false) // to those that share as well
	queue := make([]*waiter, 0, len(l.waiting))
	for _, w := range l.waiting {
		// One whose nodes are closed to all gets none, and blocks none that is free.
		if !l.candidates(w).Within(closedToAll) {
			queue = append(queue, w)
		}
	}
	slices.SortFunc(queue, func(a, b *waiter) int { return compare(a.Request, b.Request, now) })
	for _, w := range queue {
		taken := closedToAll
		if w.Exclusive {
			taken = closed
		}
		gone := l.candidates(w)
		if !gone.Within(taken) { // else there is nothing to try
			if p, ok := c.Fit(w.Need, taken); ok {
				out = append(out, w.UID)
				gone = c.SetOf(placement.Nodes(p))
			}
		}
		closed.AddAll(gone)
		if w.Exclusive {
			closedToAll.AddAll(gone)
		}
	}
	return out
}
