package placement

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

func shape(kind string, tolerations ...corev1.Toleration) v1alpha1.InstanceShapeSpec {
	s := v1alpha1.InstanceShapeSpec{
		CPU: resource.MustParse("2"), Memory: resource.MustParse("4Gi"), Tolerations: tolerations,
	}
	if kind != "" {
		s.NodeSelector = map[string]string{"kind": kind}
	}
	return s
}

func node(name, kind string, change ...func(*corev1.Node)) corev1.Node {
	n := corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kind": kind}},
		Status: corev1.NodeStatus{
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("4Gi")},
		},
	}
	for _, f := range change {
		f(&n)
	}
	return n
}

func taint(effect corev1.TaintEffect) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: "bench", Value: "yes", Effect: effect}}
	}
}

// pages that a node has set aside.
func pages(name corev1.ResourceName, size string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Status.Allocatable[name] = resource.MustParse(size) }
}

func withPages(page v1alpha1.HugePageSize, count int32) v1alpha1.InstanceShapeSpec {
	s := shape("x")
	s.HugePages = &v1alpha1.HugePages{PageSize: page, Count: count}
	return s
}

func offersShape(n corev1.Node, s v1alpha1.InstanceShapeSpec) bool { return lacks(&n, &s) == "" }

func TestOffers(t *testing.T) {
	tests := map[string]struct {
		node  corev1.Node
		shape v1alpha1.InstanceShapeSpec
		want  bool
	}{
		"a node with the label and just enough offers it":  {node("a", "x"), shape("x"), true},
		"a shape without a selector fits any node":         {node("a", "x"), shape(""), true},
		"another label does not":                           {node("a", "y"), shape("x"), false},
		"a node that is not ready does not":                {node("a", "x", func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }), shape("x"), false},
		"a cordoned node does not":                         {node("a", "x", func(n *corev1.Node) { n.Spec.Unschedulable = true }), shape("x"), false},
		"too few processors":                               {node("a", "x", func(n *corev1.Node) { n.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse("1999m") }), shape("x"), false},
		"too little memory":                                {node("a", "x", func(n *corev1.Node) { n.Status.Allocatable[corev1.ResourceMemory] = resource.MustParse("4095Mi") }), shape("x"), false},
		"just enough huge pages":                           {node("a", "x", pages("hugepages-2Mi", "512Mi")), withPages("", 256), true},
		"too few huge pages":                               {node("a", "x", pages("hugepages-2Mi", "510Mi")), withPages("2Mi", 256), false},
		"huge pages of another size":                       {node("a", "x", pages("hugepages-2Mi", "4Gi")), withPages("1Gi", 1), false},
		"huge pages of 1 GiB":                              {node("a", "x", pages("hugepages-1Gi", "1Gi")), withPages("1Gi", 1), true},
		"no huge pages":                                    {node("a", "x"), withPages("", 1), false},
		"a taint needs a toleration":                       {node("a", "x", taint(corev1.TaintEffectNoSchedule)), shape("x"), false},
		"a soft taint does not":                            {node("a", "x", taint(corev1.TaintEffectPreferNoSchedule)), shape("x"), true},
		"a toleration by value matches":                    {node("a", "x", taint(corev1.TaintEffectNoSchedule)), shape("x", corev1.Toleration{Key: "bench", Value: "yes"}), true},
		"a toleration of another value does not":           {node("a", "x", taint(corev1.TaintEffectNoSchedule)), shape("x", corev1.Toleration{Key: "bench", Value: "no"}), false},
		"a toleration of another effect does not":          {node("a", "x", taint(corev1.TaintEffectNoExecute)), shape("x", corev1.Toleration{Key: "bench", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}), false},
		"Exists without a key tolerates everything":        {node("a", "x", taint(corev1.TaintEffectNoExecute)), shape("x", corev1.Toleration{Operator: corev1.TolerationOpExists}), true},
		"a value without a key tolerates nothing":          {node("a", "x", taint(corev1.TaintEffectNoExecute)), shape("x", corev1.Toleration{Value: "yes"}), false},
		"an empty toleration with Equal tolerates nothing": {node("a", "x", taint(corev1.TaintEffectNoExecute)), shape("x", corev1.Toleration{}), false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := offersShape(tt.node, tt.shape); got != tt.want {
				t.Errorf("Offers = %v, want %v", got, tt.want)
			}
		})
	}
}
