package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"path"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/resources"

	"github.com/assay-bench/assay/internal/stats"
	"github.com/assay-bench/assay/runners"
	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// pairs of one trial of Assay and one run by hand, in random order within the pair.
const pairs = 20

// window is how long each run measures: long against the start of a pod, which takes
// time of the CPUs of this node at the beginning of a run by hand.
const window = 30 * time.Second

// fidelityBar is how far from 1 the interval of the ratio may reach.
const fidelityBar = 0.02

// A tool measures the same whether Assay calls it or a person does: same image, same
// options, same node, same limits, same server and data. Only reads, so that no run
// changes what the next one finds. hack/e2e.sh fidelity runs it.
func TestFidelity(t *testing.T) {
	onlyAsBenchmark(t)
	for name, workload := range map[string]string{
		"sysbench": "{sysbench: {test: oltp_read_only, threads: 4, tables: 2, tableSize: 10000}}",
		"ycsb":     "{ycsb: {workload: c, recordCount: 10000, threads: 4, driver: MariaDB, jvmOptions: [-Xmx192m]}}",
	} {
		t.Run(name, func(t *testing.T) { fidelity(t, name, workload) })
	}
}

func fidelity(t *testing.T, tool, workload string) {
	ns := newNamespace(t)
	run := apply(t, ns, fmt.Sprintf(`
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: fidelity}
spec:
  targets:
%s
  clients: {shape: {name: kind-client}}
  workload: %s
  suspend: false
  deadline: 4h
  design: {blocks: %d, warmup: 0s, duration: %s, onTrialFailure: Continue}
`, mariadb, workload, pairs+1, window))
	// The first trial warms the server up and shows how the tool is called; what the
	// client was told is gone when it has ended.
	awaitTrial(t, run, 0)
	hand := newByHand(t, run, tool)
	byAssay(t, run, 0)
	order := rand.New(rand.NewPCG(42, 0))
	var ratios, assay, manual []float64
	for i := range pairs {
		var a, m float64
		if order.IntN(2) == 0 {
			a = byAssay(t, run, int32(i+1))
			m = hand.measure(t)
		} else {
			m = hand.measure(t)
			a = byAssay(t, run, int32(i+1))
		}
		t.Logf("pair %d: Assay %.1f, by hand %.1f, ratio %.4f", i, a, m, a/m)
		ratios, assay, manual = append(ratios, a/m), append(assay, a), append(manual, m)
	}
	report(t, tool, ratios, assay, manual)
}

// report prints the ratio with its interval, and what limits it when that is wider than
// the bar: how much a run by hand differs from the next run by hand.
func report(t *testing.T, tool string, ratios, assay, manual []float64) {
	t.Helper()
	estimate, err := stats.EstimateMedian(ratios)
	if err != nil || estimate.Interval == nil {
		t.Fatalf("no interval of %v: %v", ratios, err)
	}
	low, high := estimate.Interval.Low, estimate.Interval.High
	fmt.Printf("%s: throughput through Assay / by hand: median %.4f, %.1f %% interval %.4f to %.4f, n=%d pairs; medians %.1f and %.1f ops/s\n",
		tool, quantile(ratios, 0.5), 100*estimate.Interval.Coverage, low, high, len(ratios), quantile(assay, 0.5), quantile(manual, 0.5))
	spread := func(sample []float64) float64 {
		return 100 * (quantile(sample, 0.75) - quantile(sample, 0.25)) / quantile(sample, 0.5)
	}
	fmt.Printf("%s: middle half of the runs: through Assay %.2f %%, by hand %.2f %% of the median\n", tool, spread(assay), spread(manual))
	switch {
	case low >= 1-fidelityBar && high <= 1+fidelityBar:
	case high < 1-fidelityBar || low > 1+fidelityBar:
		t.Errorf("%s: the whole interval is beyond %.2f to %.2f: Assay changes what the tool measures", tool, 1-fidelityBar, 1+fidelityBar)
	default:
		fmt.Printf("%s: the interval is not within %.2f to %.2f: what limits it is the spread of single runs on this machine, by hand too\n",
			tool, 1-fidelityBar, 1+fidelityBar)
	}
}

