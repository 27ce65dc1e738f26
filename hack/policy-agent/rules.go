package main

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// table of nftables that holds all rules.
const table = "assay-policies"

// way is a direction of traffic, seen from the restricted pod.
type way struct {
	policy networkingv1.PolicyType
	// own and peer are the fields of a packet with the addresses of the pod and of its peer.
	own, peer string
	// chain has the rules of a pod, after this prefix.
	chain string
}

var ways = []way{
	{networkingv1.PolicyTypeEgress, "saddr", "daddr", "from-"},
	{networkingv1.PolicyTypeIngress, "daddr", "saddr", "to-"},
}

// rule of a policy, in either direction.
type rule struct {
	peers []networkingv1.NetworkPolicyPeer
	ports []networkingv1.NetworkPolicyPort
}

// rulesOf a policy in a direction.
func rulesOf(p networkingv1.NetworkPolicy, direction networkingv1.PolicyType) []rule {
	var out []rule
	if direction == networkingv1.PolicyTypeEgress {
		for _, r := range p.Spec.Egress {
			out = append(out, rule{r.To, r.Ports})
		}
		return out
	}
	for _, r := range p.Spec.Ingress {
		out = append(out, rule{r.From, r.Ports})
	}
	return out
}

// ruleset is the table for the pods of a node, in the language of nft -f. It replaces the one
// that is there.
func (c cluster) ruleset(node string) (string, error) {
	c.pods = withAddress(c.pods)
	slices.SortFunc(c.pods, func(a, b corev1.Pod) int {
		return cmp.Or(strings.Compare(a.Status.PodIP, b.Status.PodIP), b.CreationTimestamp.Compare(a.CreationTimestamp.Time))
	})
	// The end of a pod may be reported after its address was given to another, which is newer.
	c.pods = slices.CompactFunc(c.pods, func(a, b corev1.Pod) bool { return a.Status.PodIP == b.Status.PodIP })
	slices.SortFunc(c.policies, func(a, b networkingv1.NetworkPolicy) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	var chains, lookups strings.Builder
	for _, w := range ways {
		var jumps []string
		for _, pod := range c.pods {
			lines, isolated, err := c.restrict(pod, w)
			if err != nil {
				return "", err
			}
			if pod.Spec.NodeName != node || !isolated {
				continue
			}
			ip := pod.Status.PodIP
			jumps = append(jumps, fmt.Sprintf("%s : jump %s%s", ip, w.chain, ip))
			fmt.Fprintf(&chains, "\tchain %s%s { # %s/%s\n\t\tip %s %s return\n", w.chain, ip, pod.Namespace, pod.Name, w.peer, ip)
			for _, line := range lines {
				fmt.Fprintf(&chains, "\t\t%s return\n", line)
			}
			chains.WriteString("\t\tcounter drop\n\t}\n")
		}
		if len(jumps) > 0 {
			fmt.Fprintf(&lookups, "\t\tip %s vmap { %s }\n", w.own, strings.Join(jumps, ", "))
		}
	}
	return fmt.Sprintf("table ip %s\ndelete table ip %s\ntable ip %s {\n%s\tchain forward {\n"+
		"\t\ttype filter hook forward priority filter; policy accept;\n\t\tct state established,related accept\n%s\t}\n}\n",
		table, table, table, chains.String(), lookups.String()), nil
}

// restrict returns the packets that a pod may exchange in a direction, as conditions of
// nftables; isolated is false for a pod that no policy restricts.
func (c cluster) restrict(pod corev1.Pod, w way) (lines []string, isolated bool, err error) {
	policies, err := c.isolating(pod, w.policy)
	for _, p := range policies {
		for _, r := range rulesOf(p, w.policy) {
			more, err := c.conditions(p.Namespace, pod, w, r)
			if err != nil {
				return nil, true, fmt.Errorf("policy %s/%s: %w", p.Namespace, p.Name, err)
			}
			lines = append(lines, more...)
		}
	}
	return lines, len(policies) > 0, err
}

// conditions of one rule for one pod.
func (c cluster) conditions(namespace string, pod corev1.Pod, w way, r rule) ([]string, error) {
	if len(r.peers) == 0 {
		return join("", portsAt(r.ports, receiver(w, pod, nil))), nil
	}
	var out []string
	for _, peer := range r.peers {
		if peer.IPBlock != nil {
			if block := blockOf(*peer.IPBlock, w.peer); block != "" {
				out = append(out, join(block, portsAt(r.ports, receiver(w, pod, nil)))...)
			}
			continue
		}
		pods, err := c.peerPods(namespace, peer)
		if err != nil {
			return nil, err
		}
		out = append(out, toPods(pods, pod, w, r.ports)...)
	}
	return out, nil
}

// toPods are the conditions for peers that are pods: one for all of them, or one for each when
// a port has a name, whose number each pod decides.
func toPods(peers []corev1.Pod, pod corev1.Pod, w way, ports []networkingv1.NetworkPolicyPort) []string {
	named := slices.ContainsFunc(ports, func(p networkingv1.NetworkPolicyPort) bool { return p.Port != nil && p.Port.Type == intstr.String })
	var all, out []string
	for _, p := range peers {
		address := p.Status.PodIP
		all = append(all, address)
		if named {
			out = append(out, join(fmt.Sprintf("ip %s %s ", w.peer, address), portsAt(ports, receiver(w, pod, &p)))...)
		}
	}
	if named || len(all) == 0 {
		return out
	}
	return join(fmt.Sprintf("ip %s { %s } ", w.peer, strings.Join(all, ", ")), portsAt(ports, nil))
}

// receiver of a packet: the restricted pod itself, or its peer if that is a pod.
func receiver(w way, own corev1.Pod, peer *corev1.Pod) *corev1.Pod {
	if w.policy == networkingv1.PolicyTypeIngress {
		return &own
	}
	return peer
}

func blockOf(b networkingv1.IPBlock, field string) string {
	if p, err := netip.ParsePrefix(b.CIDR); err != nil || !p.Addr().Is4() {
		return ""
	}
	text := fmt.Sprintf("ip %s %s ", field, b.CIDR)
	if len(b.Except) > 0 {
		text += fmt.Sprintf("ip %s != { %s } ", field, strings.Join(b.Except, ", "))
	}
	return text
}

// portsAt are the conditions for the ports of a rule at a receiver, one for each port. No
// ports in the rule mean all of them.
func portsAt(ports []networkingv1.NetworkPolicyPort, receiver *corev1.Pod) []string {
	if len(ports) == 0 {
		return []string{""}
	}
	var out []string
	for _, p := range ports {
		protocol := strings.ToLower(string(protocolOf(p)))
		if p.Port == nil {
			out = append(out, "meta l4proto "+protocol+" ")
			continue
		}
		if number, known := numberOf(p, receiver); known {
			out = append(out, fmt.Sprintf("%s dport %s ", protocol, number))
		}
	}
	return out
}

// join puts the condition on the peer before each condition on ports.
func join(peer string, ports []string) []string {
	var out []string
	for _, p := range ports {
		out = append(out, strings.TrimSpace(peer+p))
	}
	return out
}
