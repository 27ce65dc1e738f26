package config

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Pods is what the pods of runs may use beside the CPU and the memory of their shapes. Objects
// that exist already keep what they were created with.
type Pods struct {
	// Network connections that the pods may open.
	Network Network `json:"network"`
	// Disk space of the node that the pods may use.
	Disk Disk `json:"disk"`
}

// Egress says which connections the pods of runs may open.
type Egress string

const (
	// EgressRestricted allows what a run needs, and nothing else.
	EgressRestricted Egress = "Restricted"
	// EgressOpen allows every connection.
	EgressOpen Egress = "Open"
)

// Network is what the NetworkPolicies of a run allow its pods to connect to, in addition to
// what follows from the run. It takes effect with a network plugin that enforces policies.
type Network struct {
	// Egress of all pods of runs. Default Restricted.
	Egress Egress `json:"egress"`
	// DNS servers of the cluster, for clients and replicas. Default: port 53 of the pods in
	// kube-system, and of link-local addresses (a DNS cache on the node).
	DNS []networkingv1.NetworkPolicyEgressRule `json:"dns"`
	// APIServer is the Kubernetes API server, for clients. A NetworkPolicy cannot select it by
	// labels. Default: ports 443 and 6443 of any address.
	APIServer []networkingv1.NetworkPolicyEgressRule `json:"apiServer"`
	// Clients may open these connections besides. Default none.
	Clients []networkingv1.NetworkPolicyEgressRule `json:"clients"`
	// Store is the object store, for targets with a data set. It follows from results.store.
	Store []networkingv1.NetworkPolicyEgressRule `json:"-"`
	// Live is who may read the live figures of clients. Default none: then clients serve none.
	Live *Live `json:"live,omitempty"`
}

// Live are the readers of the live figures of clients.
type Live struct {
	// From are the peers that may connect; empty for everybody.
	From []networkingv1.NetworkPolicyPeer `json:"from"`
}

// Disk bounds what pods write to the disk of their node: working directories, temporary files
// and logs. The data of a database is not part of it, but has a volume of its own.
type Disk struct {
	// Client is the space of a client pod. Default 1Gi to 10Gi.
	Client Space `json:"client"`
	// Target is the space of a database pod. Default 1Gi to 10Gi. The limit is storage.size of
	// the target if that is larger: sorting an index needs as much as the table.
	Target Space `json:"target"`
}

// Space on the disk of a node, in bytes (ephemeral-storage of Kubernetes).
type Space struct {
	// Request is reserved by the scheduler. Greater than 0, at most Limit.
	Request resource.Quantity `json:"request"`
	// Limit of all files together. The kubelet evicts a pod that exceeds it.
	Limit resource.Quantity `json:"limit"`
}

// defaultPods are what pods may use without a configuration.
func defaultPods() Pods {
	port := func(protocol corev1.Protocol, number int32) networkingv1.NetworkPolicyPort {
		return networkingv1.NetworkPolicyPort{Protocol: &protocol, Port: new(intstr.FromInt32(number))}
	}
	space := Space{Request: resource.MustParse("1Gi"), Limit: resource.MustParse("10Gi")}
	return Pods{
		Network: Network{
			Egress: EgressRestricted,
			DNS: []networkingv1.NetworkPolicyEgressRule{{
				To: []networkingv1.NetworkPolicyPeer{
					{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: metav1.NamespaceSystem}}},
					{IPBlock: &networkingv1.IPBlock{CIDR: "169.254.0.0/16"}},
				},
				Ports: []networkingv1.NetworkPolicyPort{port(corev1.ProtocolUDP, 53), port(corev1.ProtocolTCP, 53)},
			}},
			APIServer: []networkingv1.NetworkPolicyEgressRule{{
				Ports: []networkingv1.NetworkPolicyPort{port(corev1.ProtocolTCP, 443), port(corev1.ProtocolTCP, 6443)},
			}},
		},
		Disk: Disk{Client: space, Target: space},
	}
}

// check returns an error that names the first setting that is not valid.
func (p Pods) check() error {
	if e := p.Network.Egress; e != EgressRestricted && e != EgressOpen {
		return fmt.Errorf("pods.network.egress is %q: want %s or %s", e, EgressRestricted, EgressOpen)
	}
	for _, d := range []struct {
		name  string
		space Space
	}{{"client", p.Disk.Client}, {"target", p.Disk.Target}} {
		switch {
		case d.space.Request.Sign() <= 0:
			return fmt.Errorf("pods.disk.%s.request must be greater than 0, such as 1Gi", d.name)
		case d.space.Limit.Cmp(d.space.Request) < 0:
			return fmt.Errorf("pods.disk.%s.limit must be at least the request, %s", d.name, d.space.Request.String())
		}
	}
	return nil
}
