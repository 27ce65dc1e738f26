package target

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Look is what is behind the port of a Service.
type Look struct {
	// Service as far as it is known, also where there is a problem.
	Service v1alpha1.ResolvedService
	// Problem is why it cannot be measured, in words; empty where it can.
	Problem string
	// Passes: time may mend the problem.
	Passes bool
}

// Found says what is behind the port of a Service.
func Found(port int32, in decision.Behind) Look {
	spec := in.Service.Spec
	out := Look{Service: v1alpha1.ResolvedService{Name: in.Service.Name}}
	headless := spec.ClusterIP == corev1.ClusterIPNone
	name, has := portNamed(spec.Ports, port)
	switch {
	case spec.Type == corev1.ServiceTypeExternalName:
		out.Problem = fmt.Sprintf("it is a name of %s, outside of the cluster: give this name as external.host", spec.ExternalName)
		return out
	case !has && !headless:
		out.Problem = fmt.Sprintf("it has no TCP port %d, but %s: set external.port", port, portsIn(spec.Ports))
		return out
	case len(in.Names()) > v1alpha1.MaxServicePods:
		out.Problem = fmt.Sprintf("more than %d pods are behind it: name a Service of the pods that answer the workload, such as that of the primary", v1alpha1.MaxServicePods)
		return out
	}
	if !headless {
		out.Service.ClusterIPs = spec.ClusterIPs
	}
	if in.Forbidden {
		out.Service.PodPorts = portsBehind(spec.Ports, port, headless)
		out.Service.Unseen = "the manager may not list endpointslices in the namespace: update its roles with the chart"
		return out
	}
	out.follow(in, func(e decision.Endpoint) (int32, bool) {
		if headless { // it translates no ports
			return port, true
		}
		number, serves := e.Ports[name]
		return number, serves
	})
	return out
}

// follow the endpoints to their pods; portOf is the port of an endpoint that answers, if one does.
func (l *Look) follow(in decision.Behind, portOf func(decision.Endpoint) (int32, bool)) {
	out := &l.Service
	strangers, serving := 0, 0
	var stale []string
	for _, e := range in.Endpoints {
		to, serves := portOf(e)
		pod := in.Pods[e.Pod]
		ended := pod != nil && (pod.Status.Phase != corev1.PodRunning || !pod.DeletionTimestamp.IsZero())
		if !serves || ended {
			continue
		}
		serving++
		if !slices.Contains(out.PodPorts, to) && len(out.PodPorts) < maxPorts {
			out.PodPorts = append(out.PodPorts, to)
		}
		switch {
		case e.Pod == "":
			strangers++
		case pod == nil || e.UID != "" && pod.UID != e.UID: // Kubernetes writes the slice anew in a moment
			stale = append(stale, e.Pod)
		case !slices.ContainsFunc(out.Pods, func(p v1alpha1.ServicePod) bool { return p.Name == pod.Name }): // it has an endpoint for each family of addresses
			out.Pods = append(out.Pods, podOf(pod, to))
		}
	}
	slices.SortFunc(out.Pods, func(a, b v1alpha1.ServicePod) int { return strings.Compare(a.Name, b.Name) })
	switch {
	case strangers > 0:
		out.Unseen = fmt.Sprintf("%d of its %d ready endpoints are no pods of the namespace", strangers, serving)
	case in.Cut:
		out.Unseen = "it has more EndpointSlices than are read"
	}
	l.Passes = true
	switch {
	case len(stale) > 0:
		l.Problem = fmt.Sprintf("an endpoint of it leads to pod %s, which is gone or was made anew: its EndpointSlices do not say yet what took its place", stale[0])
	case serving == 0:
		l.Problem = "nothing that is ready is behind it: wait until its pods are ready, and compare its selector with their labels"
	case strangers == 0 && !slices.ContainsFunc(out.Pods, isReady):
		l.Problem = fmt.Sprintf("pod %s behind it is not ready: it is there because the Service publishes addresses that are not ready", out.Pods[0].Name)
	default:
		l.Passes = false
	}
}

// isReady says whether a pod can be thought to answer: all that do not say otherwise.
func isReady(p v1alpha1.ServicePod) bool { return p.Ready == nil || *p.Ready }