// byAssay lets the run measure its next trial, and holds it back again.
func byAssay(t *testing.T, run *v1alpha1.BenchmarkRun, index int32) float64 {
	t.Helper()
	suspend(t, run, false)
	awaitTrial(t, run, index)
	suspend(t, run, true)
	got := awaitState(t, run, 3*time.Minute, "measured the trial", func(r *v1alpha1.BenchmarkRun) bool {
		return r.Status.Progress.Done == index+1
	})
	for _, rec := range records(t, got) {
		if rec.Index != index {
			continue
		}
		for _, v := range rec.Values {
			if v.Name == contract.NameThroughput {
				return v.Value
			}
		}
		t.Fatalf("trial %d has no throughput: %s %s", index, rec.Reason, rec.Message)
	}
	t.Fatalf("trial %d has no record", index)
	return 0
}

// awaitTrial waits until a trial has begun.
func awaitTrial(t *testing.T, run *v1alpha1.BenchmarkRun, index int32) {
	t.Helper()
	awaitState(t, run, 10*time.Minute, "begun the trial", func(r *v1alpha1.BenchmarkRun) bool {
		ended(t, r)
		return r.Status.Progress.CurrentTrial != nil && *r.Status.Progress.CurrentTrial == index || r.Status.Progress.Done > index
	})
}

// ended fails the test when the run has, before its time.
func ended(t *testing.T, r *v1alpha1.BenchmarkRun) {
	t.Helper()
	if condition(r, v1alpha1.ConditionFailed) != nil {
		t.Fatalf("the run failed: %s", message(r, v1alpha1.ConditionFailed))
	}
}

