package placement

import (
	"cmp"
	"math"
	"slices"
)

// assign gives every group a node of its own, so that most room is left to clients;
// false when the groups do not fit, or too little is left.
func (s *oracle) assign(groups []oracleGroup) ([]int, bool) {
	spare := s.total - int64(s.need.Clients)
	var bound int64
	for _, g := range groups {
		bound += s.candidates(g)[0].cost
	}
	if bound/costUnit > spare {
		return nil, false
	}
	var nodes []int
	for _, g := range groups {
		for _, c := range s.candidates(g) {
			nodes = append(nodes, c.node)
		}
	}
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	if len(nodes) < len(groups) {
		return nil, false
	}
	costs := make([][]int64, len(groups))
	for i, g := range groups {
		costs[i] = slices.Repeat([]int64{impossible}, len(nodes))
		for _, c := range s.candidates(g) {
			at, _ := slices.BinarySearch(nodes, c.node)
			costs[i][at] = c.cost
		}
	}
	columns := cheapest(costs)
	var cost int64
	for i, column := range columns {
		if costs[i][column] == impossible {
			return nil, false
		}
		cost += costs[i][column]
	}
	if cost/costUnit > spare {
		return nil, false
	}
	out := make([]int, len(columns))
	for i, column := range columns {
		out[i] = nodes[column]
	}
	return out, true
}

// cheapest gives every row a column of its own at the least cost in all: the
// Hungarian method with potentials, as in "Assignment problem" at cp-algorithms.com.
// There are at least as many columns as rows.
func cheapest(costs [][]int64) []int {
	if len(costs) == 0 {
		return nil
	}
	rows, columns := len(costs), len(costs[0])
	u, v := make([]int64, rows+1), make([]int64, columns+1) // potentials; 0 is a place outside
	row := make([]int, columns+1)                           // of each column
	before := make([]int, columns+1)
	for i := 1; i <= rows; i++ {
		row[0] = i
		column := 0
		least := slices.Repeat([]int64{math.MaxInt64}, columns+1)
		used := make([]bool, columns+1)
		for {
			used[column] = true
			at, next, delta := row[column], 0, int64(math.MaxInt64)
			for j := 1; j <= columns; j++ {
				if used[j] {
					continue
				}
				if reduced := costs[at-1][j-1] - u[at] - v[j]; reduced < least[j] {
					least[j], before[j] = reduced, column
				}
				if least[j] < delta {
					delta, next = least[j], j
				}
			}
			for j := range used {
				if used[j] {
					u[row[j]] += delta
					v[j] -= delta
				} else if j > 0 {
					least[j] -= delta
				}
			}
			if column = next; row[column] == 0 {
				break
			}
		}
		for column != 0 {
			row[column] = row[before[column]]
			column = before[column]
		}
	}
	out := make([]int, rows)
	for j := 1; j <= columns; j++ {
		if row[j] > 0 {
			out[row[j]-1] = j - 1
		}
	}
	return out
}

// clientNodes picks nodes for n clients: as few as possible, then as many as
// possible of those that no target could use, then the first. fit are the clients
// that fit on each node, enough for all together. The result is sorted.
func clientNodes(fit []int64, usable Set, n int64) []int {
	var all, spare, other []int // the largest first
	for i := range fit {
		if fit[i] > 0 {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(min(fit[b], n), min(fit[a], n)) })
	for _, i := range all {
		if usable.Has(i) {
			other = append(other, i)
		} else {
			spare = append(spare, i)
		}
	}
	sum := func(nodes []int) (pods int64) {
		for _, i := range nodes {
			pods += fit[i]
		}
		return pods
	}
	few := 1
	for few < len(all) && sum(all[:few]) < n {
		few++
	}
	for j := min(few, len(spare)); j >= 0; j-- {
		if few-j > len(other) || sum(spare[:j])+sum(other[:few-j]) < n {
			continue
		}
		out := slices.Concat(spare[:j], other[:few-j])
		slices.Sort(out)
		return out
	}
	return nil
}
