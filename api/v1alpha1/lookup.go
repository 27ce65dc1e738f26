package v1alpha1

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Target is the target of the spec with the name; the zero value when there is none.
func (r *BenchmarkRun) Target(name string) Target {
	return first(r.Spec.Targets, func(t Target) bool { return t.Name == name })
}

// Provided are the targets that Assay provides, in the order of the spec.
func (r *BenchmarkRun) Provided() []Target {
	var out []Target
	for _, t := range r.Spec.Targets {
		if t.MySQL != nil {
			out = append(out, t)
		}
	}
	return out
}

// LoadsData says whether the run makes the data of a target itself.
func (r *BenchmarkRun) LoadsData() bool {
	return slices.ContainsFunc(r.Spec.Targets, func(t Target) bool { return t.Published == nil && !t.HasData() })
}

// Copies says whether the volume of a target is made of a VolumeSnapshot.
func (r *BenchmarkRun) Copies() bool {
	return slices.ContainsFunc(r.Spec.Targets, func(t Target) bool { return t.FromSnapshot() != nil })
}

// AwaitsSnapshot says whether a VolumeSnapshot is to be made of the volume of a target, which does not stand in the status yet: the run is
// complete, and the target has its data. One that was given up is awaited no more.
func (r *BenchmarkRun) AwaitsSnapshot(t Target) bool {
	st := r.TargetStatus(t.Name)
	return t.MakesSnapshot() != nil && st.LoadResult != "" && st.Snapshot == nil && !st.SnapshotOver &&
		meta.IsStatusConditionTrue(r.Status.Conditions, ConditionComplete)
}

// ResolvedTarget has the pinned inputs of a target; the zero value before they are pinned.
func (r *BenchmarkRun) ResolvedTarget(name string) ResolvedTarget {
	if r.Status.Resolved == nil {
		return ResolvedTarget{}
	}
	return first(r.Status.Resolved.Targets, func(t ResolvedTarget) bool { return t.Name == name })
}

// PlacementOf is the placement of a target; the zero value for a target that Assay does not place.
func (r *BenchmarkRun) PlacementOf(name string) TargetPlacement {
	if r.Status.Placement == nil {
		return TargetPlacement{}
	}
	return first(r.Status.Placement.Targets, func(t TargetPlacement) bool { return t.Name == name })
}

// TargetStatus is the status of a target; it has only the name when there is none yet.
func (r *BenchmarkRun) TargetStatus(name string) TargetStatus {
	status := first(r.Status.Targets, func(t TargetStatus) bool { return t.Name == name })
	status.Name = name
	return status
}

