package benchmarkrun

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/config"
	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/internal/queue"

	"github.com/assay-bench/assay/runners"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/helpers/apiserver"
	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/contract"
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
	c.Agent = config.Image{Image: "agent:1"}
	c.Runners = map[string]config.Image{"sysbench": {Image: "sysbench:1"}, "ycsb": {Image: "ycsb:1"}, "drivers-node": {Image: "node:1"}, "drivers-go": {Image: "go:1"}}
	c.Engines = map[string]map[string]config.Image{"MariaDB": {"10.11": {Image: "mariadb:10.11"}}, "MySQL": {"9.7": {Image: "mysql:9.7"}}}
	c.Timeouts.ImagePull.Duration = time.Second
	return c
}

// startManager runs a manager for one namespace until the test or the returned
// function ends it. Ending does not wait for a pass that is under way: that is
// what a kill does.
func startManager(t *testing.T, namespace string, wrap func(client.Client) client.Client, tune ...func(*Reconciler)) (kill func()) {
	t.Helper()
	mgr, err := ctrl.NewManager(server.Config, manager.Options{
		Scheme:  server.Scheme,
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
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

// goodClient delivers a result parsed from the output of a real sysbench run.
func goodClient(t *testing.T) kubelet.Client {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "oltp_read_write.stdout"))
	if err != nil {
		t.Fatal(err)
	}
	return func(trial contract.Trial) *contract.Result {
		now := time.Now()
		res := &contract.Result{
			Version: contract.ResultVersion, Trial: trial.Ref, State: contract.Succeeded, RawSHA256: contract.Digest([]byte("raw")),
			Tool:   contract.Tool{Name: "sysbench", Version: "1.0.20", ExitCode: new(0)},
			Times:  contract.Times{MeasureStarted: &now, MeasureEnded: new(now.Add(time.Millisecond))},
			Server: &contract.Server{Version: "10.11.19-MariaDB"},
		}
		res.Data = loadedData(trial)
		if trial.Ref.Phase == string(contract.PhaseRun) {
			r, _ := runners.Find("sysbench")
			report := r.Parse(trial, contract.PhaseRun, runner.Output{Stdout: raw})
			res.Measurements, res.Errors = report.Measurements, report.Errors
		}
		return res
	}
}

// loadedTables is what every played target holds after loading.
var loadedTables = []contract.Table{{Name: "sbtest1", Rows: 10000, Checksum: new(int64(4711))}, {Name: "sbtest2", Rows: 10000}}

// loadedData is what a client says of the data: after loading and after a reset.
func loadedData(trial contract.Trial) *contract.Data {
	switch {
	case trial.Ref.Client > 0:
		return nil
	case trial.Ref.Phase == string(contract.PhasePrepare):
		return &contract.Data{Tables: loadedTables}
	case trial.Reset != nil:
		at := time.Now()
		return &contract.Data{Tables: loadedTables, Reset: &contract.ResetReport{Method: trial.Reset.Method, Started: at, Ended: at.Add(1500 * time.Millisecond)}}
	}
	return nil
}

// delivers is a client with a throughput, and nothing that could contradict it.
func delivers(throughput func(contract.Trial) float64) kubelet.Client {
	return func(trial contract.Trial) *contract.Result {
		res := &contract.Result{
			Version: contract.ResultVersion, Trial: trial.Ref, State: contract.Succeeded, RawSHA256: contract.Digest([]byte("raw")),
			Tool: contract.Tool{Name: "sysbench", Version: "1.0.20", ExitCode: new(0)}, Data: loadedData(trial),
		}
		if trial.Ref.Phase == string(contract.PhaseRun) {
			res.Measurements = []contract.Measurement{{
				Name: contract.NameThroughput, Unit: "tx/s", Direction: contract.HigherIsBetter, Value: new(throughput(trial)),
			}}
		}
		return res
	}
}

func always(v float64) func(contract.Trial) float64 { return func(contract.Trial) float64 { return v } }

// fails turns a result into one of a failure.
func fails(res *contract.Result, reason contract.Reason, message string) *contract.Result {
	res.State, res.Measurements = contract.Failed, nil
	res.Failure = &contract.Failure{Reason: reason, Message: message}
	return res
}

// isTrial says whether a client runs the trial of an index.
func isTrial(trial contract.Trial, index int) bool {
	return trial.Ref.Index != nil && *trial.Ref.Index == index
}

// hold waits until the channel is closed or the test ends.
func hold(t *testing.T, until <-chan struct{}) {
	select {
	case <-until:
	case <-t.Context().Done():
	}
}

// gate is a client that waits in its Run phase until it is opened.
func gate(t *testing.T, then kubelet.Client) (c kubelet.Client, open func()) {
	t.Helper()
	opened := make(chan struct{})
	return func(trial contract.Trial) *contract.Result {
		if trial.Ref.Phase == string(contract.PhaseRun) {
			hold(t, opened)
		}
		return then(trial)
	}, sync.OnceFunc(func() { close(opened) })
}

// diary keeps what each client was told.
type diary struct {
	mu     sync.Mutex
	trials []contract.Trial
}

func (d *diary) of(c kubelet.Client) kubelet.Client {
	return func(trial contract.Trial) *contract.Result {
		d.mu.Lock()
		d.trials = append(d.trials, trial)
		d.mu.Unlock()
		return c(trial)
	}
}

// phase lists what the clients of a phase were told, in the order of their starts.
func (d *diary) phase(phase contract.Phase) []contract.Trial {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []contract.Trial
	for _, t := range d.trials {
		if t.Ref.Phase == string(phase) {
			out = append(out, t)
		}
	}
	return out
}

// readResult decodes a stored result.
func readResult(t *testing.T, namespace, name string) (*corev1.ConfigMap, contract.Result) {
	t.Helper()
	cm := &corev1.ConfigMap{}
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, cm); err != nil {
		t.Fatal(err)
	}
	res, err := contract.Decode(cm.BinaryData[contract.KeyResult])
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return cm, res
}

