package queue

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Next lists the runs in the queue that would get nodes now if they asked in this order, and the one that nodes would be made for. It
// changes nothing. The first one gets its nodes when it asks. The others may still be refused,
// because each that gets nodes changes the order of its namespace, so the caller calls Next again after every granted Ask, every Release, every Forget, every Hold and
// Idle that changed something, and every change of the nodes.
func (l *Ledger) Next(nodes []corev1.Node, now time.Time) []types.UID {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		return nil
	}
	l.cluster(nodes)
	var out []types.UID
	s := l.schedule(now)
	grown := growing(l) != nil
	for _, w := range l.queue() {
		if l.seen.bars(w) {
			continue
		}
		v := s.next(w)
		grows := !grown && !v.granted && v.limited == "" && l.seen.grows(w) && mayGrow(l, w)
		if grown = grown || grows; v.granted || grows {
			out = append(out, w.UID)
		}
	}
	return out
}
