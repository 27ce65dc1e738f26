package resources

import (
	"fmt"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/ground/certificate"
	"github.com/assay-bench/assay/internal/ground/config"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Names and paths inside a database pod. Those that the agent uses too are in package contract.
const (
	// ServerContainer is the container of the database server.
	ServerContainer = "server"
	// DatabasePort of every server that Assay provides.
	DatabasePort int32 = 3306
	// Database is the schema of the benchmark in every server that Assay provides.
	Database = "assay"
	// Username of the benchmark's account in every server that Assay provides.
	Username = "assay"
	// ReplicationUsername is the name of the account for replication.
	ReplicationUsername = "assay_replication"
	// SetterUsername is the name of the account with which an agent changes variables of its server.
	SetterUsername = contract.SetterUsername

	// AgentPort is the HTTP port of the agent in a database pod.
	AgentPort = contract.AgentPort

	agentBinary = contract.DirAgent + "/assay-agent"
)

// Target is the input for the objects of a provided database.
type Target struct {
	Run *v1alpha1.BenchmarkRun
	// Spec of the target in the run; Spec.MySQL is set.
	Spec v1alpha1.Target
	// Resolved inputs of the target; Resolved.Shape is set.
	Resolved v1alpha1.ResolvedTarget
	// AgentImage is the image of the agent.
	AgentImage string
	// Node of the database pod.
	Node string
	// Stopped: the StatefulSet has no pod.
	Stopped bool
	// Replica is the index of the replica to build, or of the server of a tenant from the second on; nil for the first server.
	Replica *int
	// Pods is what the pod may use beside its shape.
	Pods config.Pods
}

func (t Target) name() string {
	if t.Replica != nil {
		return FurtherName(t.Run.Name, t.Spec, *t.Replica)
	}
	return t.secretName()
}

// NameOf the StatefulSet of a server, and of the objects beside it.
func NameOf(t Target) string { return t.name() }

// secretName: the further servers share the credentials of their target.
func (t Target) secretName() string { return contract.TargetName(t.Run.Name, t.Spec.Name) }

func (t Target) labels() map[string]string {
	more := map[string]string{v1alpha1.LabelTarget: t.Spec.Name}
	switch {
	case t.Replica == nil:
		return Labels(t.Run, v1alpha1.RoleTarget, more)
	case t.Spec.OwnServers():
		more[v1alpha1.LabelTenant] = strconv.Itoa(tenantOf(*t.Replica))
		return Labels(t.Run, v1alpha1.RoleTenant, more)
	}
	more[v1alpha1.LabelReplica] = strconv.Itoa(*t.Replica)
	return Labels(t.Run, v1alpha1.RoleReplica, more)
}

func (t Target) meta() metav1.ObjectMeta { return Meta(t.Run, t.name(), t.labels()) }

// HasTLS reports whether the server gets a certificate.
func (t Target) HasTLS() bool {
	return t.Spec.MySQL.TLS == v1alpha1.TLSPreferred || t.Spec.MySQL.TLS == v1alpha1.TLSRequired
}

// Secret holds the generated credentials of the benchmark's account, the key of the agent, and
// with TLS the certificates of the server and of the clients. They are in one object, so they are
// created together or not at all. ClientKeys and podSpec select the keys for each pod.
func (t Target) Secret(password, agentKey string, certs certificate.Bundle) *corev1.Secret {
	data := map[string][]byte{
		contract.KeyUsername: []byte(Username),
		contract.KeyPassword: []byte(password),
		contract.KeyAgent:    []byte(agentKey),
	}
	if t.HasTLS() {
		data[contract.KeyCA] = certs.CA
		data[contract.KeyCert], data[contract.KeyKey] = certs.ClientCert, certs.ClientKey
		data[contract.KeyServerCert], data[contract.KeyServerKey] = certs.ServerCert, certs.ServerKey
	}
	return &corev1.Secret{ObjectMeta: t.meta(), Immutable: new(true), Data: data}
}

// ClientKeys are the keys of the Secret for clients: never the server's key. Of a client pod, the
// container of the agent alone mounts them.
func (t Target) ClientKeys() []string {
	keys := agentKeys()
	if t.HasTLS() {
		keys = append(keys, contract.KeyCA, contract.KeyCert, contract.KeyKey)
	}
	return keys
}

// agentKeys are the keys of the Secret for every agent.
func agentKeys() []string {
	return []string{contract.KeyUsername, contract.KeyPassword, contract.KeyAgent}
}

// Names in the certificate of the first server: every name by which a client may reach it. The servers of other tenants have the same Secret, and so
// their names are among them; clients connect to no replica.
func (t Target) Names() (names []string) {
	for tenant := range t.Run.Spec.ServersOf(t.Spec) {
		b := OfTenant(t.Run, t.Spec, tenant+1)
		names = append(names, b.Address(), b.Address()+".cluster.local", b.name()+"."+t.Run.Namespace, b.name())
	}
	return names
}

// configName is another one after the run gave its nodes back: it never changes, and the new nodes may be other machines.
func (t Target) configName() string {
	name := t.name()
	if n := t.Run.Status.Releases; n > 0 {
		name += fmt.Sprintf("-r%d", n)
	}
	return name
}

// Settings of a server as its agent has them; empty, and not nil, for none.
func Settings(of []v1alpha1.ServerSetting) []contract.Setting {
	out := make([]contract.Setting, 0, len(of))
	for _, s := range of {
		out = append(out, contract.Setting{Name: s.Name, Value: s.Value})
	}
	return out
}

// ConfigMap holds the contract.Target for the agent.
func (t Target) ConfigMap() *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: Meta(t.Run, t.configName(), t.labels()),
		Immutable:  new(true),
		Data: map[string]string{contract.KeyTarget: mustJSON(contract.Target{
			Version: contract.TargetVersion, Flavor: t.Spec.MySQL.Flavor, StorageEngine: t.Spec.MySQL.StorageEngine,
			Database: Database, Username: Username, Port: DatabasePort, TLS: contract.TLSMode(t.Spec.MySQL.TLS), Replication: t.replication(),
			Tenants: tenantsIn(t), Retained: retainedData(t), CPUs: CPUs(t.Run), Setter: t.setter(), Settings: Settings(t.Resolved.Settings),
		})},
	}
}