func suspend(t *testing.T, run *v1alpha1.BenchmarkRun, on bool) {
	t.Helper()
	patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"spec":{"suspend":%t}}`, on))
	if err := api.Patch(t.Context(), run.DeepCopy(), patch); err != nil {
		t.Fatal(err)
	}
}

// manualRun is what a person would type after a look at how Assay calls the tool.
type manualRun struct {
	namespace, node string
	image           string
	settle          string // an image with sleep: the tools' have nothing beside the tool
	runner          runner.Runner
	trial           contract.Trial
	command         runner.Command
	n               int
}

func newByHand(t *testing.T, run *v1alpha1.BenchmarkRun, tool string) *manualRun {
	t.Helper()
	got := &v1alpha1.BenchmarkRun{}
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(run), got); err != nil {
		t.Fatal(err)
	}
	name := contract.TrialName(run.Name, 0, 0)
	cm, secret := &corev1.ConfigMap{}, &corev1.Secret{}
	for key, obj := range map[string]client.Object{name: cm, contract.TargetName(run.Name, "mariadb"): secret} {
		if err := api.Get(t.Context(), client.ObjectKey{Namespace: run.Namespace, Name: key}, obj); err != nil {
			t.Fatal(err)
		}
	}
	m := &manualRun{namespace: run.Namespace, node: got.Status.Placement.ClientNodeNames[0], image: got.Status.Resolved.RunnerImage, settle: got.Status.Resolved.Targets[0].Image}
	if err := json.Unmarshal([]byte(cm.Data[contract.KeyTrial]), &m.trial); err != nil {
		t.Fatal(err)
	}
	var known bool
	if m.runner, known = runners.Find(tool); !known {
		t.Fatalf("no runner %s", tool)
	}
	credentials := runner.Credentials{Username: string(secret.Data[contract.KeyUsername]), Password: string(secret.Data[contract.KeyPassword])}
	var err error
	if m.command, err = m.runner.Command(m.trial, contract.PhaseRun, credentials); err != nil {
		t.Fatal(err)
	}
	files := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: run.Namespace, Name: "by-hand"}, Data: m.command.Files}
	if err := api.Create(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	return m
}

// measure runs the tool by kubectl run, on the node and with the limits of the client.
func (m *manualRun) measure(t *testing.T) float64 {
	t.Helper()
	m.n++
	name := fmt.Sprintf("by-hand-%d", m.n)
	overrides, err := json.Marshal(m.pod(t))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"run", name, "--namespace=" + m.namespace, "--image=" + m.image, "--restart=Never", "--overrides=" + string(overrides)}
	if out, err := exec.CommandContext(t.Context(), "kubectl", args...).CombinedOutput(); err != nil {
		t.Fatalf("kubectl run: %v: %s", err, out)
	}
	pod := &corev1.Pod{}
	key := client.ObjectKey{Namespace: m.namespace, Name: name}
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		if err := api.Get(t.Context(), key, pod); err != nil {
			t.Fatal(err)
		}
		if pod.Status.Phase == corev1.PodSucceeded {
			break
		}
		if pod.Status.Phase == corev1.PodFailed || time.Now().After(deadline) {
			t.Fatalf("the run by hand is %s: %s\n%s", pod.Status.Phase, pod.Status.Message, m.logs(t, name))
		}
	}
	report := m.runner.Quote(m.logs(t, name))
	throughput, ok := contract.Find(report.Measurements, contract.NameThroughput, nil)
	if !ok || throughput.Value == nil {
		t.Fatalf("the run by hand printed no throughput: %+v\n%s", report.Failure, m.logs(t, name))
	}
	if err := api.Delete(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	return *throughput.Value
}

func (m *manualRun) logs(t *testing.T, pod string) []byte {
	t.Helper()
	stream, err := clientset.CoreV1().Pods(m.namespace).GetLogs(pod, &corev1.PodLogOptions{}).Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	out, err := io.ReadAll(stream)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// pod has what kubectl run cannot say in flags: node, limits, files and user.
func (m *manualRun) pod(t *testing.T) map[string]any {
	t.Helper()
	shape := &v1alpha1.InstanceShape{}
	if err := api.Get(t.Context(), client.ObjectKey{Name: "kind-client"}, shape); err != nil {
		t.Fatal(err)
	}
	limits := corev1.ResourceList{corev1.ResourceCPU: shape.Spec.CPU, corev1.ResourceMemory: shape.Spec.Memory}
	c := corev1.Container{
		Name: "tool", Image: m.image, Command: append([]string{m.command.Path}, m.command.Args...), WorkingDir: "/work",
		Resources: corev1.ResourceRequirements{Requests: limits, Limits: limits},
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
		VolumeMounts: []corev1.VolumeMount{{Name: "work", MountPath: "/work"}, {Name: "tmp", MountPath: "/tmp"}},
		Env:          []corev1.EnvVar{{Name: "LC_ALL", Value: "C"}, {Name: "HOME", Value: "/work"}},
	}
	for name, value := range m.command.Env {
		c.Env = append(c.Env, corev1.EnvVar{Name: name, Value: value})
	}
	for name := range m.command.Files {
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "files", MountPath: path.Join("/work", name), SubPath: name, ReadOnly: true})
	}
	return map[string]any{"apiVersion": "v1", "spec": corev1.PodSpec{
		NodeName: m.node, RestartPolicy: corev1.RestartPolicyNever, AutomountServiceAccountToken: new(false),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: new(resources.UID), RunAsGroup: new(resources.UID), FSGroup: new(resources.UID),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		// The tool starts when kubelet and container runtime are done with the pod, as
		// Assay's does.
		InitContainers: []corev1.Container{{
			Name: "settle", Image: m.settle, Command: []string{"sleep", "5"}, Resources: c.Resources, SecurityContext: c.SecurityContext,
		}},
		Containers: []corev1.Container{c},
		Volumes: []corev1.Volume{
			{Name: "work", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			{Name: "files", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "by-hand", DefaultMode: new(int32(0o440))}}},
		},
	}}
}
