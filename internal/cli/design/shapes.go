package design

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
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
			doc := shapeList{metav1.TypeMeta{APIVersion: "v1", Kind: "List"}, manifestsOf(shapes)}
			return format.Write(cmd.OutOrStdout(), doc, func(out io.Writer) error { return tellShapes(out, shapes, output.Width(out)) })
		},
	}
	format.AddTo(cmd)
	return cmd
}

// suggestion of a shape, and how many nodes offer it.
type suggestion struct {
	name  string
	spec  v1alpha1.InstanceShapeSpec
	nodes int
}

// shapeList is what kubectl apply takes.
type shapeList struct {
	metav1.TypeMeta `json:",inline"`
	Items           []shapeManifest `json:"items"`
}

// shapeManifest is an InstanceShape without what a cluster adds.
type shapeManifest struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        map[string]string          `json:"metadata"`
	Spec            v1alpha1.InstanceShapeSpec `json:"spec"`
}

func manifestsOf(shapes []suggestion) (out []shapeManifest) {
	for _, s := range shapes {
		out = append(out, shapeManifest{
			metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "InstanceShape"}, map[string]string{"name": s.name}, s.spec,
		})
	}
	return out
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
		spec := v1alpha1.InstanceShapeSpec{CPU: leastCPU(members), Memory: leastMemory(members), Tolerations: tolerationsOf(members[0])}
		if k.instanceType != "" {
			spec.NodeSelector = map[string]string{corev1.LabelInstanceTypeStable: k.instanceType}
		}
		if spec.CPU.IsZero() || spec.Memory.IsZero() {
			continue
		}
		if offering := placement.Offering(nodes, spec); len(offering) > 0 {
			out = append(out, suggestion{nameOfShape(k, spec), spec, len(offering)})
		}
	}
	slices.SortFunc(out, func(a, b suggestion) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(len(a.spec.Tolerations), len(b.spec.Tolerations)))
	})
	for i := range out { // nodes of one type with and without taints
		for n := 2; slices.ContainsFunc(out[:i], func(o suggestion) bool { return o.name == out[i].name }); n++ {
			out[i].name += "-" + strconv.Itoa(n)
		}
	}
	return out
}

// Taints that nodes have while they take no pods, and those of control planes.
var notForBenchmarks = []string{"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"}

// kindOf a node; false for one that takes no benchmarks.
func kindOf(n corev1.Node) (kind, bool) {
	k := kind{instanceType: n.Labels[corev1.LabelInstanceTypeStable]}
	ready := slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
	if !ready || n.Spec.Unschedulable {
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

// Left for the pods that each node has: a twentieth, within these bounds.
const (
	leastLeftCPU, mostLeftCPU       int64 = 200, 1000 // thousandths of a CPU
	leastLeftMemory, mostLeftMemory int64 = 256 << 20, 4 << 30
)

// leastCPU of the nodes for a pod: whole CPUs, which a static CPU manager can reserve, or tenths of one on small nodes.
func leastCPU(nodes []corev1.Node) resource.Quantity {
	least := int64(-1)
	for _, n := range nodes {
		milli := n.Status.Allocatable.Cpu().MilliValue()
		milli -= min(max(milli/20, leastLeftCPU), mostLeftCPU)
		if least < 0 || milli < least {
			least = milli
		}
	}
	switch {
	case least >= 1000:
		return *resource.NewQuantity(least/1000, resource.DecimalSI)
	case least >= 100:
		return *resource.NewMilliQuantity(least/100*100, resource.DecimalSI)
	}
	return resource.Quantity{}
}

// leastMemory of the nodes for a pod: whole GiB, or 256 MiB on small nodes.
func leastMemory(nodes []corev1.Node) resource.Quantity {
	least := int64(-1)
	for _, n := range nodes {
		bytes := n.Status.Allocatable.Memory().Value()
		bytes -= min(max(bytes/20, leastLeftMemory), mostLeftMemory)
		if least < 0 || bytes < least {
			least = bytes
		}
	}
	switch {
	case least >= 2<<30:
		return *resource.NewQuantity(least>>30<<30, resource.BinarySI)
	case least >= 256<<20:
		return *resource.NewQuantity(least>>28<<28, resource.BinarySI)
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

// notInShapeNames are characters that the name of a shape cannot have.
var notInShapeNames = regexp.MustCompile(`[^a-z0-9]+`)

// nameOfShape is that of the instance type, or of the size.
func nameOfShape(k kind, spec v1alpha1.InstanceShapeSpec) string {
	text := cmp.Or(k.instanceType, fmt.Sprintf("cpu%s-mem%s", spec.CPU.String(), spec.Memory.String()))
	name := strings.Trim(notInShapeNames.ReplaceAllString(strings.ToLower(text), "-"), "-")
	return cmp.Or(strings.Trim(name[:min(len(name), 60)], "-"), "shape")
}

func tellShapes(out io.Writer, shapes []suggestion, width int) error {
	rows := [][]string{{"NAME", "CPU", "MEMORY", "NODES", "SELECTOR", "TOLERATES"}}
	for _, s := range shapes {
		var selector, tolerates []string
		for key, value := range s.spec.NodeSelector {
			selector = append(selector, key+"="+value)
		}
		for _, t := range s.spec.Tolerations {
			tolerates = append(tolerates, strings.TrimSuffix(t.Key+"="+t.Value, "=")+":"+string(t.Effect))
		}
		rows = append(rows, []string{s.name, s.spec.CPU.String(), s.spec.Memory.String(), strconv.Itoa(s.nodes), strings.Join(selector, " "), strings.Join(tolerates, " ")})
	}
	if err := output.Rows(out, width, rows); err != nil {
		return err
	}
	_, err := io.WriteString(out, "\nkubectl assay shapes -o yaml | kubectl apply -f - creates them. A target and its clients need nodes of their own: two shapes, or\ntwo nodes of one.\n")
	return err
}
