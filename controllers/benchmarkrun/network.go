package benchmarkrun

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// podsOf is what the pods of runs may use: what is configured, and for clients the object store
// that they bring their results to.
func podsOf(c config.Config) config.Pods {
	pods := c.Pods
	if c.Results.Store.Configured() {
		pods.Network.Store = toStore(c.Results.Store)
		pods.Network.Clients = slices.Concat(pods.Network.Clients, pods.Network.Store)
	}
	return pods
}

// toStore are the rules for the way to an object store: those that are configured, or those that
// follow from its endpoint.
func toStore(s config.Store) []networkingv1.NetworkPolicyEgressRule {
	if len(s.Egress) > 0 {
		return s.Egress
	}
	host, port := serverOf(s.Endpoint)
	if namespace := serviceIn(host); namespace != "" {
		// Plugins compare the address and the port of the pod behind a Service. Nothing here knows
		// that port.
		rule := resources.ToAddress(host, 0)
		rule.To = []networkingv1.NetworkPolicyPeer{{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}},
		}}
		return []networkingv1.NetworkPolicyEgressRule{rule}
	}
	return []networkingv1.NetworkPolicyEgressRule{resources.ToAddress(host, port)}
}

// serviceIn is the namespace of a Service by its name in the DNS of the cluster; empty for any
// other host, and for Services of a cluster with a domain of its own.
func serviceIn(host string) string {
	name, is := strings.CutSuffix(strings.TrimSuffix(strings.TrimSuffix(host, "."), ".cluster.local"), ".svc")
	parts := strings.Split(name, ".")
	if !is || len(parts) < 2 {
		return ""
	}
	return parts[len(parts)-1]
}

// serverOf is the host and the port of an URL. The port is 0, which stands for any, if the URL
// is none: the configuration was checked before.
func serverOf(endpoint string) (string, int32) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return "", 0
	}
	if n, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		return u.Hostname(), int32(n)
	}
	if u.Scheme == "http" {
		return u.Hostname(), 80
	}
	return u.Hostname(), 443
}
