package placement

import "math/bits"

// Set of nodes of one cluster, by their indices in Cluster.Names. nil is empty.
type Set []uint64

// Add one node.
func (s Set) Add(i int) { s[i/64] |= 1 << (i % 64) }

// Has reports whether a node is in the set.
func (s Set) Has(i int) bool { return i/64 < len(s) && s[i/64]&(1<<(i%64)) != 0 }

// AddAll nodes of another set of the same cluster.
func (s Set) AddAll(o Set) {
	for i := range o {
		s[i] |= o[i]
	}
}

// Keep only the nodes that are in the other set too.
func (s Set) Keep(o Set) {
	for i := range s {
		if i < len(o) {
			s[i] &= o[i]
		} else {
			s[i] = 0
		}
	}
}

// Remove the nodes of another set of the same cluster.
func (s Set) Remove(o Set) {
	for i := range min(len(s), len(o)) {
		s[i] &^= o[i]
	}
}

// Within reports whether every node of the set is in the other set.
func (s Set) Within(o Set) bool {
	for i := range s {
		if i >= len(o) && s[i] != 0 || i < len(o) && s[i]&^o[i] != 0 {
			return false
		}
	}
	return true
}

// Overlaps reports whether the sets have a node in common.
func (s Set) Overlaps(o Set) bool {
	for i := range min(len(s), len(o)) {
		if s[i]&o[i] != 0 {
			return true
		}
	}
	return false
}

// Len is the number of nodes.
func (s Set) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// Members are the indices of the nodes, in order.
func (s Set) Members() []int {
	out := make([]int, 0, s.Len())
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			out = append(out, i*64+bits.TrailingZeros64(w))
		}
	}
	return out
}
