package placement

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// Each case has two nodes, the better one second: the one with the first name loses, so
// a preference decides.
func TestPreferencesOfTargets(t *testing.T) {
	inZone := func(zone string) *corev1.Node {
		n := node("n", "x", zoned(zone))
		return &n
	}
	a, b := inZone("a"), inZone("b")
	inA, inABB := []targetNode{{node: a}}, []targetNode{{node: a}, {node: b}, {node: b}}
	tests := map[string][]targetNode{
		"the node that fewer clients fit on":                {{index: 0, node: a, slots: 2}, {index: 1, node: a, slots: 1}},
		"the node in a zone without a target":               {{index: 0, node: a, placed: inA}, {index: 1, node: b, placed: inA}},
		"the node in the zone with the fewest targets":      {{index: 0, node: b, placed: inABB}, {index: 1, node: a, placed: inABB}},
		"the node that fewer clients fit on, not its zone":  {{index: 0, node: b, slots: 2, placed: inA}, {index: 1, node: a, slots: 1, placed: inA}},
		"a labelled node, when one without a label is used": {{index: 0, node: inZone(""), placed: []targetNode{{node: inZone("")}}}, {index: 1, node: a, placed: []targetNode{{node: inZone("")}}}},
	}
	for name, nodes := range tests {
		t.Run(name, func(t *testing.T) { wantSecond(t, nodes, targetPreferences) })
	}
}

func TestPreferencesOfClients(t *testing.T) {
	tests := map[string][]clientNode{
		"the node that more clients fit on":                      {{index: 0, pods: 1}, {index: 1, pods: 2}},
		"the node that no target could use":                      {{index: 0, pods: 1, forTargets: true}, {index: 1, pods: 1}},
		"a larger node rather than one that no target could use": {{index: 0, pods: 1}, {index: 1, pods: 2, forTargets: true}},
	}
	for name, nodes := range tests {
		t.Run(name, func(t *testing.T) { wantSecond(t, nodes, clientPreferences) })
	}
}

func TestTheFirstNameDecidesBetweenEqualNodes(t *testing.T) {
	n := node("n", "x")
	wantSecond(t, []targetNode{{index: 1, node: &n}, {index: 0, node: &n}}, targetPreferences)
	wantSecond(t, []clientNode{{index: 1}, {index: 0}}, clientPreferences)
}

func wantSecond[Node any](t *testing.T, nodes []Node, preferences []preference[Node]) {
	t.Helper()
	if got := first(nodes, preferences); got != 1 {
		t.Errorf("first of %+v = %d, want 1", nodes, got)
	}
	nodes[0], nodes[1] = nodes[1], nodes[0]
	if got := first(nodes, preferences); got != 0 {
		t.Errorf("first of %+v = %d, want 0", nodes, got)
	}
}

func zoned(zone string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		if zone != "" {
			n.Labels[corev1.LabelTopologyZone] = zone
		}
	}
}
