package hostile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/apiserver"
	"github.com/assay-bench/assay/test/helpers/hang"
	"github.com/assay-bench/assay/test/helpers/kubelet"
	"github.com/assay-bench/assay/test/helpers/program"
)

var server apiserver.Server

func TestMain(m *testing.M) { os.Exit(apiserver.Main(m, &server)) }

const configuration = `
agent: {image: "agent:1"}
runners: {sysbench: {image: "sysbench:1"}}
engines: {MariaDB: {"10.11": {image: "mariadb:10.11"}}}
results: {budget: {run: 512Mi, namespace: 1000Gi, cluster: 1000Gi}} # no run waits for the room of another
notifications: {receivers: [{name: silent, url: %q, unsigned: true}]}
`

// memoryLimit and goMemoryLimit are those of the chart.
const (
	memoryLimit   = 320 << 20
	goMemoryLimit = "ASSAY_MEMORY_LIMIT=335544320"
)

// manager is the real program.
type manager struct {
	cmd *exec.Cmd
	log *bytes.Buffer
}

// startManager runs the manager for some namespaces until the test ends.
func startManager(t *testing.T, namespaces ...string) manager {
	t.Helper()
	path := program.Manager(t)
	dir := t.TempDir()
	config := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(config, []byte(fmt.Sprintf(configuration, silentReceiver(t))), 0o600); err != nil {
		t.Fatal(err)
	}
	m := manager{log: &bytes.Buffer{}}
	m.cmd = exec.Command(path, "--config", config, "--namespaces", strings.Join(namespaces, ","), "--metrics-bind-address", "0", "--health-probe-bind-address", "0")
	m.cmd.Env = append(os.Environ(), "KUBECONFIG="+server.Kubeconfig(t, "", ""), goMemoryLimit)
	m.cmd.Stderr = m.log
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = m.cmd.Process.Kill() // an error: it has ended, and the log says why
		_ = m.cmd.Wait()         // it was killed
		if t.Failed() {
			t.Logf("the log of the manager:\n%s", m.log.String())
		}
	})
	return m
}

// peak is the largest resident memory of the manager so far, in bytes.
func (m manager) peak(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.cmd.Process.Pid))
	if err != nil {
		t.Fatalf("the manager has ended: %v", err)
	}
	for line := range strings.Lines(string(status)) {
		if text, is := strings.CutPrefix(line, "VmHWM:"); is {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "kB")), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatal("/proc/PID/status has no VmHWM: the manager has ended")
	return 0
}

// cpu is how much CPU time the manager has used.
func (m manager) cpu(t *testing.T) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", m.cmd.Process.Pid))
	if err != nil {
		t.Fatalf("the manager has ended: %v", err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const utime, stime = 11, 12 // counted from the state (proc(5))
	total := time.Duration(0)
	for _, field := range fields[utime : stime+1] {
		ticks, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		total += time.Duration(ticks) * 10 * time.Millisecond // USER_HZ is 100 on every platform of Linux
	}
	return total
}

// makeNodes makes a node for targets and one for clients, for the runs of one pool.
func makeNodes(t *testing.T, pool string) {
	t.Helper()
	for _, kind := range []string{"target", "client"} {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: pool + "-" + kind, Labels: map[string]string{"kind": kind, "pool": pool}}}
		if err := server.API.Create(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		n.Status = corev1.NodeStatus{
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("64Gi")},
		}
		if err := server.API.Status().Update(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		n.Spec.Taints = nil // the API server marks a new node as not ready, and nothing here would take the mark away
		if err := server.API.Update(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
}

// newRun is a run that works: one MariaDB, two blocks of a second.
func newRun(namespace, pool string, change ...func(*v1alpha1.BenchmarkRun)) *v1alpha1.BenchmarkRun {
	shape := func(kind string) v1alpha1.ShapeRef {
		return v1alpha1.ShapeRef{Inline: &v1alpha1.InstanceShapeSpec{
			CPU: resource.MustParse("500m"), Memory: resource.MustParse("128Mi"), NodeSelector: map[string]string{"kind": kind, "pool": pool},
		}}
	}
	d := func(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }
	run := &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Name: "run", Namespace: namespace},
		Spec: v1alpha1.BenchmarkRunSpec{
			Targets: []v1alpha1.Target{{
				Name: "db", Shape: new(shape("target")),
				MySQL: &v1alpha1.MySQLTarget{Flavor: "MariaDB", Version: "10.11", Sizing: v1alpha1.SizingServer, Storage: v1alpha1.Storage{Size: resource.MustParse("1Gi")}},
			}},
			Clients:  v1alpha1.Clients{Shape: new(shape("client"))},
			Workload: v1alpha1.Workload{Sysbench: &v1alpha1.SysbenchWorkload{Test: "oltp_read_write", Threads: 4, Tables: 1, TableSize: 10000}},
			Design:   v1alpha1.Design{Blocks: 2, Warmup: d(0), Duration: d(time.Second)},
			Deadline: *d(time.Hour),
		},
	}
	for _, f := range change {
		f(run)
	}
	return run
}

