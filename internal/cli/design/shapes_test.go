package design

import (
	"bytes"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func nodeOf(name, instanceType, cpu, memory string, change ...func(*corev1.Node)) corev1.Node {
	n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
	if instanceType != "" {
		n.Labels[corev1.LabelInstanceTypeStable] = instanceType
	}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	n.Status.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
	for _, f := range change {
		f(&n)
	}
	return n
}

func tainted(key, value string, effect corev1.TaintEffect) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Value: value, Effect: effect})
	}
}

// One shape for each kind of node that takes benchmarks, which its smallest node offers.
func TestShapes(t *testing.T) {
	got := suggest([]corev1.Node{
		nodeOf("a", "m5.xlarge", "3920m", "15Gi"), nodeOf("b", "m5.xlarge", "3900m", "14900Mi"),
		nodeOf("c", "r6i.32xlarge", "127610m", "990Gi", tainted("bench", "yes", corev1.TaintEffectNoSchedule), tainted("soft", "", corev1.TaintEffectPreferNoSchedule)),
		nodeOf("d", "r6i.32xlarge", "127610m", "990Gi"),
		nodeOf("e", "", "940m", "1900Mi"), nodeOf("f", "", "8", "32Gi"),
		nodeOf("g", "big", "64", "256Gi", tainted("node-role.kubernetes.io/control-plane", "", corev1.TaintEffectNoSchedule)),
		nodeOf("h", "big", "64", "256Gi", func(n *corev1.Node) { n.Spec.Unschedulable = true }),
		nodeOf("i", "big", "64", "256Gi", func(n *corev1.Node) { n.Status.Conditions = nil }),
		nodeOf("j", "big", "64", "256Gi", tainted("node.kubernetes.io/disk-pressure", "", corev1.TaintEffectNoSchedule)),
		nodeOf("k", "tiny", "250m", "300Mi"),
	})
	var out bytes.Buffer
	if err := tellShapes(&out, got); err != nil {
		t.Fatal(err)
	}
	golden(t, "shapes.txt", out.String())
}
