package invariants

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/assay-bench/assay/api/v1alpha1"
)

const namespace = "ns"

// indexRun is the name of the index that the controller lists by.
const indexRun = "assay.dev/run-uid"

// cluster is an API server, and the part of a cluster that is not Assay.
type cluster struct {
	t   *testing.T
	rng *rand.Rand
	api client.WithWatch
	now time.Time
	// toolStarts of each Job, by its name: how often a client started its tool.
	toolStarts map[string]int
	// quiet: nothing is destroyed any more, and nothing fails.
	quiet bool
	// refused is how often a client found that another one had begun.
	refused int64
	// careless: somebody deleted a result.
	careless bool
	// bad says which Jobs of a trial fail; nil for what chance decides.
	bad func(job string) bool
	// capacity of the servers in operations per second of each client; 0 without an open loop.
	capacity float64
	uids     int
}

// Now is the clock of all managers.
func (c *cluster) Now() time.Time { return c.now }

// Since is the rest of a clock.
func (c *cluster) Since(t time.Time) time.Duration { return c.now.Sub(t) }

func newCluster(t *testing.T, seed uint64) *cluster {
	t.Helper()
	scheme := runtime.NewScheme()
	// Only what is used: the fake client looks through all kinds at each write.
	for _, add := range []func(*runtime.Scheme) error{
		v1alpha1.AddToScheme, corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, rbacv1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	scheme.AddKnownTypeWithName(requestKind, &unstructured.Unstructured{})
	scheme.AddKnownTypeWithName(requestKind.GroupVersion().WithKind(requestKind.Kind+"List"), &unstructured.UnstructuredList{})
	onNode := func(o client.Object) []string { return []string{o.(*corev1.Pod).Spec.NodeName} }
	c := &cluster{
		t: t, rng: rand.New(rand.NewPCG(seed, 0)), now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), toolStarts: map[string]int{},
		// A tracker of managed fields, as the default is, takes half of the time of a run.
		api: fake.NewClientBuilder().WithScheme(scheme).
			WithObjectTracker(clienttesting.NewObjectTracker(scheme, serializer.NewCodecFactory(scheme).UniversalDecoder())).WithStatusSubresource(&v1alpha1.BenchmarkRun{}, &batchv1.Job{}, &corev1.Pod{}).
			WithIndex(&corev1.Pod{}, "spec.nodeName", onNode).Build(),
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}, Status: corev1.NodeStatus{
		Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("100")},
	}}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "login"}, Data: map[string][]byte{"username": []byte("u"), "password": []byte("p")}}
	for _, obj := range []client.Object{node, secret} {
		c.must(c.api.Create(context.Background(), obj))
	}
	return c
}

func (c *cluster) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) uid() types.UID {
	c.uids++
	return types.UID(fmt.Sprintf("%08d-uid", c.uids))
}

// createRun of two blocks on two external targets, by two clients.
func (c *cluster) createRun(policy v1alpha1.TrialFailurePolicy, changes ...func(*v1alpha1.BenchmarkRun)) *v1alpha1.BenchmarkRun {
	on := func(name string) v1alpha1.Target {
		return v1alpha1.Target{Name: name, External: &v1alpha1.ExternalTarget{TLS: v1alpha1.TLSDisabled, InsecureSkipVerify: true, Host: name + ".example", Port: 3306, Database: "b", Credentials: corev1.LocalObjectReference{Name: "login"}}}
	}
	shape := v1alpha1.InstanceShapeSpec{CPU: resource.MustParse("1"), Memory: resource.MustParse("1Gi")}
	run := &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "run", UID: c.uid(), CreationTimestamp: metav1.Time{Time: c.now}, Generation: 1},
		Spec: v1alpha1.BenchmarkRunSpec{
			Targets:  []v1alpha1.Target{on("a"), on("b")},
			Clients:  v1alpha1.Clients{Count: 2, Shape: &v1alpha1.ShapeRef{Inline: &shape}},
			Workload: v1alpha1.Workload{Sysbench: &v1alpha1.SysbenchWorkload{Test: "oltp_read_only", Threads: 1}},
			Design: v1alpha1.Design{
				Blocks: 2, Order: v1alpha1.OrderRandomizedBlocks, DataReset: v1alpha1.ResetPerRun,
				Duration: &metav1.Duration{Duration: 10 * time.Second}, OnTrialFailure: policy, MaxRetries: 1,
			},
			Deadline: metav1.Duration{Duration: 720 * time.Hour},
		},
	}
	for _, change := range changes {
		change(run)
	}
	c.must(c.api.Create(context.Background(), run))
	return run
}

func (c *cluster) run() *v1alpha1.BenchmarkRun {
	run := &v1alpha1.BenchmarkRun{}
	c.must(c.api.Get(context.Background(), client.ObjectKey{Namespace: namespace, Name: "run"}, run))
	return run
}

// list of all objects of a type in the namespace.
func list[T client.ObjectList](c *cluster, l T) T {
	c.must(c.api.List(context.Background(), l, client.InNamespace(namespace)))
	return l
}

// configMap of the namespace; nil when there is none.
func (c *cluster) configMap(name string) *corev1.ConfigMap {
	cm := &corev1.ConfigMap{}
	err := c.api.Get(context.Background(), client.ObjectKey{Namespace: namespace, Name: name}, cm)
	if client.IgnoreNotFound(err) != nil {
		c.t.Fatal(err)
	}
	if err != nil {
		return nil
	}
	return cm
}

// chance is true once in n times, and never when the cluster is quiet.
func (c *cluster) chance(n int) bool { return !c.quiet && c.rng.IntN(n) == 0 }

func (c *cluster) delete(obj client.Object) {
	c.must(client.IgnoreNotFound(c.api.Delete(context.Background(), obj)))
}
