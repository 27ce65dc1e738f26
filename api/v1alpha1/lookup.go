package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
)

// Target of the spec by its name; the zero value when there is none.
func (r *BenchmarkRun) Target(name string) Target {
	for _, t := range r.Spec.Targets {
		if t.Name == name {
			return t
		}
	}
	return Target{}
}

// Provided are the targets that Assay runs itself, in the order of the spec.
func (r *BenchmarkRun) Provided() []Target {
	var out []Target
	for _, t := range r.Spec.Targets {
		if t.MySQL != nil {
			out = append(out, t)
		}
	}
	return out
}

// ResolvedTarget are the pinned inputs of a target; the zero value before they are.
func (r *BenchmarkRun) ResolvedTarget(name string) ResolvedTarget {
	if r.Status.Resolved == nil {
		return ResolvedTarget{}
	}
	for _, t := range r.Status.Resolved.Targets {
		if t.Name == name {
			return t
		}
	}
	return ResolvedTarget{}
}

// PlacementOf a target that Assay places; the zero value for any other.
func (r *BenchmarkRun) PlacementOf(name string) TargetPlacement {
	if r.Status.Placement == nil {
		return TargetPlacement{}
	}
	for _, t := range r.Status.Placement.Targets {
		if t.Name == name {
			return t
		}
	}
	return TargetPlacement{}
}

// TargetStatus of a target; one with nothing but its name when nothing is known yet.
func (r *BenchmarkRun) TargetStatus(name string) TargetStatus {
	for _, t := range r.Status.Targets {
		if t.Name == name {
			return t
		}
	}
	return TargetStatus{Name: name}
}

// Finished says whether the run has ended.
func (r *BenchmarkRun) Finished() bool {
	return meta.IsStatusConditionTrue(r.Status.Conditions, ConditionComplete) || r.HasFailed()
}

// HasFailed says whether the run has ended with a failure.
func (r *BenchmarkRun) HasFailed() bool {
	return meta.IsStatusConditionTrue(r.Status.Conditions, ConditionFailed)
}

// ClientCount is the number of clients that work together, at least 1.
func (r *BenchmarkRun) ClientCount() int { return int(max(r.Spec.Clients.Count, 1)) }

// Replicas is how many replicas the target has.
func (t Target) Replicas() int {
	if t.MySQL == nil || t.MySQL.Replication == nil {
		return 0
	}
	return int(t.MySQL.Replication.Replicas)
}

// IsInvalid says that the number must not be used.
func (f Finding) IsInvalid() bool { return f.Severity == "Invalid" }

// IsDisturbed says that something outside of what is measured happened meanwhile.
func (f Finding) IsDisturbed() bool { return f.Severity == "Disturbed" }

// DescribeNode is what a node says of itself.
func DescribeNode(node *corev1.Node) NodeInfo {
	info := node.Status.NodeInfo
	return NodeInfo{
		Name: node.Name, InstanceType: node.Labels[corev1.LabelInstanceTypeStable],
		KernelVersion: info.KernelVersion, Architecture: info.Architecture, OSImage: info.OSImage,
		ContainerRuntime: info.ContainerRuntimeVersion, KubeletVersion: info.KubeletVersion,
	}
}
