package resources

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/certificate"
	"github.com/assay-bench/assay/internal/ground/config"

	"github.com/assay-bench/assay/internal/ground/contract"
)

var update = flag.Bool("update", false, "write the golden files")

func run() *v1alpha1.BenchmarkRun {
	return &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Name: "run", Namespace: "ns", UID: "0123456789abcdef"},
		Status:     v1alpha1.BenchmarkRunStatus{Resolved: &v1alpha1.Resolved{SeparateFromTargets: v1alpha1.SeparationRequired}},
	}
}

func shape(kind string) v1alpha1.InstanceShapeSpec {
	return v1alpha1.InstanceShapeSpec{
		CPU: resource.MustParse("2"), Memory: resource.MustParse("4Gi"), NodeSelector: map[string]string{"kind": kind},
		Tolerations:      []corev1.Toleration{{Key: "bench", Operator: corev1.TolerationOpExists}},
		RuntimeClassName: new("performance"), Annotations: map[string]string{"cpu-quota.crio.io": "disable"},
	}
}

func target(change ...func(*Target)) Target {
	t := Target{
		Run: run(),
		Spec: v1alpha1.Target{Name: "db", MySQL: &v1alpha1.MySQLTarget{
			Flavor: "MariaDB", Version: "10.11", ImagePullPolicy: corev1.PullIfNotPresent, StorageEngine: "InnoDB",
			Storage: v1alpha1.Storage{Size: resource.MustParse("10Gi"), Medium: v1alpha1.MediumVolume, StorageClassName: new("fast")},
		}},
		Resolved: v1alpha1.ResolvedTarget{
			Name: "db", Shape: new(shape("t")), Image: "mariadb:10.11",
			Settings: []v1alpha1.ServerSetting{{Name: "innodb_buffer_pool_size", Value: "1G"}},
		},
		AgentImage: "agent:1", Node: "node-target", Pods: config.Default().Pods,
	}
	for _, f := range change {
		f(&t)
	}
	return t
}

func replicated(t *Target) {
	t.Spec.MySQL.Replication = &v1alpha1.Replication{Mode: v1alpha1.ReplicationSemiSync, Replicas: 2}
}

// second is the replica with the index 1.
func second(t *Target) { t.Replica, t.Node = new(1), "node-replica" }

func required(t *Target) { t.Spec.MySQL.TLS = v1alpha1.TLSRequired }

func certs() certificate.Bundle {
	return certificate.Bundle{
		CA: []byte("ca"), ServerCert: []byte("server"), ServerKey: []byte("server's key"),
		ClientCert: []byte("client"), ClientKey: []byte("client's key"),
	}
}

func trial() Client {
	return Client{
		Run: run(), Name: "run-trial-00003", Nodes: []string{"node-client"}, Began: "u/0", Credentials: []Credentials{{Target: "db", Secret: "run-db-db", keys: target().ClientKeys()}}, Image: "sysbench:1", PullPolicy: corev1.PullIfNotPresent, Shape: shape("c"), Timeout: 5 * time.Minute,
		Pods: config.Default().Pods, Agent: Agent{Image: "agent:1", Shape: v1alpha1.InstanceShapeSpec{CPU: resource.MustParse("250m"), Memory: resource.MustParse("512Mi")}},
		Trial: contract.Trial{
			Version: contract.TrialVersion, Runner: "sysbench", Workload: []byte(`{"test":"oltp_read_only"}`), DurationSeconds: 60,
			Ref:      contract.TrialRef{RunUID: "0123456789abcdef", Phase: "Run", Index: new(3), Block: new(1), Target: "db"},
			Endpoint: contract.Endpoint{Host: "run-db-db.ns.svc", Port: 3306, Database: "assay", TLS: contract.TLSDisabled},
			Deadline: time.Date(2026, 1, 1, 0, 5, 0, 0, time.UTC),
		},
	}
}

// placeholder of a pod of a target, or of a client.
func placeholder(target string) Placeholder {
	r := run()
	r.Status.Resolved.AgentImage, r.Status.Resolved.ClientShape = "agent:1", shape("t")
	r.Status.Resolved.AgentResources = v1alpha1.AgentResources{CPU: resource.MustParse("250m"), Memory: resource.MustParse("512Mi")}
	return Placeholder{Run: r, Index: 1, Target: target, Shape: shape("t"), Exclusive: true, Within: 15 * time.Minute, Pods: config.Default().Pods}
}