// ServiceNodes are the nodes of the pods behind the Services of external targets, as they were when the run was
// accepted; sorted, each once.
func (r *BenchmarkRun) ServiceNodes() []string {
	if r.Status.Resolved == nil {
		return nil
	}
	var out []string
	for _, t := range r.Status.Resolved.Targets {
		out = append(out, t.Service.Nodes()...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Nodes of the pods, sorted, each once; none of a Service that is nil.
func (s *ResolvedService) Nodes() []string {
	if s == nil {
		return nil
	}
	var out []string
	for _, p := range s.Pods {
		if p.NodeName != "" {
			out = append(out, p.NodeName)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// HostIn is the name or the address of the server of a run in this namespace; empty for JDBC, whose URL says it.
func (e ExternalTarget) HostIn(namespace string) string {
	if e.ServiceRef != nil {
		return e.ServiceRef.Name + "." + namespace + ".svc"
	}
	return e.Host
}

// first of a list that is the one; the zero value when there is none.
func first[T any](list []T, is func(T) bool) (none T) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return none
}

// Finished reports whether the run has ended.
func (r *BenchmarkRun) Finished() bool {
	return meta.IsStatusConditionTrue(r.Status.Conditions, ConditionComplete) || r.HasFailed()
}

// HasFailed reports whether the run has ended with a failure.
func (r *BenchmarkRun) HasFailed() bool {
	return meta.IsStatusConditionTrue(r.Status.Conditions, ConditionFailed)
}

// Separates says whether clients and targets of a run that was accepted are on different nodes.
func (r *BenchmarkRun) Separates() bool {
	return r.Status.Resolved != nil && r.Status.Resolved.SeparateFromTargets == SeparationRequired
}

// ClientCount is the number of client pods of a trial, at least 1: of all tenants and of a second load.
func (r *BenchmarkRun) ClientCount() int {
	return r.Spec.MeasuringClients() + r.Spec.BackgroundClients()
}

// Server is the address of an external target's server, to be compared: two are the same when their host and port, their Service and port, or their
// JDBC URLs, are, without regard to case; the names of the machine itself count as one. What a name service would make of two names is
// not asked: it may answer otherwise tomorrow.
func (e *ExternalTarget) Server() string {
	if e.JDBC != nil {
		return strings.ToLower(e.JDBC.URL)
	}
	if e.ServiceRef != nil {
		return fmt.Sprintf("service/%s:%d", e.ServiceRef.Name, e.Port)
	}
	host := strings.TrimSuffix(strings.ToLower(e.Host), ".")
	if host == "127.0.0.1" || host == "::1" {
		host = "localhost"
	}
	return fmt.Sprintf("%s:%d", host, e.Port)
}

// Replicas is the number of replicas of the target.
func (t Target) Replicas() int {
	if t.MySQL == nil || t.MySQL.Replication == nil {
		return 0
	}
	return int(t.MySQL.Replication.Replicas)
}

// OwnServers says whether each tenant has a server of its own in the target.
func (t Target) OwnServers() bool { return t.MySQL != nil && t.MySQL.Tenancy == TenancyServers }

// ServersOf a target that clients work on: one, or that of each tenant.
func (s *BenchmarkRunSpec) ServersOf(t Target) int {
	if t.OwnServers() {
		return s.TenantCount()
	}
	return 1
}

// FurtherServers is the number of database pods of the target beside the first: its replicas, or the servers of the tenants from the second on.
func (s *BenchmarkRunSpec) FurtherServers(t Target) int {
	if t.OwnServers() {
		return s.TenantCount() - 1
	}
	return t.Replicas()
}

// IsInvalid reports whether the severity is Invalid: the result contradicts itself.
func (f Finding) IsInvalid() bool { return f.Severity == "Invalid" }

// DescribeNode has the properties in a node's status.
func DescribeNode(node *corev1.Node) NodeInfo {
	info := node.Status.NodeInfo
	return NodeInfo{
		Name: node.Name, InstanceType: node.Labels[corev1.LabelInstanceTypeStable],
		KernelVersion: info.KernelVersion, Architecture: info.Architecture, OSImage: info.OSImage,
		ContainerRuntime: info.ContainerRuntimeVersion, KubeletVersion: info.KubeletVersion,
	}
}

// Encryption is tls with its default: Required for a server of the MySQL family; Disabled for JDBC, whose URL decides.
func (e ExternalTarget) Encryption() TLSMode {
	switch {
	case e.TLS != "":
		return e.TLS
	case e.JDBC != nil:
		return TLSDisabled
	}
	return TLSRequired
}

// PinImage makes the server one of this image. A target has a version or an image and never both: the API server
// refuses that.
func (t *MySQLTarget) PinImage(image string) { t.Version, t.Image = "", image }

// KindSchedule is the kind of the owner of a run that a schedule has started.
const KindSchedule = "BenchmarkSchedule"

// Schedule that has started the run, as its controller; nil for none.
func (r *BenchmarkRun) Schedule() *metav1.OwnerReference {
	if owner := metav1.GetControllerOfNoCopy(r); owner != nil && owner.Kind == KindSchedule {
		return owner
	}
	return nil
}

// MeasuredTargets is the number of targets that the run measures: those that are not quoted from a publication.
func (s *BenchmarkRunSpec) MeasuredTargets() (n int) {
	for _, t := range s.Targets {
		if t.Published == nil {
			n++
		}
	}
	return n
}
