package placement

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Nodes are all nodes of a placement, sorted and unique.
func Nodes(p v1alpha1.Placement) []string {
	nodes := slices.Concat(p.ClientNodeNames, p.ServiceNodeNames)
	for _, t := range p.Targets {
		nodes = append(append(nodes, t.NodeName), t.ReplicaNodeNames...)
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// Describe a placement in one line.
func Describe(p v1alpha1.Placement) string {
	words := []string{"clients on " + strings.Join(p.ClientNodeNames, ", ")}
	for _, t := range p.Targets {
		words = append(words, fmt.Sprintf("%s on %s", t.Name, t.NodeName))
		if len(t.ReplicaNodeNames) > 0 {
			words[len(words)-1] += " (further servers on " + strings.Join(t.ReplicaNodeNames, ", ") + ")"
		}
	}
	if len(p.ServiceNodeNames) > 0 {
		words = append(words, "pods behind Services on "+strings.Join(p.ServiceNodeNames, ", "))
	}
	return strings.Join(words, "; ")
}