// tenantsIn a server that have a schema each; 0 where it has one schema.
func tenantsIn(t Target) int32 {
	if t.Spec.OwnServers() {
		return 0
	}
	return t.Run.Spec.Tenants
}

// setter is the account with which the agent changes the running server; empty where the trials do not ask for it.
func (t Target) setter() string {
	if t.Run.Spec.VariesSettings(v1alpha1.ApplySet) {
		return SetterUsername
	}
	return ""
}

// replication is the role of the server; nil for a target without replicas.
func (t Target) replication() *contract.Replication {
	r := t.Spec.MySQL.Replication
	if r == nil {
		return nil
	}
	out := &contract.Replication{Mode: string(r.Mode), ServerID: 1, Username: ReplicationUsername, Replicas: r.Replicas}
	if t.Replica != nil {
		primary := t
		primary.Replica = nil
		out.ServerID = int32(*t.Replica) + 2
		out.Primary = fmt.Sprintf("%s:%d", primary.Address(), DatabasePort)
	}
	return out
}

// Service without a cluster IP: clients reach the pod directly, without address translation.
func (t Target) Service() *corev1.Service {
	return &corev1.Service{
		ObjectMeta: t.meta(),
		Spec: corev1.ServiceSpec{
			ClusterIP: corev1.ClusterIPNone,
			// A server that is busy, or down for a restore, keeps its DNS name.
			PublishNotReadyAddresses: true,
			Selector:                 t.labels(),
			Ports: []corev1.ServicePort{
				{Name: "mysql", Port: DatabasePort, TargetPort: intstr.FromInt32(DatabasePort)},
				{Name: "agent", Port: AgentPort, TargetPort: intstr.FromInt32(AgentPort)},
			},
		},
	}
}

// Address that clients in the cluster connect to.
func (t Target) Address() string { return t.name() + "." + t.Run.Namespace + ".svc" }

// PodDisruptionBudget prevents a drain from evicting the database during the run.
func (t Target) PodDisruptionBudget() *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{ObjectMeta: t.meta(), Spec: disruptionBudget(t.labels())}
}

// disruptionBudget counts pods (minAvailable), because a maxUnavailable is only
// understood for controllers with a scale, and a Job has none.
func disruptionBudget(labels map[string]string) policyv1.PodDisruptionBudgetSpec {
	return policyv1.PodDisruptionBudgetSpec{
		MinAvailable: new(intstr.FromInt32(1)),
		Selector:     &metav1.LabelSelector{MatchLabels: labels},
	}
}

// StatefulSet of one pod with the database server.
func (t Target) StatefulSet() *appsv1.StatefulSet {
	pod := databasePod{t}
	volume, claims := pod.dataVolume()
	pods := int32(1)
	if t.Stopped {
		pods = 0
	}
	return &appsv1.StatefulSet{
		ObjectMeta: t.meta(),
		Spec: appsv1.StatefulSetSpec{
			Replicas:            new(pods),
			ServiceName:         t.name(),
			PodManagementPolicy: appsv1.ParallelPodManagement,
			Selector:            &metav1.LabelSelector{MatchLabels: t.labels()},
			PersistentVolumeClaimRetentionPolicy: &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
				WhenDeleted: appsv1.DeletePersistentVolumeClaimRetentionPolicyType,
				WhenScaled:  appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
			},
			VolumeClaimTemplates: claims,
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: t.labels(), Annotations: podAnnotations(*t.Resolved.Shape)},
				Spec:       boundDisk(pod.spec(volume), ServerContainer, t.space()),
			},
		},
	}
}
