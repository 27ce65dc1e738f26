package design

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/experiment/placement"
)

const shapesHelp = `Suggest InstanceShapes from the nodes that the cluster has.

There is one for each instance type (label node.kubernetes.io/instance-type), or for each size of nodes without one. It has nearly all
of what its smallest node gives to pods, so that nothing else fits beside a benchmark; a part is left for the pods that
each node has. Control planes, and nodes that take no pods, are left out. Taints of the nodes become tolerations.

With -o yaml the output is a list that kubectl apply takes. To create shapes is for administrators; to list nodes is a right that a
plain user may lack.`

const shapesExamples = `  kubectl assay shapes
  kubectl assay shapes -o yaml > shapes.yaml
  kubectl assay shapes -o yaml | kubectl apply -f -`

// NewShapes is the command `shapes`.
func NewShapes(config *kube.Config) *cobra.Command {
	var format output.Format
	cmd := &cobra.Command{
		Use: "shapes", Short: "Suggest InstanceShapes from the nodes of the cluster", Long: shapesHelp, Example: shapesExamples, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			to, err := config.Cluster()
			if err != nil {
				return err
			}
			var nodes corev1.NodeList
			if err := to.API.List(cmd.Context(), &nodes); err != nil {
				return fmt.Errorf("listing nodes: %w", err)
			}
			shapes := suggest(nodes.Items)
			if len(shapes) == 0 {
				return fmt.Errorf("none of %d nodes takes benchmarks: they are control planes, not ready or cordoned, or have less than 1 CPU and 1Gi", len(nodes.Items))
			}
			doc := shapeList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "List"}}
			for _, s := range shapes {
				s.shape.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "InstanceShape"}
				doc.Items = append(doc.Items, s.shape)
			}
			return format.Write(cmd.OutOrStdout(), doc, func(out io.Writer) error { return tellShapes(out, shapes) })
		},
	}
	format.AddTo(cmd)
	return cmd
}

// suggestion of a shape, and how many nodes offer it.
type suggestion struct {
	shape v1alpha1.InstanceShape
	nodes int
}

// shapeList is what kubectl apply takes.
type shapeList struct {
	metav1.TypeMeta `json:",inline"`
	Items           []v1alpha1.InstanceShape `json:"items"`
}

// kind of node: its instance type, or its size, and its taints.
type kind struct{ instanceType, size, taints string }

// suggest a shape for each kind of node.
func suggest(nodes []corev1.Node) []suggestion {
	groups := map[kind][]corev1.Node{}
	for _, n := range nodes {
		if k, ok := kindOf(n); ok {
			groups[k] = append(groups[k], n)
		}
	}
	var out []suggestion
	for k, members := range groups {
		spec := v1alpha1.InstanceShapeSpec{CPU: cpuFor(members), Memory: memoryFor(members), Tolerations: tolerationsOf(members[0])}
		if k.instanceType != "" {
			spec.NodeSelector = map[string]string{corev1.LabelInstanceTypeStable: k.instanceType}
		}
		if spec.CPU.IsZero() || spec.Memory.IsZero() {
			continue
		}
		if offering := placement.Offering(nodes, spec); len(offering) > 0 {
			out = append(out, suggestion{v1alpha1.InstanceShape{ObjectMeta: metav1.ObjectMeta{Name: nameOfShape(k, spec)}, Spec: spec}, len(offering)})
		}
	}
	slices.SortFunc(out, func(a, b suggestion) int {
		return cmp.Or(cmp.Compare(a.shape.Name, b.shape.Name), cmp.Compare(len(a.shape.Spec.Tolerations), len(b.shape.Spec.Tolerations)))
	})
	for i := range out { // nodes of one type with and without taints
		for n := 2; slices.ContainsFunc(out[:i], func(o suggestion) bool { return o.shape.Name == out[i].shape.Name }); n++ {
			out[i].shape.Name += "-" + strconv.Itoa(n)
		}
	}
	return out
}

// Taints that nodes have while they take no pods, and those of control planes.
var notForBenchmarks = []string{"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"}