var cloud = v1alpha1.Target{Name: "cloud", External: &v1alpha1.ExternalTarget{Credentials: corev1.LocalObjectReference{Name: "cloud-db"}}}

// standing are clients of all trials of a run with two targets.
func standing() Client {
	c := trial()
	c.Standing = "run-clients-00003"
	c.Credentials = append(c.Credentials, CredentialsOf(run(), cloud))
	return c
}

// retained: the volume outlives the StatefulSet.
func retained(x *Target) { x.Spec.MySQL.Storage.Retain = true }

// fromRun: the volume is that of an earlier run.
func fromRun(x *Target) {
	x.Spec.MySQL.Storage.FromRun = &v1alpha1.RetainedVolume{Name: "first"}
	x.Resolved.Retained = &v1alpha1.ResolvedVolume{RunName: "first", RunUID: "uid", Target: "db", ClaimName: "data-uid-first-db-db", ServerVersion: "8.4.3"}
}

// Every object as it is sent to the API server.
func TestObjects(t *testing.T) {
	tests := map[string]any{
		"target-secret":               target().Secret("s3cret", "key", certs()),
		"target-secret-with-tls":      target(required).Secret("s3cret", "key", certs()),
		"target-configmap-with-tls":   target(required).ConfigMap(),
		"target-statefulset-with-tls": target(required).StatefulSet(),
		"primary-configmap":           target(replicated).ConfigMap(),
		"primary-networkpolicy":       target(replicated).NetworkPolicy(),
		"replica-configmap":           target(replicated, second).ConfigMap(),
		"replica-networkpolicy":       target(replicated, second).NetworkPolicy(),
		"replica-service":             target(replicated, second).Service(),
		"replica-pdb":                 target(replicated, second).PodDisruptionBudget(),
		"replica-statefulset":         target(replicated, second, required).StatefulSet(),
		"target-configmap":            target().ConfigMap(),
		"target-service":              target().Service(),
		"target-networkpolicy":        target().NetworkPolicy(),
		"target-pdb":                  target().PodDisruptionBudget(),
		"target-statefulset":          target().StatefulSet(),
		"client-serviceaccount":       ServiceAccount(run()),
		"client-rolebinding":          RoleBinding(run()),
		"client-pdb":                  ClientDisruptionBudget(run()),
		"client-networkpolicy":        ClientNetworkPolicy(with(mysql, copies, outside), config.Default().Pods.Network),
		"client-networkpolicy-open":   ClientNetworkPolicy(with(mysql), config.Network{Egress: config.EgressOpen}),
		"client-role":                 trial().Role(),
		"client-trial":                trial().TrialConfigMap(),
		"client-result":               trial().ResultConfigMaps()[0],
		"client-job-of-three": func() any {
			c := trial()
			c.Trial.Clients, c.Nodes = 3, []string{"node-a", "node-b"}
			return c.Job()
		}(),
		"client-job-custom": func() any {
			c := trial()
			c.Image, c.PullPolicy, c.PullSecrets = "tool:1", corev1.PullNever, []corev1.LocalObjectReference{{Name: "pull"}}
			c.foreign, c.Inputs = true, "run-inputs"
			return c.Job()
		}(),
		"client-job-external": func() any {
			c := trial()
			c.Credentials, c.Began = []Credentials{CredentialsOf(run(), cloud)}, ""
			return c.Job()
		}(),
		"placeholder-of-target": placeholder("db").Job(),
		"placeholder-of-client": placeholder("").Job(),
		"inputs": Pinned(run(), "run-inputs", v1alpha1.RoleInputs,
			map[string]string{"script.lua": "function event() end"}, map[string][]byte{"data.bin": {1, 2}}),
		"client-role-of-three": func() any { c := trial(); c.Trial.Clients = 3; return c.Role() }(),
		"journal-records":      Journal(run(), "run-records-0000", contract.KeyRecords, []byte("x")),
		"journal-plan":         Journal(run(), "run-plan-0000", contract.KeyPlan, []byte("x")),
		"client-job":           trial().Job(),
		"standing-job":         standing().Job(),
		"standing-configmap":   standing().StandingConfigMap(),
		"standing-role":        standing().Role(),
		"target-statefulset-in-memory": target(func(x *Target) {
			x.Stopped, x.Spec.MySQL.Storage = true, v1alpha1.Storage{Size: resource.MustParse("1Gi"), Medium: v1alpha1.MediumMemory}
		}).StatefulSet(),
		"target-claim":                Volume{target(retained)}.Claim(),
		"target-statefulset-retained": target(retained).StatefulSet(),
		"target-statefulset-from-run": target(fromRun).StatefulSet(),
		"target-configmap-from-run":   target(fromRun).ConfigMap(),
	}
	for name, obj := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := yaml.Marshal(obj)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".yaml")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("differs from %s (-want +got); go test -update writes it anew:\n%s", file, diff)
			}
		})
	}
}

