package placement

import (
	"cmp"
	"math"
	"slices"
)

// offer is a possible node of a group.
type offer struct {
	node int
	// lost is the number of client pods that no longer fit when the group uses the node.
	lost int64
}

// allOffers are the possible nodes of a group.
func (s *search) allOffers(g group) []offer {
	if !s.allowed(g) {
		return nil
	}
	nodes, needs := s.common(g)
	out := make([]offer, 0, nodes.Len())
	for _, i := range nodes.Members() {
		if s.taken.Has(i) || !needs.fits(s.c.has[i]) {
			continue
		}
		lost := s.slots[i] - s.left(i, needs)
		if lost <= s.spare {
			out = append(out, offer{i, lost})
		}
	}
	return out
}

// left is the number of client pods that fit on a node beside targets that need this room.
func (s *search) left(node int, needs room) int64 {
	if s.need.Separate || s.slots[node] == 0 {
		return 0
	}
	return slots(s.c.has[node].minus(needs), s.client)
}

// offersFor a group are the offers with the smallest loss for clients, as many as there are
// units. A matching needs no others, because the other groups leave at least one of them.
func (s *search) offersFor(g group) []offer {
	out, known := s.offers[g]
	if !known {
		out = s.allOffers(g)
		slices.SortStableFunc(out, func(a, b offer) int { return cmp.Compare(a.lost, b.lost) })
		out = out[:min(len(out), len(s.units))]
		s.offers[g] = out
	}
	return out
}

// match assigns each group its own unused node, and returns the smallest number of client pods
// that no longer fit. ok is false when there is no assignment, or when too many client pods no
// longer fit.
func (s *search) match(groups []group, used []int) (int64, bool) {
	var bound int64 // if each had the best of its offers
	for _, g := range groups {
		bound += s.offersFor(g)[0].lost
	}
	if bound > s.spare {
		return 0, false
	}
	nodes := make([]int, 0, len(groups)*len(s.units))
	for _, g := range groups {
		for _, o := range s.offersFor(g) {
			nodes = append(nodes, o.node)
		}
	}
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	costs := make([][]int64, len(groups))
	for i, g := range groups {
		costs[i] = slices.Repeat([]int64{impossible}, len(nodes))
		for _, o := range s.offersFor(g) {
			if !slices.Contains(used, o.node) {
				at, _ := slices.BinarySearch(nodes, o.node)
				costs[i][at] = o.lost
			}
		}
	}
	return matching(costs, len(nodes))
}

// impossible is the cost of a column that a row cannot use.
const impossible = math.MaxInt64 / 64

// matching assigns every row its own column at the smallest total cost; ok is false when that
// is impossible. Each row extends the matching of the previous rows by the cheapest
// alternating path (Bellman and Ford).
func matching(costs [][]int64, columns int) (total int64, ok bool) {
	row := slices.Repeat([]int{-1}, columns) // that has the column
	for r := range costs {
		// The cheapest path from r to each column, and the column before it.
		length, before := slices.Clone(costs[r]), slices.Repeat([]int{-1}, columns)
		for changed := true; changed; {
			changed = false
			for v, owner := range row {
				if owner < 0 || length[v] >= impossible {
					continue
				}
				for w, cost := range costs[owner] {
					if next := length[v] - costs[owner][v] + cost; cost < impossible && next < length[w] {
						length[w], before[w], changed = next, v, true
					}
				}
			}
		}
		end := -1
		for v := range row {
			if row[v] < 0 && length[v] < impossible && (end < 0 || length[v] < length[end]) {
				end = v
			}
		}
		if end < 0 {
			return 0, false
		}
		total += length[end]
		for ; before[end] >= 0; end = before[end] {
			row[end] = row[before[end]]
		}
		row[end] = r
	}
	return total, true
}
