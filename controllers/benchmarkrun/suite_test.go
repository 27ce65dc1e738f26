package benchmarkrun

import (
	"context"
	"flag"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/cluster/cached"
	"github.com/assay-bench/assay/internal/experiment/queue"
	"github.com/assay-bench/assay/internal/ground/config"

	"github.com/assay-bench/assay/runners"
	"github.com/assay-bench/assay/test/helpers/apiserver"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

var server apiserver.Server

func TestMain(m *testing.M) {
	// The managers that are killed complain of it.
	ctrl.SetLogger(logr.Discard())
	// The stories wait for each other's clocks more than they use a processor.
	if f := flag.Lookup("test.parallel"); f != nil && f.Value.String() == f.DefValue {
		if err := f.Value.Set("6"); err != nil {
			panic(err)
		}
	}
	os.Exit(apiserver.Main(m, &server))
}

// testConfig has an image for everything, and limits short enough for a test.
func testConfig() config.Config {
	c := config.Default()
	c.Agent.Image = "agent:1"
	c.Runners = map[string]config.Image{"sysbench": {Image: "sysbench:1"}, "ycsb": {Image: "ycsb:1"}, "drivers-node": {Image: "node:1"}, "drivers-go": {Image: "go:1"}}
	c.Engines = map[string]map[string]config.Image{"MariaDB": {"10.11": {Image: "mariadb:10.11"}}, "MySQL": {"9.7": {Image: "mysql:9.7"}}}
	c.Timeouts.ImagePull.Duration = time.Second // timing: only an image that cannot be pulled meets it, and it has to run out
	return c
}

// startManager runs a manager for one namespace until the test or the returned
// function ends it. Ending does not wait for a pass that is under way: that is
// what a kill does.
func startManager(t *testing.T, namespace string, wrap func(client.Client) client.Client, tune ...func(*Reconciler)) (kill func()) {
	t.Helper()
	mgr, err := ctrl.NewManager(server.Config, manager.Options{
		Scheme:  server.Scheme,
		Cache:   cached.Options(namespace),
		Metrics: metricsserver.Options{BindAddress: "0"},
		// Every manager of this process has controllers of the same names.
		Controller:              ctrlconfig.Controller{SkipNameValidation: new(true)},
		GracefulShutdownTimeout: new(time.Duration),
	})
	if err != nil {
		t.Fatalf("making a manager: %v", err)
	}
	c := mgr.GetClient()
	if wrap != nil {
		c = wrap(c)
	}
	r := &Reconciler{
		Client: c, Live: mgr.GetAPIReader(), Clock: clock.RealClock{}, Events: mgr.GetEventRecorder("assay"),
		Config: testConfig(), Engine: engines.Find, Runner: runners.Find, Queue: queue.NewLedger(), Workers: 2,
	}
	for _, f := range tune {
		f(r)
	}
	if err := r.SetupWithManager(mgr); err != nil {
		t.Fatalf("registering the controller: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := mgr.Start(ctx); err != nil && ctx.Err() == nil {
			t.Errorf("the manager ended: %v", err)
		}
	}()
	kill = sync.OnceFunc(func() { cancel(); <-ended })
	t.Cleanup(kill)
	return kill
}

// startKubelet plays the cluster for a namespace until the test ends.
func startKubelet(t *testing.T, k *kubelet.Kubelet) *kubelet.Kubelet {
	t.Helper()
	k.API = server.API
	if k.Client == nil {
		k.Client = goodClient(t)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); k.Run(ctx, t) }()
	t.Cleanup(func() { cancel(); <-ended })
	return k
}

// alsoTarget adds a second target that is like the first.
func alsoTarget(name string) func(*v1alpha1.BenchmarkRun) {
	return func(r *v1alpha1.BenchmarkRun) {
		second := *r.Spec.Targets[0].DeepCopy()
		second.Name = name
		r.Spec.Targets = append(r.Spec.Targets, second)
	}
}

// machine is the boot ID of both nodes, as those of kind have one.
const machine = "618eccf9-c1fa-4832-9b98-da8d3f638c28"

// nodes makes one node for targets and one for clients, once for all tests.
var nodes = sync.OnceValue(func() error {
	for name, kind := range map[string]string{"node-target": "t", "node-client": "c"} {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kind": kind, corev1.LabelHostname: name, corev1.LabelInstanceTypeStable: "type-" + kind}}}
		if err := server.API.Create(context.Background(), n); err != nil {
			return err
		}
		n.Status = corev1.NodeStatus{
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("8Gi")},
			NodeInfo:    corev1.NodeSystemInfo{BootID: machine},
		}
		if err := server.API.Status().Update(context.Background(), n); err != nil {
			return err
		}
		// The API server marks a new node as not ready, and a controller that is not
		// here would take the mark away.
		n.Spec.Taints = nil
		if err := server.API.Update(context.Background(), n); err != nil {
			return err
		}
	}
	return nil
})

func inline(kind string) v1alpha1.ShapeRef {
	return v1alpha1.ShapeRef{Inline: &v1alpha1.InstanceShapeSpec{
		CPU: resource.MustParse("1"), Memory: resource.MustParse("1Gi"), NodeSelector: map[string]string{"kind": kind},
	}}
}

// newRun is a run that works: one MariaDB, three blocks of ten seconds.
func newRun(t *testing.T, namespace string, change ...func(*v1alpha1.BenchmarkRun)) *v1alpha1.BenchmarkRun {
	t.Helper()
	if err := nodes(); err != nil {
		t.Fatalf("making nodes: %v", err)
	}
	d := func(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }
	run := &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Name: "run", Namespace: namespace},
		Spec: v1alpha1.BenchmarkRunSpec{
			Targets: []v1alpha1.Target{{
				Name: "db", Shape: new(inline("t")),
				// The server's own defaults, so that a test is about the settings that it has itself.
				MySQL: &v1alpha1.MySQLTarget{
					Flavor: "MariaDB", Version: "10.11", Sizing: v1alpha1.SizingServer, Storage: v1alpha1.Storage{Size: resource.MustParse("1Gi")},
				},
			}},
			Clients:  v1alpha1.Clients{Shape: new(inline("c"))},
			Workload: v1alpha1.Workload{Sysbench: &v1alpha1.SysbenchWorkload{Test: "oltp_read_write", Threads: 4, Tables: 2, TableSize: 10000}},
			Design:   v1alpha1.Design{Blocks: 3, Warmup: d(0), Duration: d(10 * time.Second)},
			Deadline: *d(time.Hour),
		},
	}
	for _, f := range change {
		f(run)
	}
	return run
}

// oneLine is a text without the ends of lines that the command puts between words.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func create(t *testing.T, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	if err := server.API.Create(t.Context(), run); err != nil {
		t.Fatalf("creating the run: %v", err)
	}
}
