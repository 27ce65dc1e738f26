package benchmarkrun

import (
	"fmt"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/internal/ground/config"
)

// Clients may connect to the object store, where there is one, and to no more than that.
func TestClientsReachTheObjectStore(t *testing.T) {
	own := []networkingv1.NetworkPolicyEgressRule{{To: []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}}}
	tests := map[string]struct {
		endpoint string
		egress   []networkingv1.NetworkPolicyEgressRule
		want     string
	}{
		"no store":                       {want: "[]"},
		"a name":                         {endpoint: "https://s3.example.com", want: "[any 443]"},
		"a name without TLS":             {endpoint: "http://s3.example.com/", want: "[any 80]"},
		"an address and a port":          {endpoint: "http://10.0.0.9:9000", want: "[10.0.0.9/32 9000]"},
		"an address of IPv6":             {endpoint: "https://[2001:db8::9]:9000", want: "[2001:db8::9/128 9000]"},
		"an address of IPv6 443":         {endpoint: "https://[2001:db8::9]", want: "[2001:db8::9/128 443]"},
		"a Service":                      {endpoint: "https://s3.objects.svc", want: "[namespace objects any]"},
		"a Service by its whole name":    {endpoint: "http://s3.objects.svc.cluster.local:9000", want: "[namespace objects any]"},
		"a pod of a Service":             {endpoint: "http://s3-0.s3.objects.svc.cluster.local.", want: "[namespace objects any]"},
		"svc is somebody's name":         {endpoint: "https://s3.svc.example.com", want: "[any 443]"},
		"a Service without a namespace":  {endpoint: "https://s3.svc", want: "[any 443]"},
		"rules of the administrator":     {endpoint: "https://s3.objects.svc", egress: own, want: "[pods any]"},
		"rules without a store are none": {egress: own, want: "[]"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := config.Default()
			c.Results.Store.Endpoint, c.Results.Store.Egress = tt.endpoint, tt.egress
			var got []string
			for _, rule := range podsOf(c).Network.Clients {
				got = append(got, said(rule))
			}
			if fmt.Sprint(got) != tt.want {
				t.Errorf("rules %v, want %s", got, tt.want)
			}
			if len(c.Pods.Network.Clients) > 0 {
				t.Error("the configuration was changed")
			}
		})
	}
}

// said is a rule in short: whom it allows, and the port.
func said(rule networkingv1.NetworkPolicyEgressRule) string {
	to, port := "any", "any"
	if len(rule.To) == 1 {
		switch peer := rule.To[0]; {
		case peer.IPBlock != nil:
			to = peer.IPBlock.CIDR
		case peer.NamespaceSelector != nil:
			to = "namespace " + peer.NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"]
		default:
			to = "pods"
		}
	}
	if len(rule.Ports) == 1 && rule.Ports[0].Port != nil {
		port = rule.Ports[0].Port.String()
	}
	return to + " " + port
}