// alsoTarget adds a second target that is like the first.
func alsoTarget(name string) func(*v1alpha1.BenchmarkRun) {
	return func(r *v1alpha1.BenchmarkRun) {
		second := *r.Spec.Targets[0].DeepCopy()
		second.Name = name
		r.Spec.Targets = append(r.Spec.Targets, second)
	}
}

// nodes makes one node for targets and one for clients, once for all tests.
var nodes = sync.OnceValue(func() error {
	for name, kind := range map[string]string{"node-target": "t", "node-client": "c"} {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kind": kind, corev1.LabelInstanceTypeStable: "type-" + kind}}}
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
				// The server's own defaults, so that a story is about the settings that it has itself.
				MySQL: &v1alpha1.MySQLTarget{
					Flavor: "MariaDB", Version: "10.11", Sizing: v1alpha1.SizingServer, Storage: v1alpha1.Storage{Size: resource.MustParse("1Gi")},
				},
			}},
			Clients:  v1alpha1.Clients{Shape: inline("c")},
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

func create(t *testing.T, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	if err := server.API.Create(t.Context(), run); err != nil {
		t.Fatalf("creating the run: %v", err)
	}
}

// await reads the run until the condition holds, for a minute from the last trial that
// ended.
func await(t *testing.T, run *v1alpha1.BenchmarkRun, what string, holds func(*v1alpha1.BenchmarkRun) bool) *v1alpha1.BenchmarkRun {
	t.Helper()
	deadline := time.Now().Add(60 * time.Second)
	got, done := &v1alpha1.BenchmarkRun{}, int32(0)
	for time.Now().Before(deadline) {
		if d := got.Status.Progress.Done; d > done {
			done, deadline = d, time.Now().Add(60*time.Second)
		}
		if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(run), got); err != nil && !apierrors.IsNotFound(err) {
			t.Fatalf("reading the run: %v", err)
		}
		if holds(got) {
			return got
		}
		time.Sleep(20 * time.Millisecond)
	}
	status, _ := json.MarshalIndent(got.Status, "", "  ")
	t.Fatalf("the run never was %s; its status:\n%s", what, status)
	return nil
}

func isTrue(condition string) func(*v1alpha1.BenchmarkRun) bool {
	return func(r *v1alpha1.BenchmarkRun) bool {
		return apimeta.IsStatusConditionTrue(r.Status.Conditions, condition)
	}
}

// failedWith checks the reason of a run that failed.
func failedWith(t *testing.T, run *v1alpha1.BenchmarkRun, reason string) *v1alpha1.BenchmarkRun {
	t.Helper()
	got := await(t, run, "Failed", isTrue(v1alpha1.ConditionFailed))
	if c := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionFailed); c.Reason != reason {
		t.Errorf("the run failed with %s (%s), want %s", c.Reason, c.Message, reason)
	}
	return got
}

// records reads what the journal of a run says.
func records(t *testing.T, run *v1alpha1.BenchmarkRun) []contract.Record {
	t.Helper()
	var out []contract.Record
	if run.Status.Results == nil {
		return nil
	}
	for part := range run.Status.Results.RecordConfigMapCount {
		cm := &corev1.ConfigMap{}
		if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: run.Namespace, Name: contract.RecordsName(run.Name, part)}, cm); err != nil {
			t.Fatal(err)
		}
		r, err := journal.DecodeRecords(cm.BinaryData[contract.KeyRecords])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r.Records...)
	}
	return out
}

// checkOnce is the invariant of every story: each trial ran its tool once, and
// stands in the journal once, in order.
func checkOnce(t *testing.T, k *kubelet.Kubelet, run *v1alpha1.BenchmarkRun, trials int) {
	t.Helper()
	var indexes []int
	for _, tr := range records(t, run) {
		indexes = append(indexes, int(tr.Index))
	}
	var want []int
	for i := range trials {
		want = append(want, i)
	}
	if !slices.Equal(indexes, want) {
		t.Errorf("the journal lists the trials %v, want %v", indexes, want)
	}
	if p := run.Status.Progress; int(p.Done) != trials || int(p.Planned) != trials {
		t.Errorf("the status counts %d trials done of %d, want %d", p.Done, p.Planned, trials)
	}
	for job, n := range k.ToolStarts() {
		if n != 1 {
			t.Errorf("the tool of %s was started %d times", job, n)
		}
	}
	for job, n := range k.Jobs() {
		if n != 1 {
			t.Errorf("Job %s was created %d times", job, n)
		}
	}
	if got := len(k.ToolStarts()); got < trials {
		t.Errorf("the tool was started for %d Jobs only, want at least %s", got, strconv.Itoa(trials))
	}
}

// children lists the names of everything that a run made, by kind.
func children(t *testing.T, namespace string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for kind, list := range map[string]client.ObjectList{
		"StatefulSet": &appsv1.StatefulSetList{}, "Job": &batchv1.JobList{}, "Service": &corev1.ServiceList{},
		"Secret": &corev1.SecretList{}, "ConfigMap": &corev1.ConfigMapList{},
	} {
		if err := server.API.List(t.Context(), list, client.InNamespace(namespace), client.HasLabels{v1alpha1.LabelRun}); err != nil {
			t.Fatal(err)
		}
		err := apimeta.EachListItem(list, func(o runtime.Object) error {
			out[kind] = append(out[kind], o.(client.Object).GetName())
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}
