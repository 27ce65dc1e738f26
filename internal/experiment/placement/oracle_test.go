package placement

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// maxExact of the oracle is the number of targets and replicas up to which every way to share nodes is
// tried. It is the API's bound for targets.
const maxExact = 8

// oracle is the exact search for the best placement. Targets are split into groups that share a node, and every
// group gets a node of its own; what is left has to be enough for the clients. That
// is exact: the ways to split 8 targets are at most 4140, and for each one the
// assignment that leaves most room for clients can be computed (assign).
type oracle struct {
	c     *Cluster
	need  Need
	items []item
	// client pods that fit on each node when it is empty, and on all together; 0 on
	// nodes that are taken or do not offer the shape.
	slots []int64
	total int64
	taken Set
	// apart: clients stay away from the nodes of targets.
	apart bool
	// memo of candidates, by group.
	memo map[oracleGroup][]candidate
}

// item is one target or one replica; with OneAtATime, all targets of one shape, or all
// their replicas of one index.
type item struct {
	// key is equal for items that can change places.
	key     string
	targets []int // indices into need.Targets
	// replica is the index of the replicas, or primary.
	replica int
	offers  Set
	room    room
}

// excludes says whether two items must not share a node: a replica has one of its own,
// but for pods of targets that never run at the same time.
func (s *oracle) excludes(a, b item) bool {
	if a.replica == primary && b.replica == primary {
		return false
	}
	return !s.need.OneAtATime || slices.ContainsFunc(a.targets, func(t int) bool { return slices.Contains(b.targets, t) })
}

// oracleGroup of items on one node: bit i is oracle.items[i].
type oracleGroup uint64

// candidate is a node for a group. Its cost is the number of client pods that have
// no room any more, and then the place of the name in the order.
type candidate struct {
	node int
	cost int64
}

// costUnit is one client pod; smaller costs are the order of the names.
const costUnit = 1 << 32

// exactFit gives a run its nodes, none of them taken; false when there is no way. If
// there is a placement, one is found (up to 8 targets and replicas that are not
// OneAtATime; for more, only one in which each of them has a node of its own). In
// order, it prefers:
//
//  1. targets on nodes of their own, as many as possible (but see OneAtATime);
//  2. clients away from the targets, also when that is not required;
//  3. targets where they take least room away from clients;
//  4. clients on as few nodes as possible, then on nodes that no target could use;
//  5. the first names.
func exactFit(c *Cluster, need Need, taken Set) (v1alpha1.Placement, bool) {
	need.Clients = max(need.Clients, 1)
	s := &oracle{c: c, need: need, taken: taken, items: items(c, need), slots: make([]int64, len(c.nodes))}
	client := roomOf(need.Client)
	for _, i := range c.offering(need.Client).Members() {
		if !taken.Has(i) {
			s.slots[i] = slots(c.has[i], client)
			s.total += s.slots[i]
		}
	}
	if s.total < int64(need.Clients) {
		return v1alpha1.Placement{}, false
	}
	n, least := len(s.items), min(1, len(s.items))
	if n > maxExact {
		least = n
	}
	for k := n; k >= least; k-- {
		for _, apart := range []bool{true, false} {
			if !apart && need.Separate {
				continue
			}
			if apart != s.apart || s.memo == nil {
				s.apart, s.memo = apart, map[oracleGroup][]candidate{}
			}
			if groups, nodes := s.split(0, 0, k, nil); groups != nil {
				return s.place(groups, nodes), true
			}
		}
	}
	return v1alpha1.Placement{}, false
}

// items puts those that can change places next to each other. The replicas of one target
// can; a target that has some cannot with any other, unless they are one item.
func items(c *Cluster, need Need) []item {
	var out []item
	for i, t := range need.Targets {
		for replica := primary; replica < t.Replicas; replica++ {
			next := item{key: itemKey(need, t, replica), targets: []int{i}, replica: replica, offers: c.offering(t.Shape), room: roomOf(t.Shape)}
			same := func(o item) bool { return o.key == next.key }
			at := len(out)
			for at > 0 && !same(out[at-1]) && slices.ContainsFunc(out, same) {
				at--
			}
			if need.OneAtATime && at > 0 && same(out[at-1]) {
				out[at-1].targets = append(out[at-1].targets, i)
				continue
			}
			out = slices.Insert(out, at, next)
		}
	}
	return out
}

func itemKey(need Need, t Target, replica int) string {
	key := keyOf(t.Shape)
	switch {
	case need.OneAtATime:
		// Replicas of one target are several items here, and one item has several targets.
		return fmt.Sprint(key, "\n", replica)
	case replica != primary:
		return key + "\nreplica"
	}
	return key
}

