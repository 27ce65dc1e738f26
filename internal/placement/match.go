package placement

import (
	"cmp"
	"math"
	"slices"
)

// offer is a node that a group can have.
type offer struct {
	node int
	// lost is how many client pods find no room any more when the group has the node.
	lost int64
}

// allOffers are the nodes that a group can have.
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

// left is how many client pods still fit on a node beside targets that need this room.
func (s *search) left(node int, needs room) int64 {
	if s.need.Separate || s.slots[node] == 0 {
		return 0
	}
	return slots(s.c.has[node].minus(needs), s.client)
}

// offersFor a group are the offers that cost the clients least, as many as there are
// units. A matching needs no others: the other groups leave at least one of these.
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

// match gives each group a node of its own that is not used, and says how many client
// pods lose their room at least; false when there is no way, or when more lose their
// room than can be spared.
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

// impossible is the cost of a column that a row cannot have.
const impossible = math.MaxInt64 / 64

// matching gives every row a column of its own and says what that costs at least;
// false when there is no way. Each row extends the matching of those before it by the
// cheapest alternating path (Bellman and Ford).
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