// maxPorts is the bound of the API.
const maxPorts = 16

// portsBehind a port of a Service, as far as the Service says them; none where it says only a name, which its pods give a number.
func portsBehind(ports []corev1.ServicePort, number int32, headless bool) []int32 {
	i := slices.IndexFunc(ports, func(p corev1.ServicePort) bool { return p.Port == number && isTCP(p) })
	switch {
	case headless || ports[i].TargetPort == intstr.IntOrString{}:
		return []int32{number}
	case ports[i].TargetPort.Type == intstr.String:
		return nil
	}
	return []int32{ports[i].TargetPort.IntVal}
}

func isTCP(p corev1.ServicePort) bool { return p.Protocol == "" || p.Protocol == corev1.ProtocolTCP }

// portNamed is the name of a port of a Service.
func portNamed(ports []corev1.ServicePort, number int32) (name string, has bool) {
	for _, p := range ports {
		if p.Port == number && isTCP(p) {
			return p.Name, true
		}
	}
	return "", false
}

func portsIn(ports []corev1.ServicePort) string {
	var words []string
	for _, p := range ports {
		words = append(words, strings.TrimSpace(fmt.Sprintf("%d %s", p.Port, p.Name)))
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

// appLabels is how the names of the labels begin that are kept.
const appLabels = "app.kubernetes.io/"

// kept labels tell what a pod is.
var kept = []string{"name", "instance", "component", "version", "managed-by", "part-of"}

// KeepsLabel says whether a label of a pod tells what it is.
func KeepsLabel(name string) bool {
	rest, is := strings.CutPrefix(name, appLabels)
	return is && slices.Contains(kept, rest)
}

// podOf describes a pod that answers at a port.
func podOf(pod *corev1.Pod, port int32) v1alpha1.ServicePod {
	out := v1alpha1.ServicePod{Name: pod.Name, UID: string(pod.UID), NodeName: pod.Spec.NodeName, HostNetwork: pod.Spec.HostNetwork, QOSClass: string(pod.Status.QOSClass)}
	for _, name := range kept {
		if value := pod.Labels[appLabels+name]; value != "" {
			if out.Labels == nil {
				out.Labels = map[string]string{}
			}
			out.Labels[name] = value
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady && c.Status != corev1.ConditionUnknown {
			out.Ready = new(c.Status == corev1.ConditionTrue)
		}
	}
	c := answering(pod.Spec.Containers, port)
	if c == nil {
		return out
	}
	out.Container, out.Image = c.Name, contract.Cut(c.Image, contract.MaxText)
	has := c.Resources
	for _, s := range pod.Status.ContainerStatuses {
		if s.Name != c.Name {
			continue
		}
		out.ImageID, out.RestartCount = contract.Cut(s.ImageID, contract.MaxText), new(s.RestartCount)
		if s.Resources != nil { // what is in force, also after a resize
			has = *s.Resources
		}
	}
	out.CPURequest, out.CPULimit = quantity(has.Requests, corev1.ResourceCPU), quantity(has.Limits, corev1.ResourceCPU)
	out.MemoryRequest, out.MemoryLimit = quantity(has.Requests, corev1.ResourceMemory), quantity(has.Limits, corev1.ResourceMemory)
	return out
}

// quantity of a resource; empty for none.
func quantity(list corev1.ResourceList, name corev1.ResourceName) string {
	q, has := list[name]
	if !has {
		return ""
	}
	return q.String()
}

// answering is the container that names the port, or the only one; nil where that is not known.
func answering(containers []corev1.Container, port int32) *corev1.Container {
	for i := range containers {
		if slices.ContainsFunc(containers[i].Ports, func(p corev1.ContainerPort) bool { return p.ContainerPort == port }) {
			return &containers[i]
		}
	}
	if len(containers) == 1 {
		return &containers[0]
	}
	return nil
}

// proxies are components whose pods only pass connections on.
var proxies = []string{"haproxy", "proxysql", "router", "mysqlrouter", "maxscale", "pgbouncer"}

// IsProxy says whether a pod only passes connections on, as far as its labels tell.
func IsProxy(p v1alpha1.ServicePod) bool {
	return slices.Contains(proxies, p.Labels["component"]) || slices.Contains(proxies, p.Labels["name"])
}

// Shared is what is the same for all pods behind a Service; what differs, and what is not known, is empty.
type Shared struct {
	ImageID, NodeName, QOSClass string
	// Limits of the container that answers; absent where one has none.
	Limits contract.Limits
}

// SharedBy the pods behind a Service; nothing where they are not all known.
func SharedBy(service v1alpha1.ResolvedService) Shared {
	if len(service.Pods) == 0 || service.Unseen != "" {
		return Shared{}
	}
	first := service.Pods[0]
	same := func(of func(v1alpha1.ServicePod) string) string {
		if slices.ContainsFunc(service.Pods, func(p v1alpha1.ServicePod) bool { return of(p) != of(first) }) {
			return ""
		}
		return of(first)
	}
	out := Shared{
		ImageID:  same(func(p v1alpha1.ServicePod) string { return p.ImageID }),
		NodeName: same(func(p v1alpha1.ServicePod) string { return p.NodeName }),
		QOSClass: same(func(p v1alpha1.ServicePod) string { return p.QOSClass }),
	}
	if q, err := resource.ParseQuantity(same(func(p v1alpha1.ServicePod) string { return p.CPULimit })); err == nil {
		out.Limits.CPUs = new(q.AsApproximateFloat64())
	}
	if q, err := resource.ParseQuantity(same(func(p v1alpha1.ServicePod) string { return p.MemoryLimit })); err == nil {
		out.Limits.MemoryBytes = new(q.Value())
	}
	return out
}

// Common is what the status of a target shows of the pods behind its Service.
func Common(name string, service v1alpha1.ResolvedService) v1alpha1.TargetStatus {
	same := SharedBy(service)
	return v1alpha1.TargetStatus{Name: name, ImageID: same.ImageID, NodeName: same.NodeName, QOSClass: same.QOSClass}
}

// PodsChanged says how the pods behind a Service became others, in words: one for each that came, went, started again, moved, was
// resized, or is ready where it was not or the other way round. Nil: they are the same.
func PodsChanged(from, to []v1alpha1.ServicePod) []string {
	var out []string
	find := func(list []v1alpha1.ServicePod, name string) *v1alpha1.ServicePod {
		if i := slices.IndexFunc(list, func(p v1alpha1.ServicePod) bool { return p.Name == name }); i >= 0 {
			return &list[i]
		}
		return nil
	}
	for _, before := range from {
		after := find(to, before.Name)
		if after == nil {
			out = append(out, fmt.Sprintf("pod %s is no longer ready behind it", before.Name))
			continue
		}
		out = append(out, became(before, *after)...)
	}
	for _, after := range to {
		if find(from, after.Name) == nil {
			out = append(out, fmt.Sprintf("pod %s came behind it", after.Name))
		}
	}
	return out
}

// became says how a pod changed.
func became(before, after v1alpha1.ServicePod) (out []string) {
	if before.UID != after.UID {
		return []string{fmt.Sprintf("another pod took the place of %s (%s became %s)", before.Name, nodeOf(before), nodeOf(after))}
	}
	if a, b := before.Ready, after.Ready; a != nil && b != nil && *a != *b {
		word := map[bool]string{true: "ready", false: "not ready"}
		out = append(out, fmt.Sprintf("pod %s became %s", after.Name, word[*b]))
	}
	if a, b := before.RestartCount, after.RestartCount; a != nil && b != nil && *a != *b {
		out = append(out, fmt.Sprintf("container %s of pod %s started again: %d restarts became %d", after.Container, after.Name, *a, *b))
	}
	for _, of := range []struct{ what, before, after string }{
		{"cpu request", before.CPURequest, after.CPURequest}, {"cpu limit", before.CPULimit, after.CPULimit},
		{"memory request", before.MemoryRequest, after.MemoryRequest}, {"memory limit", before.MemoryLimit, after.MemoryLimit},
	} {
		if of.before != of.after {
			out = append(out, fmt.Sprintf("pod %s was resized: %s %s became %s", after.Name, of.what, orNone(of.before), orNone(of.after)))
		}
	}
	return out
}

func nodeOf(p v1alpha1.ServicePod) string {
	if p.NodeName == "" {
		return "no node"
	}
	return p.NodeName
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
