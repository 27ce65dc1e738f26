package placement

import (
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// place gives each group its node, one after the other, and then the clients theirs.
// The groups can all be placed.
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
				on[t][1+s.units[u].replica] = chosen[i].node
			}
		}
	}
	var p v1alpha1.Placement
	for i, t := range s.need.Targets {
		names := s.c.namesOf(on[i])
		placed := v1alpha1.TargetPlacement{Name: t.Name, Node: names[0]}
		if len(names) > 1 {
			placed.Replicas = names[1:]
		}
		p.Targets = append(p.Targets, placed)
	}
	p.Clients = s.c.namesOf(s.chooseClients(chosen))
	return p
}

// choose the node for a group that the preferences put first among those that leave a
// node to each of the rest and enough room to the clients.
func (s *search) choose(g group, rest []group, chosen []targetNode) targetNode {
	spare := s.spare
	used := make([]int, 0, len(chosen)+1)
	for _, n := range chosen {
		spare -= n.lost
		used = append(used, n.node)
	}
	var nodes []targetNode
	for _, o := range s.allOffers(g) {
		if o.lost <= spare && !slices.Contains(used, o.node) {
			nodes = append(nodes, targetNode{node: o.node, slots: s.slots[o.node], lost: o.lost})
		}
	}
	ranked(nodes, targetPreferences)
	at := slices.IndexFunc(nodes, func(n targetNode) bool {
		lost, ok := s.match(rest, append(used, n.node))
		return ok && n.lost+lost <= spare
	})
	return nodes[at] // there is one: s.share matched these groups
}

// chooseClients picks nodes for the clients beside the targets: again and again the node
// that the preferences put first, until all have room. There is enough. Sorted.
func (s *search) chooseClients(targets []targetNode) []int {
	left := slices.Clone(s.slots) // client pods that fit on each node
	occupied, usable := s.c.Set(), s.c.Set()
	for _, n := range targets {
		left[n.node] -= n.lost
		occupied.Add(n.node)
	}
	for _, u := range s.units {
		usable.AddAll(u.nodes)
	}
	var out []int
	for missing := int64(s.need.Clients); missing > 0; {
		best := clientNode{}
		for i, fit := range left {
			next := clientNode{node: i, pods: min(fit, missing), hasTarget: occupied.Has(i), forTargets: usable.Has(i)}
			if next.pods > 0 && (best.pods == 0 || compare(clientPreferences, next, best) < 0) {
				best = next
			}
		}
		out = append(out, best.node)
		missing -= best.pods
		left[best.node] = 0
	}
	slices.Sort(out)
	return out
}
