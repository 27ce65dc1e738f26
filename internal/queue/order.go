package queue

import (
	"cmp"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/placement"
)

// waiter is a request in the queue.
type waiter struct {
	Request
	key string // of the need
	// set of candidates in the cluster of this generation; 0 for none yet.
	set        placement.Set
	generation int64
}

func newWaiter(r Request) *waiter { return &waiter{Request: r, key: r.Need.Key()} }

// rank is the priority plus one for each full hour of waiting. A clock that was set back does
// not lower it.
func rank(r Request, now time.Time) int64 {
	return int64(r.Priority) + int64(max(now.Sub(r.Since), 0)/time.Hour)
}

// compare is negative when a is before b: by rank, then age, then UID.
func compare(a, b Request, now time.Time) int {
	return cmp.Or(
		cmp.Compare(rank(b, now), rank(a, now)),
		a.Since.Compare(b.Since),
		strings.Compare(string(a.UID), string(b.UID)),
	)
}

// inFront of a waiter are the competing waiters before it.
type inFront struct {
	count   int
	last    *waiter // the one that is directly in front; nil for none
	blocked placement.Set
}

func (l *Ledger) inFront(w *waiter, now time.Time) inFront {
	out := inFront{blocked: l.seen.cluster.Set()}
	mine := l.candidates(w)
	for _, o := range l.waiting {
		if o == w || !o.Exclusive && !w.Exclusive || compare(o.Request, w.Request, now) > 0 {
			continue
		}
		theirs := l.candidates(o)
		if !theirs.Overlaps(mine) {
			continue
		}
		out.count++
		out.blocked.AddAll(theirs)
		if out.last == nil || compare(out.last.Request, o.Request, now) < 0 {
			out.last = o
		}
	}
	return out
}
