package queue

import (
	"fmt"
	"strings"

	"github.com/assay-bench/assay/internal/experiment/placement"
)

// use is what the runs of a namespace hold, and what those that wait in front ask for.
type use struct {
	nodes, runs int
	// by are the names of the first of these runs.
	by []string
}

func (u *use) add(name string, nodes int) {
	u.nodes, u.runs = u.nodes+nodes, u.runs+1
	if len(u.by) < maxListed {
		u.by = append(u.by, name)
	}
}

// usageOf each namespace by the runs that hold nodes.
func usageOf(l *Ledger) map[string]*use {
	out := map[string]*use{}
	for _, h := range byName(l) {
		nodes := len(h.Nodes)
		if h.Growing != nil {
			nodes = h.Growing.Least()
		}
		of(out, h.Name).add(h.Name, nodes)
	}
	return out
}

// of the namespace of a run; it is made where there is none.
func of(usage map[string]*use, name string) *use {
	namespace := namespaceOf(name)
	if usage[namespace] == nil {
		usage[namespace] = &use{}
	}
	return usage[namespace]
}

// size is the number of nodes of a run that has the cluster for itself; 0 for one that
// does not fit.
func (s *seen) size(w *waiter) int {
	size, known := s.sizes[w.fit]
	if !known {
		if p, ok := s.cluster.Fit(w.Need, nil); ok {
			size = len(placement.Nodes(p))
		}
		s.sizes[w.fit] = size
	}
	return size
}

// grows says whether nodes have to be made for a run, and can be.
func (s *seen) grows(w *waiter) bool {
	if w.Overdue || w.Need.Patience() == 0 || s.size(w) > 0 {
		return false
	}
	can, known := s.growth[w.fit]
	if !known {
		can = s.cluster.CanGrow(w.Need)
		s.growth[w.fit] = can
	}
	return can
}

// bars says whether a run needs nodes made, and cannot ask for them.
func (s *seen) bars(w *waiter) bool { return w.Barred && s.grows(w) }

// needs is the number of nodes of a run: its size, or what is made for it at least; 0 for one that can have none.
func (s *seen) needs(w *waiter) int {
	if s.grows(w) {
		return w.Need.Least()
	}
	return s.size(w)
}

// charge a run to its namespace, with the nodes that it needs if they are limited. It returns
// why the namespace has no room for it, in words, or nothing. A run without room is charged as
// well: those behind it in its namespace must not take what it waits for.
func (s *seen) charge(w *waiter, u *use) (nodes int, why string) {
	if w.Limits.Nodes > 0 {
		nodes = s.needs(w)
	}
	switch {
	case w.Limits.Runs > 0 && u.runs+1 > w.Limits.Runs:
		why = fmt.Sprintf("namespace %s may have nodes for %d of its runs at a time (limit runs of queue.bounds or queue.rules): it waits for %s",
			namespaceOf(w.Name), w.Limits.Runs, u.names())
	case w.Limits.Nodes > 0 && u.nodes+nodes > w.Limits.Nodes:
		why = fmt.Sprintf("namespace %s may hold %d nodes at a time (limit nodes of queue.bounds or queue.rules), and this run needs %d: it waits for %s",
			namespaceOf(w.Name), w.Limits.Nodes, nodes, u.names())
	}
	u.add(w.Name, nodes)
	return nodes, why
}

// names of the first of these runs.
func (u *use) names() string {
	names := strings.Join(u.by, ", ")
	if more := u.runs - len(u.by); more > 0 {
		return fmt.Sprintf("%s and %d more", names, more)
	}
	return names
}
