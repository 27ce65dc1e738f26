package placement

import (
	"cmp"
	"slices"
)

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
