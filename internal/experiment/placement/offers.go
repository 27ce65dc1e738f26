package placement

import (
	"slices"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Offering lists the names of the nodes that offer a shape, sorted. Such a node is ready and
// schedulable, has the labels, has no untolerated taint, and has room for one pod of the shape
// when it is empty.
func Offering(nodes []corev1.Node, shape v1alpha1.InstanceShapeSpec) []string {
	var out []string
	for i := range nodes {
		if lacks(&nodes[i], &shape) == "" {
			out = append(out, nodes[i].Name)
		}
	}
	slices.Sort(out)
	return out
}

// What a node can lack, in words of the message. allLacks has them in the order in which lacks
// checks them.
const (
	lackLabels = "not the labels of the nodeSelector"
	lackOpen   = "cordoned"
	lackReady  = "not ready"
	lackTaint  = "a taint that is not tolerated"
	lackCPU    = "too little cpu"
	lackMemory = "too little memory"
	lackPages  = "too few huge pages"
)

var allLacks = []string{lackLabels, lackOpen, lackReady, lackTaint, lackCPU, lackMemory, lackPages}

// lacks returns why a node does not offer a shape; empty when it does.
func lacks(node *corev1.Node, shape *v1alpha1.InstanceShapeSpec) string {
	switch {
	case !contract.HasLabels(node.Labels, shape.NodeSelector):
		return lackLabels
	case node.Spec.Unschedulable:
		return lackOpen
	case !Ready(node):
		return lackReady
	case !tolerated(node.Spec.Taints, shape.Tolerations):
		return lackTaint
	case node.Status.Allocatable.Cpu().Cmp(shape.CPU) < 0:
		return lackCPU
	case node.Status.Allocatable.Memory().Cmp(shape.Memory) < 0:
		return lackMemory
	case shape.HugePages != nil && !roomOf(*shape).fits(roomIn(node.Status.Allocatable)):
		return lackPages
	}
	return ""
}

// Ready says whether a node is ready.
func Ready(node *corev1.Node) bool {
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == corev1.NodeReady {
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
		if !slices.ContainsFunc(tolerations, func(t corev1.Toleration) bool {
			// The API server refuses pods with a toleration that has neither a key nor this operator.
			return (t.Key != "" || t.Operator == corev1.TolerationOpExists) && t.ToleratesTaint(logr.Discard(), &taint, false)
		}) {
			return false
		}
	}
	return true
}
