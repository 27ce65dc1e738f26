package target

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Found describes what is behind the port of a Service. The problem is why that cannot be measured, in words; empty where
// it can.
func Found(port int32, in decision.Behind) (out v1alpha1.ResolvedService, problem string) {
	spec := in.Service.Spec
	out.Name = in.Service.Name
	if spec.Type == corev1.ServiceTypeExternalName {
		return out, fmt.Sprintf("it is a name of %s, outside of the cluster: give this name as external.host", spec.ExternalName)
	}
	headless := spec.ClusterIP == corev1.ClusterIPNone
	name, has := portNamed(spec.Ports, port)
	if !has && !headless {
		return out, fmt.Sprintf("it has no TCP port %d, but %s: set external.port", port, portsIn(spec.Ports))
	}
	if !headless {
		out.ClusterIP = spec.ClusterIP
	}
	if in.Forbidden {
		out.PodPorts = []int32{port}
		out.Unseen = "the manager may not list endpointslices in the namespace: update its roles with the chart"
		return out, ""
	}
	if len(in.Endpoints) == 0 {
		return out, "nothing that is ready is behind it: wait until its pods are ready, and compare its selector with their labels"
	}
	if len(in.Pods) > v1alpha1.MaxServicePods {
		return out, fmt.Sprintf("more than %d pods are behind it: name a Service of the pods that answer the workload, such as that of the primary", v1alpha1.MaxServicePods)
	}
	strangers := 0
	for _, e := range in.Endpoints {
		to := port // a headless Service translates no ports
		if number, known := e.Ports[name]; known && !headless {
			to = number
		}
		if !slices.Contains(out.PodPorts, to) && len(out.PodPorts) < maxPorts {
			out.PodPorts = append(out.PodPorts, to)
		}
		pod := in.Pods[e.Pod]
		if pod == nil || e.UID != "" && pod.UID != e.UID {
			strangers++
			continue
		}
		if !slices.ContainsFunc(out.Pods, func(p v1alpha1.ServicePod) bool { return p.Name == pod.Name }) { // it has an endpoint for each family of addresses
			out.Pods = append(out.Pods, podOf(pod, to))
		}
	}
	slices.SortFunc(out.Pods, func(a, b v1alpha1.ServicePod) int { return strings.Compare(a.Name, b.Name) })
	if strangers > 0 {
		out.Unseen = fmt.Sprintf("%d of its %d ready endpoints are no pods of the namespace", strangers, len(in.Endpoints))
	}
	return out, ""
}

// maxPorts is the bound of the API.
const maxPorts = 16

// portNamed is the name of a port of a Service.
func portNamed(ports []corev1.ServicePort, number int32) (name string, has bool) {
	for _, p := range ports {
		if p.Port == number && (p.Protocol == "" || p.Protocol == corev1.ProtocolTCP) {
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

// podOf describes a pod that answers at a port.
func podOf(pod *corev1.Pod, port int32) v1alpha1.ServicePod {
	out := v1alpha1.ServicePod{Name: pod.Name, UID: string(pod.UID), NodeName: pod.Spec.NodeName, QOSClass: string(pod.Status.QOSClass)}
	for _, name := range kept {
		if value := pod.Labels[appLabels+name]; value != "" {
			if out.Labels == nil {
				out.Labels = map[string]string{}
			}
			out.Labels[name] = value
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

// Common is what the status of a target shows of the pods behind its Service: what is the same for all of them.
func Common(name string, service v1alpha1.ResolvedService) v1alpha1.TargetStatus {
	out := v1alpha1.TargetStatus{Name: name}
	if len(service.Pods) == 0 || service.Unseen != "" {
		return out
	}
	first := service.Pods[0]
	same := func(of func(v1alpha1.ServicePod) string) string {
		if slices.ContainsFunc(service.Pods, func(p v1alpha1.ServicePod) bool { return of(p) != of(first) }) {
			return ""
		}
		return of(first)
	}
	out.ImageID = same(func(p v1alpha1.ServicePod) string { return p.ImageID })
	out.NodeName = same(func(p v1alpha1.ServicePod) string { return p.NodeName })
	out.QOSClass = same(func(p v1alpha1.ServicePod) string { return p.QOSClass })
	return out
}

// PodsChanged says how the pods behind a Service became others, in words: one for each that came, went, started again, moved or was
// resized. Nil: they are the same.
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
