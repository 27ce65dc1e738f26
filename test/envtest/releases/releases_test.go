package releases

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/integrity"
	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/internal/resources"
	"github.com/assay-bench/assay/test/helpers/apiserver"
	"github.com/assay-bench/assay/test/helpers/kubelet"
	"github.com/assay-bench/assay/test/helpers/lastrelease"
	"github.com/assay-bench/assay/test/helpers/program"
)

var server apiserver.Server

func TestMain(m *testing.M) { os.Exit(apiserver.Main(m, &server)) }

// trials of the run; each manager measures at least one.
const trials = 6

// stage is what a manager does with the run, before the next one takes its place.
type stage struct {
	manager string
	// waits: it must not go on with the run, and says so. Any other one measures two trials, and
	// the last one all that are left.
	waits bool
}

// A run changes hands twice: to the other manager, and back. No trial is lost, none is
// measured twice, and every record stays. What this tree begins has a chain, and the last
// release waits; what the last release began has none, and is not called tampered.
func TestTwoReleasesShareARun(t *testing.T) {
	name, _ := lastrelease.Name(t)
	last, newest := program.Build(t, lastrelease.Tree(t)), program.Manager(t)
	makeNodes(t)
	for what, c := range map[string]struct {
		stages  []stage
		chained bool
	}{
		"upgrade from " + name + ", and back": {[]stage{{last, false}, {newest, false}, {last, false}}, false},
		"upgrade from " + name:                {[]stage{{last, false}, {newest, false}}, false},
		"rollback to " + name + ", and back":  {[]stage{{newest, false}, {last, true}, {newest, false}}, true},
	} {
		t.Run(what, func(t *testing.T) {
			run := share(t, c.stages)
			checkChain(t, run, c.chained)
			if c.chained {
				checkReport(t, run, newest, last)
			}
		})
	}
}

// checkReport: the last release, which deletes what is left of each run that has ended, leaves the report that this tree stored.
func checkReport(t *testing.T, run *v1alpha1.BenchmarkRun, newest, last string) {
	t.Helper()
	stop := start(t, newest, run.Namespace)
	run = await(t, run, "a report", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Report != nil && r.Status.Report.ConfigMap != "" })
	stop()
	left := &corev1.ConfigMap{ObjectMeta: resources.Meta(run, "left", resources.Labels(run, "unknown"))}
	if err := server.API.Create(t.Context(), left); err != nil {
		t.Fatal(err)
	}
	start(t, last, run.Namespace)
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		err := server.API.Get(t.Context(), client.ObjectKeyFromObject(left), left)
		if apierrors.IsNotFound(err) {
			break
		}
		if err != nil || time.Since(begun) > time.Minute {
			t.Fatalf("the last release does not tear down: %v", err)
		}
	}
	time.Sleep(time.Second) // it may delete more
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: run.Namespace, Name: run.Status.Report.ConfigMap}, &corev1.ConfigMap{}); err != nil {
		t.Errorf("the report after a rollback: %v", err)
	}
}

// checkChain: nothing that a change of managers does is taken for tampering.
func checkChain(t *testing.T, run *v1alpha1.BenchmarkRun, chained bool) {
	t.Helper()
	report, err := integrity.Run(run, func(name string) (*corev1.ConfigMap, error) {
		cm := &corev1.ConfigMap{}
		return cm, server.API.Get(t.Context(), client.ObjectKey{Namespace: run.Namespace, Name: name}, cm)
	})
	if err != nil || report.Chained != chained || len(report.Findings) > 0 || chained && report.Trials != trials {
		t.Errorf("the chain: %+v, %v; want one: %v", report, err, chained)
	}
	if valid := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionValid); valid == nil || valid.Status != metav1.ConditionTrue {
		t.Errorf("the results are not valid: %+v", valid)
	}
	anchored := slices.ContainsFunc(run.Status.Findings, func(f v1alpha1.Finding) bool { return f.Check == "chain-anchored-again" })
	if anchored != chained {
		t.Errorf("the last release drops the anchor, and that is said: %v, want %v", anchored, chained)
	}
}

func share(t *testing.T, stages []stage) *v1alpha1.BenchmarkRun {
	ns := server.Namespace(t)
	k := playKubelet(t, ns)
	run := newRun(ns)
	if err := server.API.Create(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	var end *v1alpha1.BenchmarkRun
	for i, st := range stages {
		stop := start(t, st.manager, ns)
		switch {
		case st.waits:
			await(t, run, "waiting for the other manager", func(r *v1alpha1.BenchmarkRun) bool {
				c := apimeta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionReconciling)
				return c != nil && c.Reason == v1alpha1.ReasonJournalTooNew
			})
		case i < len(stages)-1:
			await(t, run, "measured some trials", func(r *v1alpha1.BenchmarkRun) bool { return int(r.Status.Progress.Done) >= 2*(i+1) })
		default:
			end = await(t, run, "Complete", func(r *v1alpha1.BenchmarkRun) bool {
				return apimeta.IsStatusConditionTrue(r.Status.Conditions, v1alpha1.ConditionComplete)
			})
		}
		stop()
	}
	for index := range int32(trials) {
		if n := k.ToolStarts()[contract.TrialName(run.Name, index, 0)]; n != 1 {
			t.Errorf("the tool of trial %d was started %d times", index, n)
		}
	}
	cm := &corev1.ConfigMap{}
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: contract.RecordsName(run.Name, 0)}, cm); err != nil {
		t.Fatal(err)
	}
	part, err := journal.DecodeRecords(cm.BinaryData[contract.KeyRecords])
	if err != nil {
		t.Fatal(err)
	}
	if len(part.Records) != trials {
		t.Errorf("%d records, want %d", len(part.Records), trials)
	}
	for i, rec := range part.Records {
		if int(rec.Index) != i || rec.State != contract.Succeeded || len(rec.Values) == 0 || rec.Values[0].Value != throughput(i) {
			t.Errorf("record %d: %+v", i, rec)
		}
	}
	return end
}