// custom makes the tool one of the user's own.
func custom(run *v1alpha1.BenchmarkRun) {
	run.Spec.Workload = v1alpha1.Workload{Custom: &v1alpha1.CustomWorkload{
		Image: "tool:1", Format: "Result", Run: v1alpha1.CustomPhase{Command: []string{"tool"}},
	}}
}

func create(t *testing.T, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	if err := server.API.Create(t.Context(), run); err != nil {
		t.Fatalf("creating run %s/%s: %v", run.Namespace, run.Name, err)
	}
}

// goodResult is what the client of a trial delivers that works.
func goodResult(trial contract.Trial) *contract.Result {
	res := &contract.Result{
		Version: contract.ResultVersion, Trial: trial.Ref, State: contract.Succeeded, RawSHA256: contract.Digest([]byte("raw")),
		Tool: contract.Tool{Name: trial.Runner, Version: "1.0.20", ExitCode: new(0)},
	}
	switch trial.Ref.Phase {
	case string(contract.PhasePrepare):
		res.Data = &contract.Data{Tables: []contract.Table{{Name: "sbtest1", Rows: 10000}}}
	case string(contract.PhaseRun):
		res.Measurements = []contract.Measurement{{
			Name: contract.NameThroughput, Unit: "tx/s", Direction: contract.HigherIsBetter, Value: new(100.0),
		}}
	}
	return res
}

// play the cluster of a namespace until the test ends.
func play(t *testing.T, k *kubelet.Kubelet) *kubelet.Kubelet {
	t.Helper()
	k.API = server.API
	if k.Client == nil {
		k.Client = goodResult
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); k.Run(ctx, t) }()
	t.Cleanup(func() { cancel(); <-ended })
	return k
}

// await what a run becomes; the last state is returned with false when the time is over.
func await(t *testing.T, run *v1alpha1.BenchmarkRun, is func(*v1alpha1.BenchmarkRun) bool) (*v1alpha1.BenchmarkRun, bool) {
	t.Helper()
	now := &v1alpha1.BenchmarkRun{}
	for end := time.Now().Add(hang.Limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(run), now); err != nil {
			t.Fatal(err)
		}
		if is(now) {
			return now, true
		}
	}
	return now, false
}

func condition(run *v1alpha1.BenchmarkRun, kind string) metav1.Condition {
	if c := apimeta.FindStatusCondition(run.Status.Conditions, kind); c != nil {
		return *c
	}
	return metav1.Condition{}
}

// shorten what a failed test prints.
func shorten(text string) string { return text[:min(len(text), 400)] }

// begun creates a run and returns a function that waits for its end, and how long it took.
func begun(t *testing.T, run *v1alpha1.BenchmarkRun) (end func() time.Duration) {
	t.Helper()
	begin := time.Now()
	create(t, run)
	return func() time.Duration {
		t.Helper()
		now, ok := await(t, run, (*v1alpha1.BenchmarkRun).Finished)
		if !ok || condition(now, v1alpha1.ConditionComplete).Status != metav1.ConditionTrue {
			t.Errorf("the normal run is not complete after %s: %s: %s", time.Since(begin).Round(time.Millisecond), now.Status.Phase,
				shorten(condition(now, v1alpha1.ConditionReconciling).Message))
		}
		return time.Since(begin)
	}
}

// failsWith waits for the end of a run that has to fail with a reason of its own.
func failsWith(t *testing.T, run *v1alpha1.BenchmarkRun, reason string) *v1alpha1.BenchmarkRun {
	t.Helper()
	now, ended := await(t, run, (*v1alpha1.BenchmarkRun).Finished)
	failed := condition(now, v1alpha1.ConditionFailed)
	if !ended || failed.Status != metav1.ConditionTrue || failed.Reason != reason {
		t.Errorf("run %s: phase %q, Failed %s with the reason %q (%s), want %s", run.Name, now.Status.Phase, failed.Status, failed.Reason, shorten(failed.Message), reason)
	}
	if len(failed.Message) > 8<<10 {
		t.Errorf("run %s: a message of %d bytes", run.Name, len(failed.Message))
	}
	return now
}
