package placement

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Nodes are all nodes of a placement, sorted, each once.
func Nodes(p v1alpha1.Placement) []string {
	nodes := slices.Clone(p.Clients)
	for _, t := range p.Targets {
		nodes = append(append(nodes, t.Node), t.Replicas...)
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// Describe a placement in one line.
func Describe(p v1alpha1.Placement) string {
	words := []string{"clients on " + strings.Join(p.Clients, ", ")}
	for _, t := range p.Targets {
		words = append(words, fmt.Sprintf("%s on %s", t.Name, t.Node))
		if len(t.Replicas) > 0 {
			words[len(words)-1] += " (replicas on " + strings.Join(t.Replicas, ", ") + ")"
		}
	}
	return strings.Join(words, "; ")
}
