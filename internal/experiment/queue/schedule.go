package queue

import (
	"slices"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment/placement"
)

// sight is the cluster as one kind of run sees it: exclusive runs want nodes that nobody
// holds, the others want nodes that no exclusive run holds. Slices are by the index of the
// node.
type sight struct {
	// held nodes, and when they come free at the latest.
	held  placement.Set
	until []time.Time
	// reserved nodes, until when, and for whom.
	reserved placement.Set
	whom     []*waiter
	by       []time.Time
	// shut are the nodes that nobody reserves: the reserved ones, and those whose holders are
	// not about to be done.
	shut placement.Set
}

// schedule is a walk through the queue in its order.
type schedule struct {
	l   *Ledger
	now time.Time
	use map[string]*use
	// rooms of the budgets of bytes.
	rooms rooms
	sees  [2]sight // see kindOf
	// tried are the needs that found no place: what is closed grows along the queue.
	tried map[attempt]bool
}

// attempt to find a place, as far as it decides the outcome.
type attempt struct {
	fit     string
	kind    int
	longest time.Duration
	// reserve: for a reservation, not for nodes that are free now.
	reserve bool
}

func kindOf(exclusive bool) int {
	if exclusive {
		return 0
	}
	return 1
}

// schedule begins at the front of the queue.
func (l *Ledger) schedule(now time.Time) *schedule {
	s := &schedule{l: l, now: now, use: usageOf(l), rooms: roomsOf(l), tried: map[attempt]bool{}}
	c := l.seen.cluster
	for k := range s.sees {
		n := len(c.Names())
		s.sees[k] = sight{
			held: c.Set(), reserved: c.Set(), shut: c.Set(),
			until: make([]time.Time, n), by: make([]time.Time, n), whom: make([]*waiter, n),
		}
	}
	for _, h := range l.holds {
		nodes := c.SetOf(h.Nodes)
		s.hold(nodes, h.Exclusive, h.Until)
		if h.Idle != "" {
			s.sees[0].shut.AddAll(nodes)
			if h.Exclusive {
				s.sees[1].shut.AddAll(nodes)
			}
		}
	}
	return s
}

// hold nodes until a time. One that is past or not known has no meaning but that the node
// should come free any moment.
func (s *schedule) hold(nodes placement.Set, exclusive bool, until time.Time) {
	if until.Before(s.now) {
		until = s.now
	}
	for k := range s.sees {
		if k == kindOf(false) && !exclusive {
			continue
		}
		see := &s.sees[k]
		see.held.AddAll(nodes)
		for _, n := range nodes.Members() {
			if see.until[n].Before(until) {
				see.until[n] = until
			}
		}
	}
}

// verdict on a run in the queue: its nodes, or why it has none.
type verdict struct {
	granted   bool
	placement v1alpha1.Placement
	// limited is why its namespace has no room for the run, lacks why there is none for its results.
	limited, lacks string
}

// next decides about the run that is next in the queue.
func (s *schedule) next(w *waiter) verdict {
	u := of(s.use, w.Name)
	room := 0 // nodes that the namespace may still hold, where there is a limit
	if w.Limits.Nodes > 0 {
		room = w.Limits.Nodes - u.nodes
	}
	charged, why := s.l.seen.charge(w, u)
	if why != "" {
		return verdict{limited: why}
	}
	if p, ok := s.place(w, room); ok {
		nodes := placement.Nodes(p)
		if why := s.lacks(w); why != "" {
			if s.keepRoom(w) {
				s.keep(w, s.l.seen.cluster.SetOf(nodes), s.roomBy(w))
			}
			return verdict{lacks: why}
		}
		s.takeRoom(w)
		if charged > 0 {
			u.nodes += len(nodes) - charged
		}
		s.hold(s.l.seen.cluster.SetOf(nodes), w.Exclusive, s.now.Add(w.Longest))
		return verdict{granted: true, placement: p}
	}
	s.reserve(w, room)
	return verdict{}
}

// place a run now.
func (s *schedule) place(w *waiter, room int) (v1alpha1.Placement, bool) {
	if s.l.seen.of(w).Within(s.sees[kindOf(w.Exclusive)].held) {
		return v1alpha1.Placement{}, false
	}
	return s.fit(w, s.closed(w), room, false)
}

// closed are the nodes that a run cannot have now: those that are held, and those that are
// reserved for a run in front, unless the run is surely done by then.
func (s *schedule) closed(w *waiter) placement.Set {
	see := &s.sees[kindOf(w.Exclusive)]
	out := slices.Clone(see.held)
	for _, n := range see.reserved.Members() {
		if w.Longest == 0 || s.now.Add(w.Longest).After(see.by[n]) {
			out.Add(n)
		}
	}
	return out
}

// fit a run on nodes that are not closed, within the room of its namespace; 0 for no limit.
func (s *schedule) fit(w *waiter, closed placement.Set, room int, reserve bool) (v1alpha1.Placement, bool) {
	a := attempt{w.fit, kindOf(w.Exclusive), w.Longest, reserve}
	if s.tried[a] || s.l.seen.of(w).Within(closed) {
		return v1alpha1.Placement{}, false
	}
	p, ok := s.l.seen.cluster.Fit(w.Need, closed)
	if !ok {
		s.tried[a] = true
	}
	return p, ok && (room == 0 || len(placement.Nodes(p)) <= room)
}

// reserve the nodes that come free soonest and can host a run together. What runs in front
// have reserved, and what idle runs hold, is out of the question.
func (s *schedule) reserve(w *waiter, room int) {
	c, see := s.l.seen.cluster, &s.sees[kindOf(w.Exclusive)]
	closed := see.shut
	best, ok := s.fit(w, closed, room, true)
	if !ok {
		if s.l.seen.grows(w) { // it needs all that it could use to be free
			nodes := slices.Clone(s.l.seen.of(w))
			nodes.Remove(closed)
			s.keep(w, nodes, s.now)
		}
		return
	}
	// The times at which nodes come free; the zero time is that of the free ones.
	var times []time.Time
	for _, n := range s.l.seen.of(w).Members() {
		if !closed.Has(n) {
			times = append(times, see.until[n])
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	times = slices.CompactFunc(times, time.Time.Equal)
	for low, high := 0, len(times)-1; low < high; {
		middle := (low + high) / 2
		later := slices.Clone(closed)
		for _, n := range s.l.seen.of(w).Members() {
			if see.until[n].After(times[middle]) {
				later.Add(n)
			}
		}
		if p, ok := c.Fit(w.Need, later); ok && (room == 0 || len(placement.Nodes(p)) <= room) {
			best, high = p, middle
		} else {
			low = middle + 1
		}
	}
	s.keep(w, c.SetOf(placement.Nodes(best)), s.now)
}

// keep nodes for a run until the last of them comes free, and not before a time.
func (s *schedule) keep(w *waiter, nodes placement.Set, by time.Time) {
	for _, n := range nodes.Members() {
		if t := s.sees[kindOf(w.Exclusive)].until[n]; t.After(by) {
			by = t
		}
	}
	for k := range s.sees {
		if k == kindOf(false) && !w.Exclusive {
			continue
		}
		see := &s.sees[k]
		for _, n := range nodes.Members() {
			if !see.reserved.Has(n) || by.Before(see.by[n]) {
				see.by[n] = by
			}
			if see.whom[n] == nil {
				see.whom[n] = w
			}
		}
		see.reserved.AddAll(nodes)
		see.shut.AddAll(nodes)
	}
}
