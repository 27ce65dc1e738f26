package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// imagesPerNode is what a kubelet lists of those that it has (its default is 50 at
// most): the largest part of a real Node object.
const imagesPerNode = 50

// beatEvery is how often a kubelet writes the status of its node although nothing
// has changed (its default).
const beatEvery = 5 * time.Minute

func nodeName(i int) string { return fmt.Sprintf("node-%04d", i) }

// makeNodes makes half of the nodes for databases and half for clients.
func (p *player) makeNodes(ctx context.Context, count int) error {
	return side(ctx, count, func(i int) error {
		kind := []string{"t", "c"}[i%2]
		n := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: nodeName(i), Labels: map[string]string{
				"kind": kind, corev1.LabelHostname: nodeName(i), corev1.LabelInstanceTypeStable: "type-" + kind,
				corev1.LabelTopologyZone: "zone-a", corev1.LabelArchStable: "amd64", corev1.LabelOSStable: "linux",
			}},
			Status: corev1.NodeStatus{
				Conditions:  nodeConditions(),
				Capacity:    corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("8Gi")},
				Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("8Gi")},
				NodeInfo:    corev1.NodeSystemInfo{KernelVersion: "6.12.0", Architecture: "amd64", OSImage: "Debian GNU/Linux 13", ContainerRuntimeVersion: "containerd://2.1.0", KubeletVersion: "v1.37.0"},
			},
		}
		for image := range imagesPerNode {
			name := fmt.Sprintf("registry.example/team/service-%02d", image)
			n.Status.Images = append(n.Status.Images, corev1.ContainerImage{
				Names:     []string{fmt.Sprintf("%s@sha256:%064d", name, image), name + ":v1.2.3"},
				SizeBytes: 123456789,
			})
		}
		if err := p.cluster.Create(ctx, n); err != nil {
			return fmt.Errorf("making a node: %w", err)
		}
		return nil
	})
}

func nodeConditions() []corev1.NodeCondition {
	now := metav1.Now()
	condition := func(kind corev1.NodeConditionType, status corev1.ConditionStatus, reason string) corev1.NodeCondition {
		return corev1.NodeCondition{Type: kind, Status: status, Reason: reason, Message: "kubelet says " + reason, LastHeartbeatTime: now, LastTransitionTime: now}
	}
	return []corev1.NodeCondition{
		condition(corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory"),
		condition(corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure"),
		condition(corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID"),
		condition(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady"),
	}
}

// beat writes the status of one node after the other, each once in beatEvery.
func (p *player) beat(ctx context.Context, count int) {
	tick := time.NewTicker(beatEvery / time.Duration(count))
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			patch := fmt.Sprintf(`{"status":{"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":%q}]}}`, time.Now().UTC().Format(time.RFC3339))
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName(i % count)}}
			p.note(p.cluster.Status().Patch(ctx, node, client.RawPatch(types.StrategicMergePatchType, []byte(patch))))
		}
	}
}
