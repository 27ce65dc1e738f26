package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

func pod(namespace, name, node, ip, app string) corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": app}},
		Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{
			Ports: []corev1.ContainerPort{{Name: "mysql", ContainerPort: 3306, Protocol: corev1.ProtocolTCP}},
		}}},
		Status: corev1.PodStatus{PodIP: ip, Phase: corev1.PodRunning},
	}
}

// world has three pods that matter and three that have no address of their own.
func world(policies ...string) cluster {
	c := cluster{
		namespaces: []corev1.Namespace{
			{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"team": "a"}}},
			{ObjectMeta: metav1.ObjectMeta{Name: "b", Labels: map[string]string{"team": "b"}}},
		},
		pods: []corev1.Pod{
			pod("a", "db", "n1", "10.0.0.1", "db"), pod("a", "client", "n2", "10.0.0.2", "client"), pod("b", "dns", "n2", "10.0.0.3", "dns"),
			pod("a", "agent", "n1", "10.9.0.1", "db"), pod("a", "ended", "n1", "10.0.0.9", "db"), pod("a", "new", "n1", "", "db"),
		},
	}
	c.pods[3].Spec.HostNetwork, c.pods[4].Status.Phase = true, corev1.PodSucceeded
	for _, text := range policies {
		var p networkingv1.NetworkPolicy
		if err := yaml.UnmarshalStrict([]byte("metadata: {namespace: a, name: p}\nspec: {"+text+"\n}"), &p); err != nil {
			panic(err)
		}
		if strings.HasSuffix(text, "# in b") {
			p.Namespace = "b"
		}
		c.policies = append(c.policies, p)
	}
	return c
}

// What the database's node lets through, by the policies of namespace a.
func TestRuleset(t *testing.T) {
	const db, both = "podSelector: {matchLabels: {app: db}}, ", "policyTypes: [Ingress, Egress], "
	tests := map[string]struct {
		policies []string
		// from and to are the conditions of the chains of the database; nil without a chain.
		from, to []string
	}{
		"without a policy all is open":             {nil, nil, nil},
		"a policy for somebody else":               {[]string{"podSelector: {matchLabels: {app: x}}, " + both}, nil, nil},
		"an empty policy denies both ways":         {[]string{db + both}, []string{}, []string{}},
		"a policy of another namespace":            {[]string{"podSelector: {}, " + both + "# in b"}, nil, nil},
		"one way only":                             {[]string{db + "policyTypes: [Ingress]"}, nil, []string{}},
		"an empty selector means every pod":        {[]string{"podSelector: {}, policyTypes: [Egress]"}, []string{}, nil},
		"pods of the same namespace, and one port": {[]string{db + both + "ingress: [{from: [{podSelector: {matchLabels: {app: client}}}], ports: [{port: 3306}]}]"}, []string{}, []string{"ip saddr { 10.0.0.2 } tcp dport 3306"}},
		"pods of another namespace":                {[]string{db + both + "egress: [{to: [{namespaceSelector: {matchLabels: {team: b}}}], ports: [{port: 53, protocol: UDP}]}]"}, []string{"ip daddr { 10.0.0.3 } udp dport 53"}, []string{}},
		"pods of a namespace by both":              {[]string{db + both + "egress: [{to: [{namespaceSelector: {matchLabels: {team: b}}, podSelector: {matchLabels: {app: client}}}]}]"}, []string{}, []string{}},
		"every namespace":                          {[]string{db + both + "egress: [{to: [{namespaceSelector: {}}]}]"}, []string{"ip daddr { 10.0.0.1, 10.0.0.2, 10.0.0.3 }"}, []string{}},
		"any peer at a port":                       {[]string{db + both + "egress: [{ports: [{port: 443}, {port: 6443}]}]"}, []string{"tcp dport 443", "tcp dport 6443"}, []string{}},
		"any peer at any port":                     {[]string{db + both + "egress: [{}]"}, []string{""}, []string{}},
		"a protocol":                               {[]string{db + both + "egress: [{ports: [{protocol: TCP}]}]"}, []string{"meta l4proto tcp"}, []string{}},
		"a range of ports":                         {[]string{db + both + "egress: [{ports: [{port: 100, endPort: 200}]}]"}, []string{"tcp dport 100-200"}, []string{}},
		"a block with a hole":                      {[]string{db + both + "egress: [{to: [{ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}]}]"}, []string{"ip daddr 10.0.0.0/8 ip daddr != { 10.1.0.0/16 }"}, []string{}},
		"a block of IPv6":                          {[]string{db + both + "egress: [{to: [{ipBlock: {cidr: 2001:db8::/32}}]}]"}, []string{}, []string{}},
		"a port by its name at the pod itself":     {[]string{db + both + "ingress: [{ports: [{port: mysql}]}]"}, []string{}, []string{"tcp dport 3306"}},
		"a port by its name at the peers":          {[]string{db + both + "egress: [{to: [{podSelector: {matchLabels: {app: client}}}], ports: [{port: mysql}]}]"}, []string{"ip daddr 10.0.0.2 tcp dport 3306"}, []string{}},
		"a port by a name that nobody has":         {[]string{db + both + "egress: [{to: [{podSelector: {}}], ports: [{port: http}]}]"}, []string{}, []string{}},
		"policies add up":                          {[]string{db + both + "egress: [{ports: [{port: 1}]}]", db + "policyTypes: [Egress], egress: [{ports: [{port: 2}]}]"}, []string{"tcp dport 1", "tcp dport 2"}, []string{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			rules, err := world(tt.policies...).ruleset("n1")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.from, chain(rules, "from-10.0.0.1")); diff != "" {
				t.Errorf("egress (-want +got):\n%s\n%s", diff, rules)
			}
			if diff := cmp.Diff(tt.to, chain(rules, "to-10.0.0.1")); diff != "" {
				t.Errorf("ingress (-want +got):\n%s\n%s", diff, rules)
			}
			for _, elsewhere := range []string{"from-10.0.0.2", "from-10.9.0.1", "from-10.0.0.9"} {
				if strings.Contains(rules, elsewhere) {
					t.Errorf("a chain %s for a pod of another node, or without an address:\n%s", elsewhere, rules)
				}
			}
		})
	}
}

// chain returns the conditions of a chain between its first rule, for the pod itself, and the
// last one, which drops the rest; nil without a chain.
func chain(rules, name string) []string {
	_, after, found := strings.Cut(rules, "chain "+name+" {")
	if !found || !strings.Contains(rules, "jump "+name) {
		return nil
	}
	body, _, _ := strings.Cut(after, "\t\tcounter drop\n")
	lines := strings.Split(strings.TrimSpace(body), "\n")
	out := []string{}
	for _, line := range lines[2:] {
		out = append(out, strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "return")))
	}
	return out
}

func TestASelectorThatIsNoneIsAnError(t *testing.T) {
	for _, text := range []string{
		"podSelector: {matchExpressions: [{key: a, operator: Near}]}, policyTypes: [Egress]",
		"podSelector: {}, policyTypes: [Egress], egress: [{to: [{podSelector: {matchExpressions: [{key: a, operator: Near}]}}]}]",
		"podSelector: {}, policyTypes: [Egress], egress: [{to: [{namespaceSelector: {matchExpressions: [{key: a, operator: Near}]}}]}]",
	} {
		if rules, err := world(text).ruleset("n1"); err == nil {
			t.Errorf("%s became\n%s", text, rules)
		}
	}
}
