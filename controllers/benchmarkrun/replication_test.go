package benchmarkrun

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// replicaNodes are two nodes that only replicated targets use, once for all tests.
var replicaNodes = sync.OnceValue(func() error {
	for _, name := range []string{"node-member-a", "node-member-b"} {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kind": "member"}}}
		if err := server.API.Create(context.Background(), n); err != nil {
			return err
		}
		n.Status = corev1.NodeStatus{
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("8Gi")},
		}
		if err := server.API.Status().Update(context.Background(), n); err != nil {
			return err
		}
		n.Spec.Taints = nil
		if err := server.API.Update(context.Background(), n); err != nil {
			return err
		}
	}
	return nil
})

// withReplica gives the target a replica, and both a node.
func withReplica(r *v1alpha1.BenchmarkRun) {
	r.Spec.Targets[0].Shape = new(inline("member"))
	r.Spec.Targets[0].MySQL.Replication = &v1alpha1.Replication{Mode: v1alpha1.ReplicationAsync, Replicas: 1}
	r.Spec.Exclusive = new(false)
}

// A replica runs on a node of its own, clients are told of its agent, and it goes away
// with its target.
func TestReplicaIsProvided(t *testing.T) {
	t.Parallel()
	if err := replicaNodes(); err != nil {
		t.Fatalf("making nodes: %v", err)
	}
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	var told diary
	sets := map[string]appsv1.StatefulSet{}
	var mu sync.Mutex
	good := delivers(always(5))
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(func(trial contract.Trial) *contract.Result {
		var list appsv1.StatefulSetList
		if err := server.API.List(t.Context(), &list, client.InNamespace(ns)); err != nil {
			t.Errorf("listing StatefulSets: %v", err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, s := range list.Items {
			sets[s.Name] = s
		}
		return good(trial)
	})})
	run := newRun(t, ns, withReplica)
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 3)
	placed := got.Status.Placement.Targets[0]
	if len(placed.ReplicaNodeNames) != 1 || placed.ReplicaNodeNames[0] == placed.NodeName {
		t.Fatalf("the replica has no node of its own: %+v", placed)
	}
	want := []v1alpha1.ReplicaStatus{{Index: 0, NodeName: placed.ReplicaNodeNames[0], Ready: true, RestartCount: new(int32(0))}}
	if diff := cmp.Diff(want, got.Status.Targets[0].Replicas); diff != "" {
		t.Errorf("replicas (-want +got):\n%s", diff)
	}
	for _, trial := range told.phase(contract.PhaseRun) {
		if diff := cmp.Diff([]string{"run-db-replica-0." + ns + ".svc:8306"}, trial.Replicas); diff != "" {
			t.Errorf("replicas that the client is told of (-want +got):\n%s", diff)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if _, has := sets["run-db-replica-0"]; !has || len(sets) != 2 {
		t.Errorf("StatefulSets %v, want those of the primary and of one replica", sets)
	}
	var bySource []string
	for _, s := range got.Status.Resolved.Targets[0].Settings {
		if s.Source == v1alpha1.SourceReplication {
			bySource = append(bySource, s.Name)
		}
	}
	if diff := cmp.Diff([]string{"log_bin", "gtid_strict_mode"}, bySource); diff != "" {
		t.Errorf("settings of replication in the status (-want +got):\n%s", diff)
	}
	eventuallyGone(t, ns)
}

// eventuallyGone waits until nothing of the targets is left.
func eventuallyGone(t *testing.T, ns string) {
	t.Helper()
	await(t, &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "run"}}, "torn down", func(*v1alpha1.BenchmarkRun) bool {
		left := children(t, ns)
		return len(left["StatefulSet"])+len(left["Service"])+len(left["Secret"]) == 0
	})
}

// The certificates of a target are made once: a second look at it changes nothing.
func TestCertificatesAreMadeOnce(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	gated, open := gatedClient(t, goodClient(t))
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: gated})
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) { r.Spec.Targets[0].MySQL.TLS = v1alpha1.TLSRequired })
	create(t, run)
	await(t, run, "measuring", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Phase == v1alpha1.PhaseMeasuring })
	first := secretOf(t, ns)
	for _, key := range []string{contract.KeyCA, contract.KeyCert, contract.KeyKey, contract.KeyServerCert, contract.KeyServerKey} {
		if len(first[key]) == 0 {
			t.Errorf("the Secret lacks %s", key)
		}
	}
	startManager(t, ns, nil) // a second manager, as after a crash
	open()
	await(t, run, "one trial further", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.Done > 0 })
	if diff := cmp.Diff(first, secretOf(t, ns)); diff != "" {
		t.Errorf("the Secret changed:\n%s", diff)
	}
}

func secretOf(t *testing.T, ns string) map[string][]byte {
	t.Helper()
	secret := &corev1.Secret{}
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: contract.TargetName("run", "db")}, secret); err != nil {
		t.Fatal(err)
	}
	return secret.Data
}
