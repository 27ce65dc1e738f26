package placement

import (
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// place assigns a node to each group in turn, and then nodes to the clients. All groups can be
// placed.
func (s *search) place(groups []group) v1alpha1.Placement {
	var chosen []targetNode
	for i := range groups {
		chosen = append(chosen, s.choose(groups[i], groups[i+1:], chosen))
	}
	on := make([][]int, len(s.need.Targets))
	for i, t := range s.need.Targets {
		on[i] = make([]int, 1+t.Replicas)
	}
	for i, g := range groups {
		for _, u := range g.members() {
			for _, t := range s.units[u].targets {
				on[t][1+s.units[u].replica] = chosen[i].index
			}
		}
	}
	var p v1alpha1.Placement
	for i, t := range s.need.Targets {
		names := s.c.namesOf(on[i])
		placed := v1alpha1.TargetPlacement{Name: t.Name, NodeName: names[0]}
		if len(names) > 1 {
			placed.ReplicaNodeNames = names[1:]
		}
		p.Targets = append(p.Targets, placed)
	}
	clients := s.chooseClients(chosen)
	p.ClientNodeNames = s.c.namesOf(clients)
	if s.beside.Len() > 0 {
		p.ServiceNodeNames = s.c.NamesIn(s.beside)
	}
	for i := range p.Targets {
		p.Targets[i].SharedMachines = s.c.sharedMachines(on[i], clients)
	}
	return p
}

// choose the node of a group: the node that the preferences rank first among those that leave
// a node to each other group and enough room to the clients.
func (s *search) choose(g group, rest []group, chosen []targetNode) targetNode {
	spare := s.spare
	used := make([]int, 0, len(chosen)+1)
	for _, n := range chosen {
		spare -= n.lost
		used = append(used, n.index)
	}
	offers := s.allOffers(g)
	nodes := make([]targetNode, 0, len(offers))
	for _, o := range offers {
		if o.lost <= spare && !slices.Contains(used, o.node) {
			nodes = append(nodes, targetNode{index: o.node, node: s.c.nodes[o.node], placed: chosen, slots: s.slots[o.node], lost: o.lost})
		}
	}
	for { // ends: s.share matched these groups
		at := first(nodes, targetPreferences)
		best := nodes[at]
		if lost, ok := s.match(rest, append(used, best.index)); ok && best.lost+lost <= spare {
			return best
		}
		nodes = slices.Delete(nodes, at, at+1)
	}
}

// chooseClients picks nodes for the clients, sorted: repeatedly the node that the preferences
// rank first, away from the targets if all clients fit there. There is enough room.
func (s *search) chooseClients(targets []targetNode) []int {
	away, beside := slices.Clone(s.slots), slices.Clone(s.slots) // client pods that fit on each node
	for _, n := range targets {
		away[n.index] = 0
		beside[n.index] -= n.lost
	}
	left := away
	if sum(away) < int64(s.need.Clients) {
		left = beside
	}
	usable := s.c.Set()
	for _, u := range s.units {
		usable.AddAll(u.nodes)
	}
	var nodes []clientNode
	for i, pods := range left {
		if pods > 0 {
			nodes = append(nodes, clientNode{index: i, pods: pods, forTargets: usable.Has(i)})
		}
	}
	var out []int
	for missing := int64(s.need.Clients); missing > 0; {
		for i := range nodes {
			nodes[i].pods = min(nodes[i].pods, missing)
		}
		at := first(nodes, clientPreferences)
		out = append(out, nodes[at].index)
		missing -= nodes[at].pods
		nodes = slices.Delete(nodes, at, at+1)
	}
	slices.Sort(out)
	return out
}

func sum(numbers []int64) (total int64) {
	for _, n := range numbers {
		total += n
	}
	return total
}
