package queue

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/internal/ground/budget"
)

// Kept are bytes of etcd that the results of a run hold.
type Kept struct {
	// UID of the run.
	UID types.UID
	// Name of the run for people: namespace/name.
	Name string
	// Bytes that were written.
	Bytes int64
}

// Keep records what a run holds that does not go on: one that has ended, was suspended, or has given
// its nodes back. It reserves nothing any more. Freed is true when it took more before: the caller
// calls Next.
func (l *Ledger) Keep(k Kept) (freed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := takes(l, k.UID)
	keepBytes(l, k)
	if h := l.holds[k.UID]; h != nil {
		h.Bytes = 0
	}
	return takes(l, k.UID) < before
}

func keepBytes(l *Ledger, k Kept) {
	if k.Bytes > 0 {
		l.kept[k.UID] = k
		return
	}
	delete(l.kept, k.UID)
}

// Drop forgets the results of all runs of a name but the one that exists; empty for none. Freed is
// true when they held any: the caller calls Next.
func (l *Ledger) Drop(name string, exists types.UID) (freed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for uid, k := range l.kept {
		if k.Name == name && uid != exists {
			delete(l.kept, uid)
			freed = true
		}
	}
	return freed
}

// Admit counts what is written when a run is accepted, if the budgets had room for all of its bytes
// once every other run has ended. It returns what the other runs hold: those of its namespace, and
// all of them.
func (l *Ledger) Admit(k Kept, bytes int64, limits Limits) (namespace, all int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for uid, o := range l.kept {
		if uid == k.UID {
			continue
		}
		all += o.Bytes
		if namespaceOf(o.Name) == namespaceOf(k.Name) {
			namespace += o.Bytes
		}
	}
	if namespace+bytes <= limits.Bytes && all+bytes <= limits.AllBytes {
		keepBytes(l, k)
	}
	return namespace, all
}

// takes is what a run counts with: what it may write while it holds nodes, and otherwise what it holds.
func takes(l *Ledger, uid types.UID) int64 {
	held := l.kept[uid].Bytes
	if h := l.holds[uid]; h != nil {
		return max(held, h.Bytes)
	}
	return held
}

// free is what a run gives back when it ends, at most.
func free(l *Ledger, uid types.UID) int64 { return takes(l, uid) - l.kept[uid].Bytes }

// room of a budget, in bytes.
type room struct {
	// taken by the runs that hold nodes, with what they may write, and by all others.
	taken int64
	// held is what stays when every run has ended, as far as it is written by now.
	held int64
	// first is the run in front that waits for room; nil for none. Kept is what is left of the
	// budget for nobody behind it: held, what it needs, and what those take that went ahead of it.
	first *waiter
	kept  int64
}

// rooms are the budgets as the holders leave them.
type rooms struct {
	all        room
	namespaces map[string]*room
}

func roomsOf(l *Ledger) rooms {
	out := rooms{namespaces: map[string]*room{}}
	for uid, k := range l.kept {
		for _, one := range out.of(k.Name) {
			one.held, one.taken = one.held+k.Bytes, one.taken+takes(l, uid)
		}
	}
	for uid, h := range l.holds {
		if _, counted := l.kept[uid]; counted {
			continue
		}
		for _, one := range out.of(h.Name) {
			one.taken += h.Bytes
		}
	}
	return out
}

// of a run with this name: that of its namespace, and that of all.
func (r *rooms) of(name string) [2]*room {
	namespace := namespaceOf(name)
	if r.namespaces[namespace] == nil {
		r.namespaces[namespace] = &room{}
	}
	return [2]*room{r.namespaces[namespace], &r.all}
}

// limits of the two, in the same order.
func (w *waiter) budgets() [2]int64 { return [2]int64{w.Limits.Bytes, w.Limits.AllBytes} }

// more is what the run needs beside what it holds.
func (w *waiter) more() int64 { return max(w.Bytes-w.Held, 0) }

