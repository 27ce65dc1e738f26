package placement

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

func TestAutomatic(t *testing.T) {
	large := func(name string, change ...func(*corev1.Node)) corev1.Node {
		return node(name, "x", append([]func(*corev1.Node){sized("8", "32Gi")}, change...)...)
	}
	windows := func(n *corev1.Node) { n.Labels[corev1.LabelOSStable] = "windows" }
	agent := small("", "250m", "512Mi")
	tests := map[string]struct {
		nodes            []corev1.Node
		targets, clients int
		target, client   string // cpu and memory
		why              string
		apart            bool
	}{
		"one node has a part for each pod": {
			nodes: []corev1.Node{large("a")}, targets: 1, clients: 1, target: "2 8Gi", client: "2150m 7680Mi", why: "60% of the smallest of 1 node that any pod may use, for 2 pods on each",
		},
		"two nodes": {
			nodes: []corev1.Node{large("a"), large("b")}, targets: 1, clients: 1, target: "4 8Gi", client: "3750m 7680Mi", why: "60% of the smallest of 2 nodes that any pod may use", apart: true,
		},
		"the smallest counts": {
			nodes: []corev1.Node{large("a"), node("b", "x", sized("2", "4Gi"))}, targets: 1, clients: 1, target: "1 2432Mi", client: "950m 1920Mi", why: "60% of the smallest of 2 nodes", apart: true,
		},
		"two targets, and a node for them":           {nodes: []corev1.Node{large("a"), large("b")}, targets: 2, clients: 1, target: "2 8Gi", client: "2150m 7680Mi", why: "for 2 pods on each", apart: true},
		"nodes of another system":                    {nodes: []corev1.Node{large("a", windows), large("b")}, targets: 1, clients: 1, target: "2 8Gi linux", client: "2150m 7680Mi linux", why: "1 node"},
		"nodes that are hardly any":                  {nodes: []corev1.Node{node("a", "x", sized("100m", "64Gi")), large("b")}, targets: 1, clients: 1, target: "2 8Gi", client: "2150m 7680Mi", why: "1 node"},
		"three nodes for them":                       {nodes: []corev1.Node{large("a"), large("b"), large("c")}, targets: 2, clients: 1, target: "4 8Gi", client: "3750m 7680Mi", why: "3 nodes", apart: true},
		"clients of a server elsewhere":              {nodes: []corev1.Node{large("a"), large("b")}, clients: 4, target: "2 8Gi", client: "2150m 7680Mi", why: "for 2 pods on each"},
		"nodes that not every pod may use":           {nodes: []corev1.Node{large("a"), large("b", taint(corev1.TaintEffectNoSchedule))}, targets: 1, clients: 1, target: "2 8Gi", client: "2150m 7680Mi", why: "1 node"},
		"a small node, which has no room in the end": {nodes: []corev1.Node{node("a", "x", sized("500m", "1Gi"))}, targets: 1, clients: 1, target: "150m 256Mi", client: "100m 256Mi", why: "1 node"},
		"two nodes, and clients that have no room on one": {
			nodes: []corev1.Node{node("a", "x", sized("1", "1400Mi")), node("b", "x", sized("1", "1400Mi"))}, targets: 1, clients: 2, target: "300m 384Mi", client: "100m 256Mi", why: "for 2 pods on each",
		},
		"none": {targets: 1, clients: 1, target: "500m 1Gi Provisioned", client: "500m 1Gi Provisioned", why: "nodes are asked for"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := Automatic(tt.nodes, tt.targets, tt.clients, agent)
			text := func(s v1alpha1.InstanceShapeSpec) string {
				return strings.TrimSpace(s.CPU.String() + " " + s.Memory.String() + " " + string(s.Nodes) + s.NodeSelector[corev1.LabelOSStable])
			}
			if text(got.Target) != tt.target || text(got.Client) != tt.client || !strings.Contains(got.Why, tt.why) || got.Apart != tt.apart {
				t.Errorf("target %s, client %s, apart %t (%s), want %s, %s, %t (%s)", text(got.Target), text(got.Client), got.Apart, got.Why, tt.target, tt.client, tt.apart, tt.why)
			}
		})
	}
}
