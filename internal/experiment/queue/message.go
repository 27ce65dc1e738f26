package queue

import (
	"fmt"
	"strings"
	"time"
)

// maxListed names in a message.
const maxListed = 3

// inFront of a waiter are the waiters before it that compete for its nodes.
type inFront struct {
	count int
	last  *waiter // the one that is directly in front; nil for none
	// grows is the run that nodes are made for, or are to be made for; empty for none.
	grows string
}

// describe what a run waits for, such as "queued: position 3, after ns/b; node n1 is held by
// ns/a; node n2 is reserved for ns/b". The position counts only runs that compete for the same
// nodes, and whose namespaces have room for them.
func (s *schedule) describe(w *waiter, v verdict, front inFront) string {
	if v.limited != "" {
		return "queued: " + v.limited
	}
	if v.lacks != "" {
		return "queued: " + v.lacks
	}
	if front.grows != "" && s.l.seen.size(w) == 0 {
		return "queued: nodes are made for one run at a time, and now for " + front.grows
	}
	var b strings.Builder
	fmt.Fprintf(&b, "queued: position %d", front.count+1)
	if front.last != nil {
		fmt.Fprintf(&b, ", after %s", front.last.Name)
	}
	see := &s.sees[kindOf(w.Exclusive)]
	names := s.l.seen.cluster.Names()
	var held, reserved []string
	for _, n := range s.l.seen.of(w).Members() {
		holders := holdersOf(s.l, names[n])
		switch {
		case see.held.Has(n) && len(holders) > 0:
			held = append(held, fmt.Sprintf("node %s is held by %s", names[n], nameAll(holders)))
		case see.reserved.Has(n) && see.whom[n] != w:
			reserved = append(reserved, fmt.Sprintf("node %s is reserved for %s", names[n], see.whom[n].Name))
		}
	}
	list(&b, held, "held")
	list(&b, reserved, "reserved")
	return b.String()
}

// nameAll holders, with what keeps those that are idle.
func nameAll(holders []*Holding) string {
	names := make([]string, len(holders))
	for i, h := range holders {
		if names[i] = h.Name; h.Idle != "" {
			names[i] += " (" + h.Idle
			if !h.Until.IsZero() {
				names[i] += " until " + h.Until.UTC().Format(time.RFC3339)
			}
			names[i] += ")"
		}
	}
	return strings.Join(names, ", ")
}

// list the first few of some nodes.
func list(b *strings.Builder, nodes []string, are string) {
	for i, node := range nodes {
		if i == maxListed {
			fmt.Fprintf(b, "; %d more nodes are %s", len(nodes)-maxListed, are)
			return
		}
		b.WriteString("; " + node)
	}
}
