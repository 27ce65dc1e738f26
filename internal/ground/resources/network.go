package resources

import (
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
)

// NetworkPolicy allows only the clients of the run and the target's replicas to reach the database. Clients reach only
// the agent of a replica. Servers of tenants do not reach each other. A database opens no connections, but a replica connects to its primary, and the agent beside
// it to the object store of a run with a data set.
func (t Target) NetworkPolicy() *networkingv1.NetworkPolicy {
	clients := roleOf(t.Run, v1alpha1.RoleClient)
	ingress := []networkingv1.NetworkPolicyIngressRule{from(clients, DatabasePort, AgentPort)}
	var egress []networkingv1.NetworkPolicyEgressRule
	switch {
	case t.Replica != nil && t.replication() != nil:
		ingress = []networkingv1.NetworkPolicyIngressRule{from(clients, AgentPort)}
		egress = append(slices.Clone(t.Pods.Network.DNS), to(t.roleOf(v1alpha1.RoleTarget), DatabasePort))
	case t.replication() != nil:
		ingress = append(ingress, from(t.roleOf(v1alpha1.RoleReplica), DatabasePort))
	}
	if t.Run.Spec.Data != nil {
		egress = slices.Concat(egress, t.Pods.Network.DNS, t.Pods.Network.Store)
	}
	return policy(t.meta(), t.labels(), t.Pods.Network, ingress, egress)
}

// ClientNetworkPolicy allows the clients of a run to connect to the databases of the run and
// their agents, to the API server and to the DNS servers. Nobody may connect to a client but the
// readers of live figures, where clients serve some.
//
// An external target is allowed by its port: a NetworkPolicy knows no host names. It is
// allowed by its address too if the run names one.
func ClientNetworkPolicy(run *v1alpha1.BenchmarkRun, network config.Network) *networkingv1.NetworkPolicy {
	var egress []networkingv1.NetworkPolicyEgressRule
	if len(run.Provided()) > 0 {
		egress = append(egress, to(roleOf(run, v1alpha1.RoleTarget), DatabasePort, AgentPort))
	}
	if slices.ContainsFunc(run.Provided(), v1alpha1.Target.OwnServers) {
		egress = append(egress, to(roleOf(run, v1alpha1.RoleTenant), DatabasePort, AgentPort))
	}
	if slices.ContainsFunc(run.Provided(), func(t v1alpha1.Target) bool { return t.Replicas() > 0 }) {
		egress = append(egress, to(roleOf(run, v1alpha1.RoleReplica), AgentPort))
	}
	for _, t := range run.Spec.Targets {
		if t.External != nil {
			egress = append(egress, toExternal(*t.External, run.ResolvedTarget(t.Name).Service)...)
		}
	}
	egress = slices.Concat(egress, network.DNS, network.APIServer, network.Clients)
	return policy(clientMeta(run), roleOf(run, v1alpha1.RoleClient), network, readers(network.Live), egress)
}

// readers of the live figures of a client.
func readers(live *config.Live) []networkingv1.NetworkPolicyIngressRule {
	if live == nil {
		return nil
	}
	return []networkingv1.NetworkPolicyIngressRule{{From: live.From, Ports: tcp(LivePort)}}
}

// policy for the pods with the labels: what is not in the rules is denied. With an open egress
// the egress rules do not apply.
func policy(
	meta metav1.ObjectMeta, labels map[string]string, network config.Network,
	ingress []networkingv1.NetworkPolicyIngressRule, egress []networkingv1.NetworkPolicyEgressRule,
) *networkingv1.NetworkPolicy {
	spec := networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: labels},
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		Ingress:     ingress,
	}
	if network.Egress != config.EgressOpen {
		spec.PolicyTypes = append(spec.PolicyTypes, networkingv1.PolicyTypeEgress)
		spec.Egress = egress
	}
	return &networkingv1.NetworkPolicy{ObjectMeta: meta, Spec: spec}
}

// roleOf are the labels of a run's pods of a role.
func roleOf(run *v1alpha1.BenchmarkRun, role string) map[string]string {
	return map[string]string{v1alpha1.LabelRun: run.Name, v1alpha1.LabelRole: role}
}

// roleOf are the labels of the pods of a role that serve the target.
func (t Target) roleOf(role string) map[string]string {
	l := roleOf(t.Run, role)
	l[v1alpha1.LabelTarget] = t.Spec.Name
	return l
}

func from(labels map[string]string, ports ...int32) networkingv1.NetworkPolicyIngressRule {
	return networkingv1.NetworkPolicyIngressRule{From: peers(labels), Ports: tcp(ports...)}
}

func to(labels map[string]string, ports ...int32) networkingv1.NetworkPolicyEgressRule {
	return networkingv1.NetworkPolicyEgressRule{To: peers(labels), Ports: tcp(ports...)}
}

// ToAddress is the rule for a server at a host and a TCP port; a port of 0 means any. A host
// that is no IP address stands for every address, because a NetworkPolicy knows no names.
func ToAddress(host string, port int32) networkingv1.NetworkPolicyEgressRule {
	var rule networkingv1.NetworkPolicyEgressRule
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap().WithZone("")
		block := &networkingv1.IPBlock{CIDR: netip.PrefixFrom(ip, ip.BitLen()).String()}
		rule.To = []networkingv1.NetworkPolicyPeer{{IPBlock: block}}
	}
	rule.Ports = []networkingv1.NetworkPolicyPort{{Protocol: new(corev1.ProtocolTCP)}}
	if port != 0 {
		rule.Ports = tcp(port)
	}
	return rule
}

func peers(labels map[string]string) []networkingv1.NetworkPolicyPeer {
	return []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{MatchLabels: labels}}}
}

func tcp(numbers ...int32) []networkingv1.NetworkPolicyPort {
	var ports []networkingv1.NetworkPolicyPort
	for _, n := range numbers {
		ports = append(ports, networkingv1.NetworkPolicyPort{Protocol: new(corev1.ProtocolTCP), Port: new(intstr.FromInt32(n))})
	}
	return ports
}
