package main

import (
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// cluster is what the rules are derived from.
type cluster struct {
	pods       []corev1.Pod
	namespaces []corev1.Namespace
	policies   []networkingv1.NetworkPolicy
}

// pods with an address of their own: neither those of the node's network nor those that have
// ended, whose address may belong to another pod.
func withAddress(pods []corev1.Pod) []corev1.Pod {
	var out []corev1.Pod
	for _, p := range pods {
		ended := p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
		if ip, err := netip.ParseAddr(p.Status.PodIP); err == nil && ip.Is4() && !p.Spec.HostNetwork && !ended {
			out = append(out, p)
		}
	}
	return out
}

// isolating are the policies that restrict a pod in a direction.
func (c cluster) isolating(pod corev1.Pod, direction networkingv1.PolicyType) ([]networkingv1.NetworkPolicy, error) {
	var out []networkingv1.NetworkPolicy
	for _, p := range c.policies {
		selects, err := metav1.LabelSelectorAsSelector(&p.Spec.PodSelector)
		if err != nil {
			return nil, fmt.Errorf("policy %s/%s: %w", p.Namespace, p.Name, err)
		}
		if p.Namespace == pod.Namespace && slices.Contains(p.Spec.PolicyTypes, direction) && selects.Matches(labels.Set(pod.Labels)) {
			out = append(out, p)
		}
	}
	return out, nil
}

// peerPods are the pods that a peer of a policy selects.
func (c cluster) peerPods(namespace string, peer networkingv1.NetworkPolicyPeer) ([]corev1.Pod, error) {
	namespaces := []string{namespace}
	if peer.NamespaceSelector != nil {
		selects, err := metav1.LabelSelectorAsSelector(peer.NamespaceSelector)
		if err != nil {
			return nil, err
		}
		namespaces = nil
		for _, n := range c.namespaces {
			if selects.Matches(labels.Set(n.Labels)) {
				namespaces = append(namespaces, n.Name)
			}
		}
	}
	selects := labels.Everything()
	if peer.PodSelector != nil {
		var err error
		if selects, err = metav1.LabelSelectorAsSelector(peer.PodSelector); err != nil {
			return nil, err
		}
	}
	var out []corev1.Pod
	for _, p := range c.pods {
		if slices.Contains(namespaces, p.Namespace) && selects.Matches(labels.Set(p.Labels)) {
			out = append(out, p)
		}
	}
	return out, nil
}

// numberOf a port of a rule, as nftables writes it, at a receiving pod; false when the pod has
// no port of that name.
func numberOf(port networkingv1.NetworkPolicyPort, pod *corev1.Pod) (string, bool) {
	switch {
	case port.Port.Type == intstr.Int && port.EndPort != nil:
		return fmt.Sprintf("%d-%d", port.Port.IntVal, *port.EndPort), true
	case port.Port.Type == intstr.Int:
		return port.Port.String(), true
	case pod == nil:
		return "", false
	}
	for _, container := range pod.Spec.Containers {
		for _, p := range container.Ports {
			if p.Name == port.Port.StrVal && p.Protocol == protocolOf(port) {
				return fmt.Sprint(p.ContainerPort), true
			}
		}
	}
	return "", false
}

func protocolOf(port networkingv1.NetworkPolicyPort) corev1.Protocol {
	if port.Protocol == nil {
		return corev1.ProtocolTCP
	}
	return *port.Protocol
}
