package placement

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// maxShared is the number of units up to which every way to share nodes is tried:
// 4140 for eight, which is the API's bound for targets. More units get a node each.
const maxShared = 8

// search for the nodes of one run.
type search struct {
	c     *Cluster
	need  Need
	taken Set
	units []unit
	// client is the room for one client pod.
	client room
	// slots are the client pods that fit on each node when it is empty; 0 on nodes that
	// are taken or do not offer the clients' shape.
	slots []int64
	// spare is the number of slots beyond the clients' need.
	spare int64
	// offers are the best nodes for each group, as offersFor found them.
	offers map[group][]offer
	// beside are the nodes of need.Beside.
	beside Set
}

// unit is one pod of a target: its primary or a further server. With OneAtATime, it is those
// pods of all targets of one shape.
type unit struct {
	targets []int // indices into need.Targets
	// replica is the index of the replica or of the further tenant's server, or primary.
	replica int
	// alone: it is a replica, which shares its node with no pod that runs at the same time.
	alone bool
	nodes Set // that offer the shape
	room  room
}

// primary is the unit.replica of a pod that is no replica.
const primary = -1

// group is the units that share a node: bit i stands for search.units[i].
type group uint64

func (g group) members() []int { return Set{uint64(g)}.Members() }

func newSearch(c *Cluster, need Need, taken Set) *search {
	need.Clients = max(need.Clients, 1)
	s := &search{c: c, need: need, taken: taken, units: unitsOf(need), client: roomOf(need.Client), offers: map[group][]offer{}}
	s.beside = c.SetOf(need.Beside)
	for i := range s.units {
		s.units[i].nodes = s.without(c.offering(s.units[i].shape(need)))
	}
	s.slots = make([]int64, len(c.nodes))
	for _, i := range s.without(c.offering(need.Client)).Members() {
		if !taken.Has(i) {
			s.slots[i] = slots(c.has[i], s.client)
			s.spare += s.slots[i]
		}
	}
	s.spare -= int64(need.Clients)
	return s
}

// without the nodes on which the run must not have pods. The set is not changed.
func (s *search) without(nodes Set) Set {
	if !s.need.Separate || s.beside.Len() == 0 {
		return nodes
	}
	out := slices.Clone(nodes)
	out.Remove(s.beside)
	return out
}

// slots is the number of pods that fit into a room, at most a million, so sums do not
// overflow.
func slots(has, pod room) int64 {
	return min(has.cpu/max(pod.cpu, 1), has.memory/max(pod.memory, 1), 1<<20)
}

// shape of its pods.
func (u unit) shape(need Need) v1alpha1.InstanceShapeSpec { return need.Targets[u.targets[0]].Shape }

func unitsOf(need Need) []unit {
	var out []unit
	known := map[string]int{}
	for i, t := range need.Targets {
		for replica := primary; replica < t.Replicas; replica++ {
			alone := replica != primary && !t.Tenants
			key := fmt.Sprint(replica, alone, keyOf(t.Shape))
			if at, ok := known[key]; ok && need.OneAtATime {
				out[at].targets = append(out[at].targets, i)
				continue
			}
			known[key] = len(out)
			out = append(out, unit{targets: []int{i}, replica: replica, alone: alone, room: roomOf(t.Shape)})
		}
	}
	return out
}

// excludes reports whether two units must not share a node: a replica shares its node with no
// pod that runs at the same time.
func (s *search) excludes(a, b unit) bool {
	if !a.alone && !b.alone {
		return false
	}
	return !s.need.OneAtATime || slices.ContainsFunc(a.targets, func(t int) bool { return slices.Contains(b.targets, t) })
}

// share splits the units into as many groups as possible that can each have a node; false when
// that is impossible, or when a node of a server that others run is taken.
func (s *search) share() ([]group, bool) {
	if s.taken.Overlaps(s.beside) {
		return nil, false
	}
	most := len(s.units)
	least := min(1, most)
	if most > maxShared {
		least = most
	}
	for count := most; count >= least; count-- {
		if groups, ok := s.split(0, count, nil); ok {
			return groups, true
		}
	}
	return nil, false
}

// split adds the units from the i-th on to the groups, so that there are count groups
// that can have a node each.
func (s *search) split(i, count int, groups []group) ([]group, bool) {
	if len(groups)+len(s.units)-i < count {
		return nil, false
	}
	if i == len(s.units) {
		lost, ok := s.match(groups, nil)
		return groups, ok && lost <= s.spare
	}
	for at := range min(len(groups)+1, count) {
		next := append(slices.Clone(groups), 0)[:max(len(groups), at+1)]
		next[at] |= 1 << i
		if len(s.offersFor(next[at])) == 0 {
			continue
		}
		if found, ok := s.split(i+1, count, next); ok {
			return found, true
		}
	}
	return nil, false
}

// allowed reports whether the units of a group may share a node.
func (s *search) allowed(g group) bool {
	last := bits.Len64(uint64(g)) - 1
	return !slices.ContainsFunc((g &^ (1 << last)).members(), func(i int) bool { return s.excludes(s.units[i], s.units[last]) })
}

// common is what the units of a group need: a node that offers all their shapes, and the room
// that they use at the same time.
func (s *search) common(g group) (Set, room) {
	var nodes Set
	var all, most room
	of := map[int]room{} // each target
	for _, i := range g.members() {
		u := s.units[i]
		if nodes == nil {
			nodes = slices.Clone(u.nodes)
		} else {
			nodes.Keep(u.nodes)
		}
		all = all.plus(u.room)
		for _, t := range u.targets {
			of[t] = of[t].plus(u.room)
			most = most.or(of[t])
		}
	}
	if s.need.OneAtATime {
		return nodes, most
	}
	return nodes, all
}
