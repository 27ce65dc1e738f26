package benchmarkrun

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	servers "github.com/assay-bench/assay/controllers/benchmarkrun/target"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// behind a Service of the namespace of the run, read from the API server: nothing of others is kept in a cache. What others
// wrote may be large, so that it is read one object after the other, and little of each is kept.
func (r *reader) behind(ctx context.Context, service string) (any, error) {
	out := decision.Behind{Service: &corev1.Service{}, Pods: map[string]*corev1.Pod{}}
	err := r.live.Get(ctx, client.ObjectKey{Namespace: r.run.Namespace, Name: service}, out.Service)
	switch {
	case apierrors.IsNotFound(err):
		return decision.Absent{}, nil
	case err != nil:
		return nil, fmt.Errorf("reading Service %s: %w", service, err)
	}
	out.Service.ObjectMeta = metav1.ObjectMeta{Namespace: r.run.Namespace, Name: service}
	if err := r.endpointsBehind(ctx, &out); err != nil {
		return nil, err
	}
	return out, r.podsBehind(ctx, &out)
}

// mostSlices of a Service are read: each may have 1,000 endpoints, and a Service with more pods than MaxServicePods is refused.
const mostSlices = 8

// endpointsBehind a Service, one slice after the other, until more pods are named than a Service may have.
func (r *reader) endpointsBehind(ctx context.Context, out *decision.Behind) error {
	next := ""
	for range mostSlices {
		var list discoveryv1.EndpointSliceList
		err := r.live.List(ctx, &list, client.InNamespace(r.run.Namespace), client.MatchingLabels{discoveryv1.LabelServiceName: out.Service.Name}, client.Limit(1), client.Continue(next))
		switch {
		case apierrors.IsForbidden(err):
			out.Forbidden = true
			return nil
		case err != nil:
			return fmt.Errorf("listing the EndpointSlices of Service %s: %w", out.Service.Name, err)
		}
		names := out.Names()
		for _, slice := range list.Items {
			for _, e := range readyIn(slice, r.run.Namespace) {
				if e.Pod != "" && !slices.Contains(names, e.Pod) {
					names = append(names, e.Pod)
				}
				out.Endpoints = append(out.Endpoints, e)
				if len(names) > v1alpha1.MaxServicePods {
					return nil
				}
			}
		}
		if next = list.Continue; next == "" {
			return nil
		}
	}
	out.Cut = true
	return nil
}

// readyIn a slice are the endpoints that get connections.
func readyIn(slice discoveryv1.EndpointSlice, namespace string) (out []decision.Endpoint) {
	ports := map[string]int32{}
	for _, p := range slice.Ports {
		if p.Port != nil && (p.Protocol == nil || *p.Protocol == corev1.ProtocolTCP) {
			name := ""
			if p.Name != nil {
				name = *p.Name
			}
			ports[name] = *p.Port
		}
	}
	for _, e := range slice.Endpoints {
		if e.Conditions.Ready != nil && !*e.Conditions.Ready {
			continue
		}
		one := decision.Endpoint{Ports: ports}
		if ref := e.TargetRef; ref != nil && ref.Kind == "Pod" && (ref.Namespace == "" || ref.Namespace == namespace) {
			one.Pod, one.UID = ref.Name, ref.UID
		}
		out = append(out, one)
	}
	return out
}

// podsBehind are read one by one; none where there are more than a Service may have, whether they are there or not: whoever writes slices
// can name pods that do not exist.
func (r *reader) podsBehind(ctx context.Context, out *decision.Behind) error {
	names := out.Names()
	if len(names) > v1alpha1.MaxServicePods {
		return nil
	}
	for _, name := range names {
		pod := &corev1.Pod{}
		err := r.live.Get(ctx, client.ObjectKey{Namespace: r.run.Namespace, Name: name}, pod)
		switch {
		case apierrors.IsNotFound(err):
			continue
		case err != nil:
			return fmt.Errorf("reading pod %s behind Service %s: %w", name, out.Service.Name, err)
		}
		out.Pods[name] = slimServer(pod)
	}
	return nil
}

const (
	// mostContainers of a pod are kept, and mostPorts of each.
	mostContainers = 16
	mostPorts      = 32
)

// slimServer is a copy that keeps of a pod of others what tells what answers there: a pod may have more than 1 MiB. Of a container beyond the
// bounds nothing is known.
func slimServer(pod *corev1.Pod) *corev1.Pod {
	out := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, DeletionTimestamp: pod.DeletionTimestamp, Labels: maps.Clone(pod.Labels)},
		Spec:       corev1.PodSpec{NodeName: pod.Spec.NodeName, HostNetwork: pod.Spec.HostNetwork},
		Status:     corev1.PodStatus{Phase: pod.Status.Phase, QOSClass: pod.Status.QOSClass},
	}
	maps.DeleteFunc(out.Labels, func(name, _ string) bool { return !servers.KeepsLabel(name) })
	for _, c := range pod.Spec.Containers[:min(len(pod.Spec.Containers), mostContainers)] {
		one := corev1.Container{Name: c.Name, Image: contract.Cut(c.Image, contract.MaxText), Resources: slimResources(c.Resources)}
		for _, p := range c.Ports[:min(len(c.Ports), mostPorts)] {
			one.Ports = append(one.Ports, corev1.ContainerPort{ContainerPort: p.ContainerPort})
		}
		out.Spec.Containers = append(out.Spec.Containers, one)
	}
	for _, s := range pod.Status.ContainerStatuses[:min(len(pod.Status.ContainerStatuses), mostContainers)] {
		if !slices.ContainsFunc(out.Spec.Containers, func(c corev1.Container) bool { return c.Name == s.Name }) {
			continue
		}
		one := corev1.ContainerStatus{Name: s.Name, ImageID: contract.Cut(s.ImageID, contract.MaxText), RestartCount: s.RestartCount}
		if s.Resources != nil {
			one.Resources = new(slimResources(*s.Resources))
		}
		out.Status.ContainerStatuses = append(out.Status.ContainerStatuses, one)
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			out.Status.Conditions = []corev1.PodCondition{{Type: c.Type, Status: c.Status}}
		}
	}
	return out
}

// slimResources are the CPUs and the memory.
func slimResources(all corev1.ResourceRequirements) corev1.ResourceRequirements {
	kept := func(list corev1.ResourceList) corev1.ResourceList {
		out := corev1.ResourceList{}
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			if q, has := list[name]; has {
				out[name] = q
			}
		}
		return out
	}
	return corev1.ResourceRequirements{Requests: kept(all.Requests), Limits: kept(all.Limits)}
}