// bounded says whether a container requests disk space, and has a limit of it.
func bounded(r corev1.ResourceRequirements) bool {
	return r.Requests.StorageEphemeral().Sign() > 0 && r.Limits.StorageEphemeral().Cmp(*r.Requests.StorageEphemeral()) >= 0
}

// Every pod is Guaranteed, has limits of disk space, and meets the restricted Pod Security Standard.
func TestPods(t *testing.T) {
	custom := trial()
	custom.UseImage(corev1.PullNever, nil)
	for name, spec := range map[string]corev1.PodSpec{
		"target":       target().StatefulSet().Spec.Template.Spec,
		"client":       trial().Job().Spec.Template.Spec,
		"custom image": custom.Job().Spec.Template.Spec,
	} {
		t.Run(name, func(t *testing.T) {
			for _, v := range spec.Volumes {
				if v.EmptyDir != nil && v.EmptyDir.SizeLimit.Sign() <= 0 {
					t.Errorf("volume %s has no limit", v.Name)
				}
			}
			if s := spec.SecurityContext; s == nil || !*s.RunAsNonRoot || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
				t.Errorf("pod security context %+v", s)
			}
			for _, c := range append(append([]corev1.Container{}, spec.InitContainers...), spec.Containers...) {
				if !bounded(c.Resources) {
					t.Errorf("container %s may fill the disk of its node: %+v", c.Name, c.Resources)
				}
				delete(c.Resources.Requests, corev1.ResourceEphemeralStorage)
				delete(c.Resources.Limits, corev1.ResourceEphemeralStorage)
				if diff := cmp.Diff(c.Resources.Requests, c.Resources.Limits); diff != "" || len(c.Resources.Limits) != 2 {
					t.Errorf("container %s: requests are not limits:\n%s", c.Name, diff)
				}
				s := c.SecurityContext
				if *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || len(s.Capabilities.Drop) != 1 || s.Capabilities.Drop[0] != "ALL" {
					t.Errorf("container %s: security context %+v", c.Name, s)
				}
			}
		})
	}
	if trial().Job().Spec.Template.Spec.Affinity.PodAntiAffinity == nil {
		t.Error("the client may run beside a target")
	}
	near := trial()
	near.Run.Status.Resolved.SeparateFromTargets = v1alpha1.SeparationNone
	if near.Job().Spec.Template.Spec.Affinity.PodAntiAffinity != nil {
		t.Error("separation that nobody asked for")
	}
}

// With cpus: Exclusive a pod is one that the static CPU manager gives CPUs to: it is Guaranteed with all its containers, those that
// prepare it too, and the measured container alone asks for whole CPUs. The agent beside a tool stays on those that all pods share.
func TestExclusiveCPUs(t *testing.T) {
	exclusive := func(cpu string) v1alpha1.InstanceShapeSpec {
		return v1alpha1.InstanceShapeSpec{CPU: resource.MustParse(cpu), Memory: resource.MustParse("1Gi"), CPUs: v1alpha1.ShapeCPUsExclusive}
	}
	db, tool, own := target(func(t *Target) { t.Resolved.Shape = new(exclusive("4")) }), trial(), trial()
	tool.Shape, own.Shape = exclusive("2"), exclusive("2")
	own.UseImage(corev1.PullNever, nil)
	tests := map[string]struct {
		spec     corev1.PodSpec
		measured string
		cpus     int64
	}{
		"a server":                  {db.StatefulSet().Spec.Template.Spec, ServerContainer, 4},
		"a tool":                    {tool.Job().Spec.Template.Spec, RunnerContainer, 2},
		"a tool in another's image": {own.Job().Spec.Template.Spec, RunnerContainer, 2},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for _, c := range slices.Concat(tc.spec.InitContainers, tc.spec.Containers) {
				for _, of := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
					request, limit := c.Resources.Requests[of], c.Resources.Limits[of]
					if request.Sign() <= 0 || request.Cmp(limit) != 0 {
						t.Errorf("container %s asks for %s of %s, and may use %s", c.Name, request.String(), of, limit.String())
					}
				}
				// As the kubelet computes it (pkg/kubelet/cm/cpumanager/policy_static.go, guaranteedCPUs).
				cpu := c.Resources.Requests[corev1.ResourceCPU]
				whole := int64(0)
				if cpu.Value()*1000 == cpu.MilliValue() {
					whole = cpu.Value()
				}
				want := int64(0)
				if c.Name == tc.measured {
					want = tc.cpus
				}
				if whole != want {
					t.Errorf("container %s is given %d CPUs of its own, want %d", c.Name, whole, want)
				}
			}
		})
	}
	if got := exclusive("4").ExclusiveCPUs(); got != 4 {
		t.Errorf("%d CPUs of its own, want 4", got)
	}
	if got := shape("t").ExclusiveCPUs(); got != 0 {
		t.Errorf("%d CPUs of its own, and nobody asked for any", got)
	}
}

