package resources

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Targets of a run whose clients are restricted.
var (
	mysql   = target().Spec
	copies  = target(replicated).Spec
	outside = v1alpha1.Target{Name: "outside", External: &v1alpha1.ExternalTarget{Host: "10.0.0.7", Port: 3307}}
)

// with is a run with targets.
func with(targets ...v1alpha1.Target) *v1alpha1.BenchmarkRun {
	r := run()
	r.Spec.Targets = targets
	return r
}

// An external target is allowed as narrowly as a NetworkPolicy can say it.
func TestRulesForExternalTargets(t *testing.T) {
	jdbc := func(url string) v1alpha1.ExternalTarget {
		return v1alpha1.ExternalTarget{JDBC: &v1alpha1.JDBCEndpoint{URL: url}}
	}
	tests := map[string]struct {
		external v1alpha1.ExternalTarget
		// want has CIDR or "any", and the port or "any", of each rule.
		want []string
	}{
		"an address":                        {v1alpha1.ExternalTarget{Host: "10.0.0.7", Port: 3307}, []string{"10.0.0.7/32 3307"}},
		"an address of IPv6":                {v1alpha1.ExternalTarget{Host: "2001:db8::7", Port: 3306}, []string{"2001:db8::7/128 3306"}},
		"a mapped address":                  {v1alpha1.ExternalTarget{Host: "::ffff:10.0.0.7", Port: 3306}, []string{"10.0.0.7/32 3306"}},
		"a name is known to no policy":      {v1alpha1.ExternalTarget{Host: "db.example", Port: 3306}, []string{"any 3306"}},
		"an URL with a port":                {jdbc("jdbc:sqlserver://10.0.0.8:1434;databaseName=a"), []string{"10.0.0.8/32 1434"}},
		"an URL with its driver's port":     {jdbc("jdbc:postgresql://db.example/a?b=c:1"), []string{"any 5432"}},
		"an URL of IPv6":                    {jdbc("jdbc:postgresql://[2001:db8::7]:5433/a"), []string{"2001:db8::7/128 5433"}},
		"an URL of IPv6 without a port":     {jdbc("jdbc:mariadb://[2001:db8::7]/a"), []string{"2001:db8::7/128 3306"}},
		"an URL with several servers":       {jdbc("jdbc:mysql:replication://10.0.0.1:3306,10.0.0.2/a"), []string{"10.0.0.1/32 3306", "10.0.0.2/32 3306"}},
		"several URLs":                      {jdbc("jdbc:postgresql://10.0.0.1/a;jdbc:postgresql://10.0.0.2:6000/a"), []string{"10.0.0.1/32 5432", "10.0.0.2/32 6000"}},
		"a named instance":                  {jdbc(`jdbc:sqlserver://10.0.0.8\express:1500;encrypt=true`), []string{"10.0.0.8/32 any"}},
		"a port among the properties":       {jdbc("jdbc:sqlserver://10.0.0.8;portNumber=1500"), []string{"10.0.0.8/32 any"}},
		"a host among the properties":       {jdbc("jdbc:sqlserver://10.0.0.8;failoverPartner=b"), []string{"any any"}},
		"a driver whose port is not known":  {jdbc("jdbc:db9://10.0.0.8/a"), []string{"10.0.0.8/32 any"}},
		"an URL of Informix":                {jdbc("jdbc:informix-sqli://10.0.0.8:9088/a:INFORMIXSERVER=b;SSLCONNECTION=true"), []string{"10.0.0.8/32 9088"}},
		"a port that is none":               {jdbc("jdbc:postgresql://10.0.0.8:x/a"), []string{"10.0.0.8/32 any"}},
		"an URL of a form that is not read": {jdbc("jdbc:oracle:thin:@10.0.0.8:1521:a"), []string{"any any"}},
		"servers as a list of properties":   {jdbc("jdbc:mysql://(host=10.0.0.8,port=1),(host=b)/a"), []string{"any any"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, rule := range toExternal(tt.external, nil) {
				address, port := "any", "any"
				if len(rule.To) > 0 {
					address = rule.To[0].IPBlock.CIDR
				}
				if p := rule.Ports[0].Port; p != nil {
					port = p.String()
				}
				got = append(got, address+" "+port)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Clients reach a Service by its own address, and the ports of the pods behind it on any pod of the namespace.
func TestAServiceIsReachedByItsPods(t *testing.T) {
	external := v1alpha1.ExternalTarget{ServiceRef: &v1alpha1.ServiceRef{Name: "db"}, Port: 3307}
	pods := []v1alpha1.ServicePod{{Name: "db-0"}}
	anyPod := to(nil, 3306)
	for name, tt := range map[string]struct {
		service v1alpha1.ResolvedService
		want    []networkingv1.NetworkPolicyEgressRule
	}{
		"with an address": {v1alpha1.ResolvedService{ClusterIPs: []string{"10.0.0.9"}, PodPorts: []int32{3306}, Pods: pods}, []networkingv1.NetworkPolicyEgressRule{ToAddress("10.0.0.9", 3307), anyPod}},
		"with two addresses": {v1alpha1.ResolvedService{ClusterIPs: []string{"10.0.0.9", "fd00::9"}, PodPorts: []int32{3306}, Pods: pods},
			[]networkingv1.NetworkPolicyEgressRule{ToAddress("10.0.0.9", 3307), ToAddress("fd00::9", 3307), anyPod}},
		"a pod with the network of its node": {v1alpha1.ResolvedService{PodPorts: []int32{3306}, Pods: []v1alpha1.ServicePod{{Name: "db-0"}, {Name: "db-1", HostNetwork: true}}},
			[]networkingv1.NetworkPolicyEgressRule{ToAddress("", 3306)}},
		"a port that is not known": {v1alpha1.ResolvedService{Unseen: "why"}, []networkingv1.NetworkPolicyEgressRule{ToAddress("", 0)}},
		"headless":                 {v1alpha1.ResolvedService{PodPorts: []int32{3306}, Pods: pods}, []networkingv1.NetworkPolicyEgressRule{anyPod}},
		"endpoints that are no pods of the namespace may be anywhere": {v1alpha1.ResolvedService{ClusterIPs: []string{"10.0.0.9"}, PodPorts: []int32{3306}, Unseen: "why"},
			[]networkingv1.NetworkPolicyEgressRule{ToAddress("10.0.0.9", 3307), ToAddress("", 3306)}},
		"pods, and endpoints that are none": {v1alpha1.ResolvedService{PodPorts: []int32{3306}, Pods: pods, Unseen: "why"}, []networkingv1.NetworkPolicyEgressRule{ToAddress("", 3306)}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, toExternal(external, &tt.service)); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
		})
	}
	if anyPod.To[0].PodSelector == nil || anyPod.To[0].NamespaceSelector != nil {
		t.Errorf("%+v is not any pod of the namespace", anyPod)
	}
}

// The space of a database pod grows with its data: an index is sorted in temporary files.
func TestSpaceOfADatabase(t *testing.T) {
	for size, want := range map[string]string{"1Gi": "10Gi", "500Gi": "500Gi"} {
		db := target(func(x *Target) { x.Spec.MySQL.Storage.Size = resource.MustParse(size) })
		db.Pods = config.Default().Pods
		if got := db.space().Limit; got.Cmp(resource.MustParse(want)) != 0 {
			t.Errorf("with %s of data: %v, want %s", size, got, want)
		}
	}
}

// The agent beside a server reaches the object store and DNS where the run has a data set, and nothing otherwise.
func TestADatabaseReachesTheStoreForItsData(t *testing.T) {
	own := target(func(t *Target) {
		t.Pods.Network.Store = []networkingv1.NetworkPolicyEgressRule{ToAddress("10.0.0.9", 9000)}
	})
	if egress := own.NetworkPolicy().Spec.Egress; len(egress) > 0 {
		t.Errorf("without a data set: %+v", egress)
	}
	own.Run.Spec.Data = &v1alpha1.DataSet{Name: "sbtest"}
	if diff := cmp.Diff(slices.Concat(own.Pods.Network.DNS, own.Pods.Network.Store), own.NetworkPolicy().Spec.Egress); diff != "" {
		t.Errorf("with a data set (-want +got):\n%s", diff)
	}
}

// A client that loads a data set may read the Secret with its URLs.
func TestALoadReadsItsDataOffer(t *testing.T) {
	c := Client{Run: run(), Name: "run-db-load", Trial: contract.Trial{Clients: 1, Store: &contract.Store{}, DataSet: "sbtest"}}
	var names []string
	for _, rule := range c.Role().Rules {
		if slices.Contains(rule.Resources, "secrets") {
			names = append(names, rule.ResourceNames...)
		}
	}
	if want := []string{"run-db-load-data", "run-db-load-upload-0"}; !slices.Equal(names, want) {
		t.Errorf("it reads %v, want %v", names, want)
	}
}

// Servers of tenants are reached by the clients alone, each has objects and labels of its own, one schema, and a name in the certificate.
func TestServersOfTenants(t *testing.T) {
	own := target(required, func(x *Target) {
		x.Spec.MySQL.Tenancy, x.Run.Spec.Tenants = v1alpha1.TenancyServers, 3
		x.Run.Spec.Targets = []v1alpha1.Target{x.Spec}
		x.Run.Status.Resolved.Targets = []v1alpha1.ResolvedTarget{x.Resolved}
		x.Run.Status.Placement = &v1alpha1.Placement{Targets: []v1alpha1.TargetPlacement{{Name: "db", NodeName: "a", ReplicaNodeNames: []string{"a", "b"}}}}
	})
	servers := append([]Target{own}, Further(own.Run, own.Spec)...)
	if len(servers) != 3 || servers[2].Node != "b" || FurtherName("run", own.Spec, 1) != NameOf(servers[2]) {
		t.Fatalf("%d servers, the last on %s as %s", len(servers), servers[2].Node, NameOf(servers[2]))
	}
	for i, want := range []string{"run-db-db", "run-db-tenant-2", "run-db-tenant-3"} {
		b := servers[i]
		if NameOf(b) != want || OfTenant(own.Run, own.Spec, i+1).Address() != want+".ns.svc" || !slices.Contains(own.Names(), want+".ns.svc") {
			t.Errorf("server %d is %s at %s, and the certificate has %q", i, NameOf(b), b.Address(), own.Names())
		}
		set, rules := b.StatefulSet(), b.NetworkPolicy().Spec
		for _, other := range servers[:i] {
			if cmp.Equal(other.Service().Spec.Selector, b.Service().Spec.Selector) {
				t.Errorf("%s and %s have one selector: %v", NameOf(other), NameOf(b), set.Labels)
			}
		}
		clients := []networkingv1.NetworkPolicyIngressRule{from(roleOf(own.Run, v1alpha1.RoleClient), DatabasePort, AgentPort)}
		if diff := cmp.Diff(clients, rules.Ingress); diff != "" || len(rules.Egress) != 0 {
			t.Errorf("%s: ingress %s, egress %v", want, diff, rules.Egress)
		}
		var told contract.Target
		if err := json.Unmarshal([]byte(b.ConfigMap().Data[contract.KeyTarget]), &told); err != nil || told.Tenants != 0 || told.Replication != nil || told.Database != Database {
			t.Errorf("%s is told %+v (%v)", want, told, err)
		}
	}
	egress := ClientNetworkPolicy(own.Run, config.Default().Pods.Network).Spec.Egress
	if !slices.ContainsFunc(egress, func(r networkingv1.NetworkPolicyEgressRule) bool {
		return cmp.Equal(r, to(roleOf(own.Run, v1alpha1.RoleTenant), DatabasePort, AgentPort))
	}) {
		t.Errorf("clients reach %v", egress)
	}
	if shared := target(func(x *Target) { x.Run.Spec.Tenants = 3 }); len(Further(shared.Run, shared.Spec)) != 0 || len(shared.Names()) != 4 {
		t.Errorf("of tenants in one server there are others: %q", shared.Names())
	}
}
