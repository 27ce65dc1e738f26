package benchmarkrun

import (
	"context"
	"fmt"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
)

// behind a Service of the namespace of the run, read from the API server: nothing of others is kept in a cache.
func (r *reader) behind(ctx context.Context, service string) (any, error) {
	out := decision.Behind{Service: &corev1.Service{}, Pods: map[string]*corev1.Pod{}}
	err := r.live.Get(ctx, client.ObjectKey{Namespace: r.run.Namespace, Name: service}, out.Service)
	switch {
	case apierrors.IsNotFound(err):
		return decision.Absent{}, nil
	case err != nil:
		return nil, fmt.Errorf("reading Service %s: %w", service, err)
	}
	var slices discoveryv1.EndpointSliceList
	err = r.live.List(ctx, &slices, client.InNamespace(r.run.Namespace), client.MatchingLabels{discoveryv1.LabelServiceName: service}, client.Limit(mostSlices))
	switch {
	case apierrors.IsForbidden(err):
		out.Forbidden = true
		return out, nil
	case err != nil:
		return nil, fmt.Errorf("listing the EndpointSlices of Service %s: %w", service, err)
	}
	for _, slice := range slices.Items {
		out.Endpoints = append(out.Endpoints, readyIn(slice, r.run.Namespace)...)
	}
	return out, r.podsBehind(ctx, &out)
}

// mostSlices of a Service are read: each may have 1,000 endpoints, and a Service with more pods than MaxServicePods is refused.
const mostSlices = 8

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

// podsBehind are read one by one, up to one more than a Service may have.
func (r *reader) podsBehind(ctx context.Context, out *decision.Behind) error {
	for _, e := range out.Endpoints {
		if out.Pods[e.Pod] != nil || e.Pod == "" || len(out.Pods) > v1alpha1.MaxServicePods {
			continue
		}
		pod := &corev1.Pod{}
		err := r.live.Get(ctx, client.ObjectKey{Namespace: r.run.Namespace, Name: e.Pod}, pod)
		switch {
		case apierrors.IsNotFound(err): // it has just gone
			continue
		case err != nil:
			return fmt.Errorf("reading pod %s behind Service %s: %w", e.Pod, out.Service.Name, err)
		}
		pod.Annotations, pod.ManagedFields, pod.Spec.Volumes, pod.Spec.InitContainers = nil, nil, nil, nil
		maps.DeleteFunc(pod.Labels, func(name, _ string) bool { return !strings.HasPrefix(name, "app.kubernetes.io/") })
		out.Pods[e.Pod] = pod
	}
	return nil
}
