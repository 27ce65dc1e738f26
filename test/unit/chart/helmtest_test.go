package chart

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// helm test runs the check of the manager's image, in a pod that a restricted namespace takes and that
// the NetworkPolicy lets through to the port that it asks.
func TestHelmTest(t *testing.T) {
	o := mustHelm(t, "--set=networkPolicy.enabled=true")
	pod := find[corev1.Pod](t, o, "Pod assay-system/assay-test")
	service := find[corev1.Service](t, o, "Service assay-system/assay-test")
	for _, annotations := range []map[string]string{pod.Annotations, service.Annotations} {
		if annotations["helm.sh/hook"] != "test" {
			t.Errorf("annotations %v", annotations)
		}
	}
	c := pod.Spec.Containers[0]
	if !slices.Contains(c.Command, "check") || !strings.Contains(strings.Join(c.Command, " "), "http://"+service.Name+".assay-system.svc:8081/readyz") {
		t.Errorf("command %v", c.Command)
	}
	if s := pod.Spec.SecurityContext; s == nil || !*s.RunAsNonRoot || *c.SecurityContext.AllowPrivilegeEscalation || len(c.SecurityContext.Capabilities.Drop) != 1 {
		t.Errorf("security %+v, %+v", pod.Spec.SecurityContext, c.SecurityContext)
	}
	for key, want := range service.Spec.Selector {
		if key == "app.kubernetes.io/component" && pod.Labels[key] == want {
			t.Error("the Service selects the pod of the test itself")
		}
	}
	policy := find[networkingv1.NetworkPolicy](t, o, "NetworkPolicy assay-system/assay-manager")
	allowed := slices.ContainsFunc(policy.Spec.Ingress, func(r networkingv1.NetworkPolicyIngressRule) bool {
		return r.Ports[0].Port.String() == "health" && len(r.From) == 1 && r.From[0].PodSelector.MatchLabels["app.kubernetes.io/component"] == pod.Labels["app.kubernetes.io/component"]
	})
	if !allowed {
		t.Errorf("the policy does not let the test through: %+v", policy.Spec.Ingress)
	}
}
