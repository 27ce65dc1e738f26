// Package placement says which nodes of a cluster offer a shape, and whether they
// suffice for a run. It is pure.
//
// It looks at what a node has, not at what is free on it: a node that is busy now
// may be free when the pod is to start. The scheduler has the last word.
package placement

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Need is what a run wants to place.
type Need struct {
	// Client is the shape of the client pods.
	Client v1alpha1.InstanceShapeSpec
	// Targets that Assay runs itself; empty when all are external.
	Targets []Target
	// Separate: client and targets must be on different nodes.
	Separate bool
}

// Target to place.
type Target struct {
	Name  string
	Shape v1alpha1.InstanceShapeSpec
}

// Answer says whether the cluster can do it.
type Answer struct {
	// Reason is empty when it can.
	Reason string
	// Message is for people.
	Message string
	// KeepFree is the node that targets must stay off, so that the client has one
	// of its own; empty when that is not needed.
	KeepFree string
}

// Offers says whether a node offers a shape: it is ready and schedulable, has the
// labels, its taints are tolerated, and one pod of the shape fits on it when
// nothing else runs there.
func Offers(node corev1.Node, shape v1alpha1.InstanceShapeSpec) bool {
	return ready(node) && !node.Spec.Unschedulable &&
		labels.SelectorFromSet(shape.NodeSelector).Matches(labels.Set(node.Labels)) &&
		tolerated(node.Spec.Taints, shape.Tolerations) &&
		node.Status.Allocatable.Cpu().Cmp(shape.CPU) >= 0 &&
		node.Status.Allocatable.Memory().Cmp(shape.Memory) >= 0
}

func ready(node corev1.Node) bool {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// tolerated follows the scheduler: a taint with effect NoSchedule or NoExecute
// must be matched by a toleration.
func tolerated(taints []corev1.Taint, tolerations []corev1.Toleration) bool {
	for _, taint := range taints {
		if taint.Effect == corev1.TaintEffectPreferNoSchedule {
			continue
		}
		if !slices.ContainsFunc(tolerations, func(t corev1.Toleration) bool { return matches(t, taint) }) {
			return false
		}
	}
	return true
}

func matches(t corev1.Toleration, taint corev1.Taint) bool {
	if t.Effect != "" && t.Effect != taint.Effect {
		return false
	}
	if t.Key != "" && t.Key != taint.Key {
		return false
	}
	if t.Operator == corev1.TolerationOpExists {
		return true
	}
	return t.Key != "" && t.Value == taint.Value
}

// Offering lists the names of the nodes that offer a shape, sorted.
func Offering(nodes []corev1.Node, shape v1alpha1.InstanceShapeSpec) []string {
	var out []string
	for _, n := range nodes {
		if Offers(n, shape) {
			out = append(out, n.Name)
		}
	}
	slices.Sort(out)
	return out
}

// Find says whether the nodes suffice, and which one is left to the client.
func Find(nodes []corev1.Node, need Need) Answer {
	clients := Offering(nodes, need.Client)
	if len(clients) == 0 {
		return none("the clients", need.Client)
	}
	targets := make([][]string, len(need.Targets))
	for i, t := range need.Targets {
		if targets[i] = Offering(nodes, t.Shape); len(targets[i]) == 0 {
			return none("target "+t.Name, t.Shape)
		}
	}
	if !need.Separate || len(targets) == 0 {
		return Answer{Message: fmt.Sprintf("%d nodes offer the clients' shape", len(clients))}
	}
	keep, ok := clientNode(clients, targets)
	if !ok {
		return Answer{Reason: v1alpha1.ReasonCannotSeparate, Message: fmt.Sprintf(
			"clients and targets must be on different nodes, but the clients' shape is offered by %v only, and some target has no other node: "+
				"add a node, change a shape's nodeSelector, or set spec.clients.placement.separateFromTargets: None", clients)}
	}
	return Answer{KeepFree: keep, Message: "node " + keep + " is left to the clients"}
}

// clientNode picks the node for the clients: one that no target could use, if
// there is one, or else the first without which every target still has a node.
func clientNode(clients []string, targets [][]string) (string, bool) {
	best := ""
	for _, c := range clients {
		used, possible := false, true
		for _, t := range targets {
			has := slices.Contains(t, c)
			used = used || has
			possible = possible && (!has || len(t) > 1)
		}
		if !used {
			return c, true
		}
		if possible && best == "" {
			best = c
		}
	}
	return best, best != ""
}

func none(who string, s v1alpha1.InstanceShapeSpec) Answer {
	return Answer{Reason: v1alpha1.ReasonNoNodeOffersShape, Message: fmt.Sprintf(
		"no ready node offers the shape of %s (cpu %s, memory %s, nodeSelector %v, %d tolerations): "+
			"add such a node, or correct the shape", who, s.CPU.String(), s.Memory.String(), s.NodeSelector, len(s.Tolerations))}
}
