package resources

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-bench/assay/internal/ground/config"
)

var (
	// sideSpace is the space of each container beside the one that does the work.
	sideSpace = config.Space{Request: resource.MustParse("64Mi"), Limit: resource.MustParse("256Mi")}
	// memoryLimit of a volume in memory without a limit of its own: sockets and configuration.
	// What is in it counts against the memory of the containers.
	memoryLimit = resource.MustParse("16Mi")
)

// boundDisk limits every emptyDir without a limit, and what every container may use of the
// disk of its node. The main container does the work. A container's space also counts its log. The kubelet adds up the limits of
// the containers: the volumes and logs of a pod may not exceed that sum.
func boundDisk(spec corev1.PodSpec, main string, space config.Space) corev1.PodSpec {
	for i := range spec.Volumes {
		switch dir := spec.Volumes[i].EmptyDir; {
		case dir == nil || dir.SizeLimit != nil:
		case dir.Medium == corev1.StorageMediumMemory:
			dir.SizeLimit = new(memoryLimit.DeepCopy())
		default:
			dir.SizeLimit = new(space.Limit.DeepCopy())
		}
	}
	for i := range spec.InitContainers {
		bound(&spec.InitContainers[i], sideSpace)
	}
	for i := range spec.Containers {
		bound(&spec.Containers[i], sideSpace)
	}
	bound(container(&spec, main), space)
	return spec
}

func bound(c *corev1.Container, space config.Space) {
	c.Resources.Requests[corev1.ResourceEphemeralStorage] = space.Request.DeepCopy()
	c.Resources.Limits[corev1.ResourceEphemeralStorage] = space.Limit.DeepCopy()
}

// space of a database pod beside its data.
func (t Target) space() config.Space {
	space := t.Pods.Disk.Target
	if size := t.Spec.MySQL.Storage.Size; size.Cmp(space.Limit) > 0 {
		space.Limit = size
	}
	return space
}