// lacks says why the budgets have no room for a run that could have its nodes now; empty when they
// have. A run behind one that waits for room goes ahead of it only if both fit once those have ended
// that hold nodes now and did not go ahead of it, too.
func (s *schedule) lacks(w *waiter) string {
	limits := w.budgets()
	for i, r := range s.rooms.of(w.Name) {
		if limits[i] <= 0 {
			continue
		}
		what, field := "namespace "+namespaceOf(w.Name), "results.budget.namespace"
		if i > 0 {
			what, field = "all namespaces", "results.budget.cluster"
		}
		sum := fmt.Sprintf("%s for this run + %s reserved by runs that hold nodes + %s of other results in %s, %s is %s",
			budget.Text(w.more()), budget.Text(r.taken-r.held), budget.Text(r.held), what, field, budget.Text(limits[i]))
		switch {
		case r.held+w.more() > limits[i]:
			return "no room for its results: " + sum + ": delete ended runs, or " + w.makesRoom()
		case r.taken+w.more() > limits[i]:
			return "no room for its results yet: " + sum + ": it waits for " + s.takers(w.Name, i > 0)
		case r.first != nil && r.kept+w.more() > limits[i]:
			return "no room for its results yet: " + sum + ": the rest is kept for " + r.first.Name
		}
	}
	return ""
}

// makesRoom is what deletes ended runs of its kind by itself.
func (w *waiter) makesRoom() string {
	if w.Schedule == "" {
		return "let ttlSecondsAfterFinished delete them"
	}
	return "let successfulRunsHistoryLimit and failedRunsHistoryLimit of schedule " + w.Schedule + " delete them"
}

// takers are the first of the runs that give room back when they end.
func (s *schedule) takers(name string, all bool) string {
	u := use{}
	for _, h := range byName(s.l) {
		if free(s.l, h.UID) > 0 && (all || namespaceOf(h.Name) == namespaceOf(name)) {
			u.add(h.Name, 0)
		}
	}
	if u.runs == 0 {
		return "runs in front of it"
	}
	return u.names()
}

// byName are the holders in the order of their names.
func byName(l *Ledger) []*Holding {
	return slices.SortedFunc(maps.Values(l.holds), func(a, b *Holding) int { return strings.Compare(a.Name, b.Name) })
}

// takeRoom for a run that gets its nodes.
func (s *schedule) takeRoom(w *waiter) {
	for _, r := range s.rooms.of(w.Name) {
		r.taken += w.more()
		if r.first != nil {
			r.kept += w.more()
		}
	}
}

// keepRoom for a run that waits for nothing else. It is false, and keeps nothing, when only others
// than the holders can make the room: ended runs that have to be deleted, or runs in front.
func (s *schedule) keepRoom(w *waiter) bool {
	limits := w.budgets()
	after := [2]int64{}
	rooms := s.rooms.of(w.Name)
	for i, r := range rooms {
		after[i] = r.kept
		if r.first == nil {
			after[i] = r.held + s.ahead(w, i > 0)
		}
		after[i] += w.more()
		// Those that went ahead of the first one end as well.
		if limits[i] > 0 && (r.held+w.more() > limits[i] || r.first != nil && after[i] > limits[i]) {
			return false
		}
	}
	for i, r := range rooms {
		if r.kept = after[i]; r.first == nil {
			r.first = w
		}
	}
	return true
}

// ahead is what those runs give back at most that are behind a run and got their nodes while it waited.
func (s *schedule) ahead(w *waiter, all bool) (bytes int64) {
	at := placeOf(w.UID, w.Since, w.Priority)
	for uid, h := range s.l.holds {
		if h.Began.Before(w.Since) || !all && namespaceOf(h.Name) != namespaceOf(w.Name) {
			continue
		}
		if comparePlaces(placeOf(uid, h.Since, h.Priority), at) > 0 {
			bytes += free(s.l, uid)
		}
	}
	return bytes
}

// roomBy is when the holders have to be done that leave a run no room.
func (s *schedule) roomBy(w *waiter) time.Time {
	holders := byName(s.l)
	slices.SortStableFunc(holders, func(a, b *Holding) int { return a.Until.Compare(b.Until) })
	limits, by := w.budgets(), s.now
	for i, r := range s.rooms.of(w.Name) {
		taken := r.taken
		for _, h := range holders {
			if limits[i] <= 0 || taken+w.more() <= limits[i] {
				break
			}
			if i > 0 || namespaceOf(h.Name) == namespaceOf(w.Name) {
				taken -= free(s.l, h.UID)
				by = latest(by, h.Until)
			}
		}
	}
	return by
}
