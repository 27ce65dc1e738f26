package queue

import (
	"hash/maphash"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/internal/experiment/placement"
)

// seen is the latest cluster. The nodes that offer a shape are computed once for all waiting
// runs, and again only when a node has changed.
type seen struct {
	cluster *placement.Cluster
	mark    uint64
	count   int
	// generation grows with every changed cluster. Waiters keep it instead of the cluster,
	// which has all the nodes in memory.
	generation int64
	// candidates by the key of a need.
	candidates map[string]placement.Set
	// sizes by the fit of a need, see size.
	sizes map[string]int
	// growth says by the fit of a need whether nodes can be made for it, see grows.
	growth map[string]bool
}

var seed = maphash.MakeSeed()

// cluster keeps the nodes until the next change. They must not be modified, which holds for
// objects of a cache.
func (l *Ledger) cluster(nodes []corev1.Node) *placement.Cluster {
	mark, certain := markOf(nodes)
	if l.seen.cluster == nil || !certain || mark != l.seen.mark || len(nodes) != l.seen.count {
		l.seen = seen{
			cluster: placement.NewCluster(nodes), mark: mark, count: len(nodes),
			generation: l.seen.generation + 1, candidates: map[string]placement.Set{}, sizes: map[string]int{}, growth: map[string]bool{},
		}
	}
	if h := growing(l); h != nil { // nodes may have come
		free := l.seen.cluster.Candidates(*h.Growing)
		free.Remove(heldBeside(l, h))
		h.Nodes = l.seen.cluster.NamesIn(free)
	}
	return l.seen.cluster
}

// growing is the run that nodes are made for; nil for none.
func growing(l *Ledger) *Holding {
	for _, h := range l.holds {
		if h.Growing != nil {
			return h
		}
	}
	return nil
}

// markOf is equal for the same versions of the same nodes in any order. It is not
// certain when a node has no version, as in tests.
func markOf(nodes []corev1.Node) (mark uint64, certain bool) {
	var h maphash.Hash
	h.SetSeed(seed)
	for i := range nodes {
		if nodes[i].ResourceVersion == "" {
			return 0, false
		}
		h.Reset()
		_, _ = h.WriteString(nodes[i].Name)
		_ = h.WriteByte(0)
		_, _ = h.WriteString(nodes[i].ResourceVersion)
		mark += h.Sum64()
	}
	return mark, true
}

// of a waiter: the nodes that it could use; read only.
func (s *seen) of(w *waiter) placement.Set {
	if w.generation != s.generation {
		set, known := s.candidates[w.key]
		if !known {
			set = s.cluster.Candidates(w.Need)
			s.candidates[w.key] = set
		}
		w.set, w.generation = set, s.generation
	}
	return w.set
}