// split puts the items from i on into k groups in all, joined to those there are or
// new, until the groups can be assigned; nil when there is no way. Items of one
// shape are interchangeable: the next one never joins a group before that of the
// last one, which leaves out what was tried already.
func (s *oracle) split(i, first, k int, groups []oracleGroup) ([]oracleGroup, []int) {
	if len(groups)+len(s.items)-i < k {
		return nil, nil
	}
	if i == len(s.items) {
		if nodes, ok := s.assign(groups); ok {
			return append([]oracleGroup{}, groups...), nodes // not nil, also without targets
		}
		return nil, nil
	}
	for g := first; g <= len(groups) && g < k; g++ {
		next := slices.Clone(groups)
		if g == len(groups) {
			next = append(next, 0)
		}
		next[g] |= 1 << i
		if s.conflicts(next[g]) || len(s.candidates(next[g])) == 0 {
			continue // no more than this fits on any node
		}
		from := 0
		if i+1 < len(s.items) && s.items[i+1].key == s.items[i].key {
			from = g
		}
		if found, nodes := s.split(i+1, from, k, next); found != nil {
			return found, nodes
		}
	}
	return nil, nil
}

// conflicts says whether the last item of a group excludes another one.
func (s *oracle) conflicts(g oracleGroup) bool {
	last := bits.Len64(uint64(g)) - 1
	for g &^= 1 << last; g != 0; g &= g - 1 {
		if s.excludes(s.items[bits.TrailingZeros64(uint64(g))], s.items[last]) {
			return true
		}
	}
	return false
}

// candidates of a group: its cheapest nodes, as many as there can be groups. More
// are never needed: one of these is always left over by the other groups.
func (s *oracle) candidates(g oracleGroup) []candidate {
	if known, ok := s.memo[g]; ok {
		return known
	}
	var out []candidate
	offers, needs := s.shared(g)
	spare := s.total - int64(s.need.Clients)
	client := roomOf(s.need.Client)
	for _, i := range offers.Members() {
		if s.taken.Has(i) || !needs.fits(s.c.has[i]) {
			continue
		}
		lost := s.slots[i]
		if !s.apart && lost > 0 {
			lost -= slots(s.c.has[i].minus(needs), client)
		}
		if lost > spare {
			continue // the clients would not have enough left, wherever the others are
		}
		next := candidate{i, lost*costUnit + int64(i)}
		if len(out) == len(s.items) {
			if out[len(out)-1].cost <= next.cost {
				continue
			}
			out = out[:len(out)-1]
		}
		at, _ := slices.BinarySearchFunc(out, next, func(a, b candidate) int { return int(min(max(a.cost-b.cost, -1), 1)) })
		out = slices.Insert(out, at, next)
	}
	s.memo[g] = out
	return out
}

// shared is what the items of a group have in common: the nodes that offer all
// their shapes, and the room that they need together.
func (s *oracle) shared(g oracleGroup) (Set, room) {
	var offers Set
	var needs room
	for ; g != 0; g &= g - 1 {
		it := s.items[bits.TrailingZeros64(uint64(g))]
		switch {
		case offers == nil:
			offers, needs = slices.Clone(it.offers), it.room
		case s.need.OneAtATime:
			offers.Keep(it.offers)
			needs = needs.or(it.room)
		default:
			offers.Keep(it.offers)
			needs = needs.plus(it.room)
		}
	}
	return offers, needs
}

// place fills in the placement: the groups on their nodes, the clients on the rest.
func (s *oracle) place(groups []oracleGroup, nodes []int) v1alpha1.Placement {
	left := slices.Clone(s.slots)
	on := make([][]int, len(s.need.Targets)) // the node of the primary, then those of the replicas
	for i, t := range s.need.Targets {
		on[i] = make([]int, 1+t.Replicas)
	}
	for i, g := range groups {
		_, needs := s.shared(g)
		node := nodes[i]
		if left[node] > 0 {
			left[node] = 0
			if !s.apart {
				left[node] = slots(s.c.has[node].minus(needs), roomOf(s.need.Client))
			}
		}
		for ; g != 0; g &= g - 1 {
			it := s.items[bits.TrailingZeros64(uint64(g))]
			for _, t := range it.targets {
				on[t][1+it.replica] = node
			}
		}
	}
	var p v1alpha1.Placement
	for i, t := range s.need.Targets {
		placed := v1alpha1.TargetPlacement{Name: t.Name, NodeName: s.c.names[on[i][0]]}
		for _, node := range on[i][1:] {
			placed.ReplicaNodeNames = append(placed.ReplicaNodeNames, s.c.names[node])
		}
		p.Targets = append(p.Targets, placed)
	}
	usable := s.c.Set()
	for _, it := range s.items {
		usable.AddAll(it.offers)
	}
	for _, i := range clientNodes(left, usable, int64(s.need.Clients)) {
		p.ClientNodeNames = append(p.ClientNodeNames, s.c.names[i])
	}
	return p
}