const configuration = `
agent: {image: "agent:1"}
runners: {sysbench: {image: "sysbench:1"}}
engines: {MariaDB: {"10.11": {image: "mariadb:10.11"}}}
`

// start runs a manager for one namespace until the returned function kills it.
func start(t *testing.T, manager, namespace string) (kill func()) {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(config, []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(manager, "--config", config, "--namespaces", namespace, "--metrics-bind-address", "0", "--health-probe-bind-address", "0")
	cmd.Env = append(os.Environ(), "KUBECONFIG="+server.Kubeconfig(t, "", ""))
	var log bytes.Buffer
	cmd.Stderr = &log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill() // an error: it has ended, and the log says why
		_ = cmd.Wait()         // it was killed
	})
	t.Cleanup(func() {
		kill()
		if t.Failed() {
			t.Logf("the log of %s:\n%s", manager, log.String())
		}
	})
	return kill
}

// throughput that the client of a trial delivers.
func throughput(index int) float64 { return float64(100 + index) }

func playKubelet(t *testing.T, ns string) *kubelet.Kubelet {
	t.Helper()
	k := &kubelet.Kubelet{API: server.API, Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		res := &contract.Result{
			Version: contract.ResultVersion, Trial: trial.Ref, State: contract.Succeeded, RawSHA256: contract.Digest([]byte("raw")),
			Tool: contract.Tool{Name: "sysbench", Version: "1.0.20", ExitCode: new(0)},
		}
		switch trial.Ref.Phase {
		case string(contract.PhasePrepare):
			res.Data = &contract.Data{Tables: []contract.Table{{Name: "sbtest1", Rows: 10000}}}
		case string(contract.PhaseRun):
			time.Sleep(300 * time.Millisecond) // so that a manager is killed within a trial, too
			res.Measurements = []contract.Measurement{{
				Name: contract.NameThroughput, Unit: "tx/s", Direction: contract.HigherIsBetter, Value: new(throughput(*trial.Ref.Index)),
			}}
		}
		return res
	}}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); k.Run(ctx, t) }()
	t.Cleanup(func() { cancel(); <-ended })
	return k
}

func await(t *testing.T, run *v1alpha1.BenchmarkRun, what string, is func(*v1alpha1.BenchmarkRun) bool) *v1alpha1.BenchmarkRun {
	t.Helper()
	now := &v1alpha1.BenchmarkRun{}
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(run), now); err != nil {
			t.Fatal(err)
		}
		if is(now) {
			return now
		}
		if c := apimeta.FindStatusCondition(now.Status.Conditions, v1alpha1.ConditionFailed); c != nil && c.Status == metav1.ConditionTrue {
			t.Fatalf("the run failed: %s: %s", c.Reason, c.Message)
		}
	}
	t.Fatalf("not %s: %+v", what, now.Status.Conditions)
	return nil
}

func makeNodes(t *testing.T) {
	t.Helper()
	for _, kind := range []string{"target", "client"} {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-" + kind, Labels: map[string]string{"kind": kind}}}
		if err := server.API.Create(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		n.Status = corev1.NodeStatus{
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("8Gi")},
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

func newRun(ns string) *v1alpha1.BenchmarkRun {
	shape := func(kind string) v1alpha1.ShapeRef {
		return v1alpha1.ShapeRef{Inline: &v1alpha1.InstanceShapeSpec{
			CPU: resource.MustParse("1"), Memory: resource.MustParse("1Gi"), NodeSelector: map[string]string{"kind": kind},
		}}
	}
	d := func(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }
	return &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Name: "run", Namespace: ns},
		Spec: v1alpha1.BenchmarkRunSpec{
			Targets: []v1alpha1.Target{{
				Name: "db", Shape: new(shape("target")),
				MySQL: &v1alpha1.MySQLTarget{Flavor: "MariaDB", Version: "10.11", Storage: v1alpha1.Storage{Size: resource.MustParse("1Gi")}},
			}},
			Clients:  v1alpha1.Clients{Shape: shape("client")},
			Workload: v1alpha1.Workload{Sysbench: &v1alpha1.SysbenchWorkload{Test: "oltp_read_write", Threads: 4, Tables: 1, TableSize: 10000}},
			Design:   v1alpha1.Design{Blocks: trials, Warmup: d(0), Duration: d(10 * time.Second)},
			Deadline: *d(time.Hour),
		},
	}
}