// kindOf a node; false for one that takes no benchmarks.
func kindOf(n corev1.Node) (kind, bool) {
	k := kind{instanceType: n.Labels[corev1.LabelInstanceTypeStable]}
	if !placement.Ready(&n) || n.Spec.Unschedulable {
		return k, false
	}
	var taints []string
	for _, t := range n.Spec.Taints {
		if slices.Contains(notForBenchmarks, t.Key) || strings.HasPrefix(t.Key, "node.kubernetes.io/") {
			return k, false
		}
		taints = append(taints, t.ToString())
	}
	slices.Sort(taints)
	if k.taints = strings.Join(taints, ","); k.instanceType == "" {
		k.size = fmt.Sprintf("cpu%d-mem%d", n.Status.Allocatable.Cpu().MilliValue()/1000, n.Status.Allocatable.Memory().Value()>>30)
	}
	return k, true
}

// least of a resource that the nodes have for a benchmark. A twentieth is left for the pods that each node has, within bounds.
func least(nodes []corev1.Node, of func(*corev1.Node) int64, leastLeft, mostLeft int64) int64 {
	out := int64(math.MaxInt64)
	for i := range nodes {
		has := of(&nodes[i])
		out = min(out, has-min(max(has/20, leastLeft), mostLeft))
	}
	return out
}

// cpuFor a pod on any of the nodes: whole CPUs, which a static CPU manager can reserve, or tenths of one on small nodes.
func cpuFor(nodes []corev1.Node) resource.Quantity {
	switch milli := least(nodes, func(n *corev1.Node) int64 { return n.Status.Allocatable.Cpu().MilliValue() }, 200, 1000); {
	case milli >= 1000:
		return *resource.NewQuantity(milli/1000, resource.DecimalSI)
	case milli >= 100:
		return *resource.NewMilliQuantity(milli/100*100, resource.DecimalSI)
	}
	return resource.Quantity{}
}

// memoryFor a pod on any of the nodes: whole GiB, or 256 MiB on small nodes.
func memoryFor(nodes []corev1.Node) resource.Quantity {
	switch bytes := least(nodes, func(n *corev1.Node) int64 { return n.Status.Allocatable.Memory().Value() }, 256<<20, 4<<30); {
	case bytes >= 2<<30:
		return *resource.NewQuantity(bytes>>30<<30, resource.BinarySI)
	case bytes >= 256<<20:
		return *resource.NewQuantity(bytes>>28<<28, resource.BinarySI)
	}
	return resource.Quantity{}
}

// tolerationsOf the taints of a node.
func tolerationsOf(n corev1.Node) (out []corev1.Toleration) {
	for _, t := range n.Spec.Taints {
		if t.Effect != corev1.TaintEffectPreferNoSchedule {
			out = append(out, corev1.Toleration{Key: t.Key, Operator: corev1.TolerationOpEqual, Value: t.Value, Effect: t.Effect})
		}
	}
	return out
}

// nameOfShape is that of the instance type, or of the size.
func nameOfShape(k kind, spec v1alpha1.InstanceShapeSpec) string {
	text := cmp.Or(k.instanceType, fmt.Sprintf("cpu%s-mem%s", spec.CPU.String(), spec.Memory.String()))
	name := asName(text)
	return cmp.Or(strings.Trim(name[:min(len(name), 60)], "-"), "shape")
}

func tellShapes(out io.Writer, shapes []suggestion) error {
	rows := [][]string{{"NAME", "CPU", "MEMORY", "NODES", "SELECTOR", "TOLERATES"}}
	for _, s := range shapes {
		var selector, tolerates []string
		spec := s.shape.Spec
		for key, value := range spec.NodeSelector {
			selector = append(selector, key+"="+value)
		}
		for _, t := range spec.Tolerations {
			tolerates = append(tolerates, strings.TrimSuffix(t.Key+"="+t.Value, "=")+":"+string(t.Effect))
		}
		rows = append(rows, []string{s.shape.Name, spec.CPU.String(), spec.Memory.String(), strconv.Itoa(s.nodes), strings.Join(selector, " "), strings.Join(tolerates, " ")})
	}
	p := output.NewPage(out)
	p.Rows(rows, nil)
	p.Blank()
	p.Line("kubectl assay shapes -o yaml | kubectl apply -f - creates them. A target and its clients need nodes of their own: two shapes, or two nodes of one.")
	return p.Flush()
}