// Huge pages are of the server's container alone, beside its memory, and their requests are their limits: the API server refuses others.
func TestHugePages(t *testing.T) {
	for size, name := range map[v1alpha1.HugePageSize]corev1.ResourceName{"": "hugepages-2Mi", v1alpha1.HugePages2Mi: "hugepages-2Mi", v1alpha1.HugePages1Gi: "hugepages-1Gi"} {
		of, all := shape("t"), "1Gi"
		of.HugePages = &v1alpha1.HugePages{PageSize: size, Count: 512}
		if size == v1alpha1.HugePages1Gi {
			all = "512Gi"
		}
		db, keeps := target(func(t *Target) { t.Resolved.Shape = &of }), placeholder("db")
		keeps.Shape = of
		for what, spec := range map[string]corev1.PodSpec{"server": db.StatefulSet().Spec.Template.Spec, "placeholder": keeps.Job().Spec.Template.Spec} {
			for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
				want := map[corev1.ResourceName]string{"cpu": "2", "memory": "4Gi", name: all}
				if c.Name != ServerContainer {
					want = map[corev1.ResourceName]string{"cpu": "100m", "memory": "64Mi"}
				}
				for _, list := range []corev1.ResourceList{c.Resources.Requests, c.Resources.Limits} {
					got := map[corev1.ResourceName]string{}
					for of, q := range list {
						if of != corev1.ResourceEphemeralStorage {
							got[of] = q.String()
						}
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s, container %s, pages of %q (-want +got):\n%s", what, c.Name, size, diff)
					}
				}
			}
		}
	}
}

// The server's key is in the Secret, and reaches the server only.
func TestKeysReachWhomTheyAreOf(t *testing.T) {
	shown := func(spec corev1.PodSpec) map[string]bool {
		keys := map[string]bool{}
		for _, v := range spec.Volumes {
			if v.Secret == nil {
				continue
			}
			if len(v.Secret.Items) == 0 {
				t.Errorf("volume %s shows the whole Secret", v.Name)
			}
			for _, i := range v.Secret.Items {
				keys[i.Key] = true
			}
		}
		return keys
	}
	for name, change := range map[string][]func(*Target){"without TLS": nil, "with TLS": {required}} {
		t.Run(name, func(t *testing.T) {
			db, c := target(change...), trial()
			c.Credentials[0].keys = db.ClientKeys()
			server, client := shown(db.StatefulSet().Spec.Template.Spec), shown(c.Job().Spec.Template.Spec)
			for key := range db.Secret("p", "k", certs()).Data {
				switch key {
				case contract.KeyServerCert, contract.KeyServerKey:
					if client[key] || !server[key] {
						t.Errorf("%s: client %v, server %v", key, client[key], server[key])
					}
				case contract.KeyCert, contract.KeyKey:
					if !client[key] || server[key] {
						t.Errorf("%s: client %v, server %v", key, client[key], server[key])
					}
				default:
					if !client[key] || !server[key] {
						t.Errorf("%s: client %v, server %v", key, client[key], server[key])
					}
				}
			}
		})
	}
}

// What a server is told follows from its nodes, and its ConfigMap never changes: after the run gave its nodes back, it is another one.
func TestAServerOnNewNodesIsToldAnew(t *testing.T) {
	db := target()
	first := db.ConfigMap().Name
	db.Run.Status.Releases = 1
	second := db.ConfigMap().Name
	if first == second || second != first+"-r1" {
		t.Errorf("first %s, then %s", first, second)
	}
	for _, v := range db.StatefulSet().Spec.Template.Spec.Volumes {
		if v.Name == "target" && v.ConfigMap.Name != second {
			t.Errorf("the pod reads %s, want %s", v.ConfigMap.Name, second)
		}
	}
}
