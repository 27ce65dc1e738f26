package placement

import (
	"fmt"
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// Sizes are the shapes of a run that names none.
type Sizes struct {
	Target, Client v1alpha1.InstanceShapeSpec
	// Apart says that clients and targets have room on different nodes.
	Apart bool
	// ClientsFit says that the clients have room on the nodes on which they are, apart from targets where that is possible.
	ClientsFit bool
	// Why these, for people.
	Why string
}

// What a chosen shape has of a node, and its bounds: the rest is for what a cluster runs on each node, and a first look needs no large
// machine.
const (
	shareOfNode             = 0.6
	mostCPU, leastCPU       = 4000, 100 // thousandths
	mostMemory              = 8 << 30
	leastMemory             = 256 << 20
	stepOfCPU               = 50
	stepOfMemory            = 64 << 20
	leastNodeCPU            = 500 // of a node that counts
	leastNodeMemory         = 1 << 30
	cpuOfNewNode            = 500
	memoryOfNewNode   int64 = 1 << 30
)

// linux is what our images are for.
const linux = "linux"

// Automatic chooses shapes for the most targets and clients that run at a time, by the nodes that any pod may use. The agent runs beside each client. Of
// one node all pods have a part; of more, clients and targets have different ones. Without any, nodes are asked for.
func Automatic(nodes []corev1.Node, targets, clients int, agent v1alpha1.InstanceShapeSpec) Sizes {
	smallest, count := room{cpu: math.MaxInt64, memory: math.MaxInt64}, 0
	var selector map[string]string
	for i := range nodes {
		if os := nodes[i].Labels[corev1.LabelOSStable]; os != "" && os != linux {
			selector = map[string]string{corev1.LabelOSStable: linux}
			continue
		}
		has := roomIn(nodes[i].Status.Allocatable)
		if lacks(&nodes[i], &v1alpha1.InstanceShapeSpec{}) == "" && has.cpu >= leastNodeCPU && has.memory >= leastNodeMemory {
			smallest, count = room{cpu: min(smallest.cpu, has.cpu), memory: min(smallest.memory, has.memory)}, count+1
		}
	}
	shapeOf := func(r room) v1alpha1.InstanceShapeSpec {
		return v1alpha1.InstanceShapeSpec{
			CPU: *resource.NewMilliQuantity(r.cpu, resource.DecimalSI), Memory: *resource.NewQuantity(r.memory, resource.BinarySI), NodeSelector: selector,
		}
	}
	clients = max(clients, 1)
	if count == 0 {
		new := room{cpu: cpuOfNewNode, memory: memoryOfNewNode}
		s := Sizes{Target: shapeOf(new), Client: shapeOf(new), Why: "no node is ready that any pod may use, so that nodes are asked for"}
		s.Target.Nodes, s.Client.Nodes = v1alpha1.NodesProvisioned, v1alpha1.NodesProvisioned
		return s
	}
	perNode, apart := targets+clients, targets > 0 && count > 1
	if apart {
		onTargets := min(targets, count-1)
		perNode = max(ceil(targets, onTargets), ceil(clients, count-onTargets))
	} else if targets == 0 {
		perNode = ceil(clients, count)
	}
	each := room{cpu: part(smallest.cpu, perNode, leastCPU, mostCPU, stepOfCPU), memory: part(smallest.memory, perNode, leastMemory, mostMemory, stepOfMemory)}
	client := room{cpu: max(each.cpu-agent.CPU.MilliValue(), leastCPU), memory: max(each.memory-agent.Memory.Value(), leastMemory)}
	if each.cpu > 1000 {
		each.cpu -= each.cpu % 1000 // whole CPUs may be exclusive
	}
	// The parts have bounds below.
	most := perNode
	if apart {
		most = ceil(clients, count-min(targets, count-1))
	}
	fit := int64(most)*(client.cpu+agent.CPU.MilliValue()) <= smallest.cpu && int64(most)*(client.memory+agent.Memory.Value()) <= smallest.memory
	why := fmt.Sprintf("%.0f%% of the smallest of %s that any pod may use", 100*shareOfNode, figure.Counted(count, "node"))
	if perNode > 1 {
		why += fmt.Sprintf(", for %d pods on each", perNode)
	}
	return Sizes{Target: shapeOf(each), Client: shapeOf(client), Apart: apart && fit, ClientsFit: fit, Why: why}
}

// part of a resource of a node that each of its pods gets.
func part(of int64, pods int, least, most, step int64) int64 {
	each := int64(float64(of) * shareOfNode / float64(pods))
	return max(min(each, most)/step*step, least)
}

func ceil(a, b int) int { return (a + b - 1) / b }
