package bench

import (
	"encoding/json"
	"flag"
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
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/runners"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// pairs of one trial of Assay and one run by hand, in random order within the pair. Fewer take
// less time, and give a wider interval.
var pairs = flag.Int("pairs", 20, "pairs of BenchmarkFidelity")

// window is how long each run measures: long against the start of a pod, which takes
// time of the CPUs of this node at the beginning of a run by hand.
var window = flag.Duration("window", 30*time.Second, "measured window of BenchmarkFidelity")

// fidelityBar is how far from 1 the interval of the ratio may reach.
const fidelityBar = 0.02

// A tool measures the same whether Assay calls it or a person does: same image, same
// options, same node, same limits, same server and data. Only reads, so that no run
// changes what the next one finds. The bar: an interval of the ratio that is not wholly
// beyond fidelityBar.
func BenchmarkFidelity(b *testing.B) {
	for name, workload := range map[string]string{
		"sysbench": "{sysbench: {test: oltp_read_only, threads: 4, tables: 2, tableSize: 10000}}",
		"ycsb":     "{ycsb: {workload: c, recordCount: 10000, threads: 4, driver: MariaDB, jvmOptions: [-Xmx192m]}}",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				fidelity(b, name, workload)
			}
		})
	}
}

func fidelity(b *testing.B, tool, workload string) {
	ns := cluster.Namespace(b)
	run := cluster.Apply(b, ns, fmt.Sprintf(`
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
`, cluster.MariaDB, workload, *pairs+2, *window))
	// The first trial warms the server up and shows how the tool is called; what the
	// client was told is gone when it has ended.
	awaitTrial(b, run, 0)
	hand := newByHand(b, run, tool)
	byAssay(b, run, 0)
	order := rand.New(rand.NewPCG(42, 0))
	var ratios, assay, manual []float64
	for i := range *pairs {
		var a, m float64
		if order.IntN(2) == 0 {
			a = byAssay(b, run, int32(i+1))
			m = hand.measure(b)
		} else {
			m = hand.measure(b)
			a = byAssay(b, run, int32(i+1))
		}
		b.Logf("pair %d: Assay %.1f, by hand %.1f, ratio %.4f", i, a, m, a/m)
		ratios, assay, manual = append(ratios, a/m), append(assay, a), append(manual, m)
	}
	reportRatios(b, tool, ratios, assay, manual)
}

// reportRatios reports the ratio with its interval, and what limits it when that is wider than
// the bar: how much a run by hand differs from the next run by hand.
func reportRatios(b *testing.B, tool string, ratios, assay, manual []float64) {
	b.Helper()
	estimate, err := stats.EstimateMedian(ratios)
	if err != nil || estimate.Interval == nil {
		b.Fatalf("no interval of %v: %v", ratios, err)
	}
	low, high := estimate.Interval.Low, estimate.Interval.High
	b.ReportMetric(quantile(ratios, 0.5), "ratio-p50")
	b.ReportMetric(low, "ratio-low")
	b.ReportMetric(high, "ratio-high")
	b.ReportMetric(100*estimate.Interval.Coverage, "coverage-%")
	b.ReportMetric(float64(len(ratios)), "pairs")
	b.ReportMetric(quantile(assay, 0.5), "by-assay-ops/s")
	b.ReportMetric(quantile(manual, 0.5), "by-hand-ops/s")
	spread := func(sample []float64) float64 {
		return 100 * (quantile(sample, 0.75) - quantile(sample, 0.25)) / quantile(sample, 0.5)
	}
	// The middle half of the runs, as a share of the median.
	b.ReportMetric(spread(assay), "by-assay-spread-%")
	b.ReportMetric(spread(manual), "by-hand-spread-%")
	switch {
	case low >= 1-fidelityBar && high <= 1+fidelityBar:
	case high < 1-fidelityBar || low > 1+fidelityBar:
		b.Errorf("%s: the whole interval is beyond %.2f to %.2f: Assay changes what the tool measures", tool, 1-fidelityBar, 1+fidelityBar)
	default:
		b.Logf("%s: the interval is not within %.2f to %.2f: what limits it is the spread of single runs on this machine, by hand too",
			tool, 1-fidelityBar, 1+fidelityBar)
	}
}

// byAssay lets the run measure its next trial, and holds it back again.
func byAssay(b *testing.B, run *v1alpha1.BenchmarkRun, index int32) float64 {
	b.Helper()
	suspend(b, run, false)
	awaitTrial(b, run, index)
	suspend(b, run, true)
	got := cluster.AwaitState(b, run, 3*time.Minute, "measured the trial", func(r *v1alpha1.BenchmarkRun) bool {
		return r.Status.Progress.Done == index+1
	})
	for _, rec := range cluster.Records(b, got) {
		if rec.Index != index {
			continue
		}
		for _, v := range rec.Values {
			if v.Name == contract.NameThroughput {
				return v.Value
			}
		}
		b.Fatalf("trial %d has no throughput: %s %s", index, rec.Reason, rec.Message)
	}
	b.Fatalf("trial %d has no record", index)
	return 0
}

// awaitTrial waits until a trial has begun.
func awaitTrial(b *testing.B, run *v1alpha1.BenchmarkRun, index int32) {
	b.Helper()
	cluster.AwaitState(b, run, 10*time.Minute, "begun the trial", func(r *v1alpha1.BenchmarkRun) bool {
		ended(b, r)
		return r.Status.Progress.CurrentTrial != nil && *r.Status.Progress.CurrentTrial == index || r.Status.Progress.Done > index
	})
}

// ended fails the test when the run has, before its time.
func ended(b *testing.B, r *v1alpha1.BenchmarkRun) {
	b.Helper()
	if cluster.Condition(r, v1alpha1.ConditionFailed) != nil {
		b.Fatalf("the run failed: %s", cluster.Message(r, v1alpha1.ConditionFailed))
	}
}

func suspend(b *testing.B, run *v1alpha1.BenchmarkRun, on bool) {
	b.Helper()
	patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"spec":{"suspend":%t}}`, on))
	if err := cluster.API.Patch(b.Context(), run.DeepCopy(), patch); err != nil {
		b.Fatal(err)
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

func newByHand(b *testing.B, run *v1alpha1.BenchmarkRun, tool string) *manualRun {
	b.Helper()
	got := &v1alpha1.BenchmarkRun{}
	if err := cluster.API.Get(b.Context(), client.ObjectKeyFromObject(run), got); err != nil {
		b.Fatal(err)
	}
	cluster.OpenDatabases(b, run.Namespace)
	name := contract.TrialName(run.Name, 0, 0)
	cm, secret := &corev1.ConfigMap{}, &corev1.Secret{}
	for key, obj := range map[string]client.Object{name: cm, contract.TargetName(run.Name, "mariadb"): secret} {
		if err := cluster.API.Get(b.Context(), client.ObjectKey{Namespace: run.Namespace, Name: key}, obj); err != nil {
			b.Fatal(err)
		}
	}
	m := &manualRun{namespace: run.Namespace, node: got.Status.Placement.ClientNodeNames[0], image: got.Status.Resolved.RunnerImage, settle: got.Status.Resolved.Targets[0].Image}
	if err := json.Unmarshal([]byte(cm.Data[contract.KeyTrial]), &m.trial); err != nil {
		b.Fatal(err)
	}
	var known bool
	if m.runner, known = runners.Find(tool); !known {
		b.Fatalf("no runner %s", tool)
	}
	credentials := runner.Credentials{Username: string(secret.Data[contract.KeyUsername]), Password: string(secret.Data[contract.KeyPassword])}
	var err error
	if m.command, err = m.runner.Command(m.trial, contract.PhaseRun, credentials); err != nil {
		b.Fatal(err)
	}
	files := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: run.Namespace, Name: "by-hand"}, Data: m.command.Files}
	if err := cluster.API.Create(b.Context(), files); err != nil {
		b.Fatal(err)
	}
	return m
}

// measure runs the tool by kubectl run, on the node and with the limits of the client.
func (m *manualRun) measure(b *testing.B) float64 {
	b.Helper()
	m.n++
	name := fmt.Sprintf("by-hand-%d", m.n)
	overrides, err := json.Marshal(m.pod(b))
	if err != nil {
		b.Fatal(err)
	}
	args := []string{"run", name, "--namespace=" + m.namespace, "--image=" + m.image, "--restart=Never", "--overrides=" + string(overrides)}
	if out, err := exec.CommandContext(b.Context(), "kubectl", args...).CombinedOutput(); err != nil {
		b.Fatalf("kubectl run: %v: %s", err, out)
	}
	pod := &corev1.Pod{}
	key := client.ObjectKey{Namespace: m.namespace, Name: name}
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		if err := cluster.API.Get(b.Context(), key, pod); err != nil {
			b.Fatal(err)
		}
		if pod.Status.Phase == corev1.PodSucceeded {
			break
		}
		if pod.Status.Phase == corev1.PodFailed || time.Now().After(deadline) {
			b.Fatalf("the run by hand is %s: %s\n%s", pod.Status.Phase, pod.Status.Message, m.logs(b, name))
		}
	}
	report := m.runner.Quote(m.logs(b, name))
	throughput, ok := contract.Find(report.Measurements, contract.NameThroughput, nil)
	if !ok || throughput.Value == nil {
		b.Fatalf("the run by hand printed no throughput: %+v\n%s", report.Failure, m.logs(b, name))
	}
	if err := cluster.API.Delete(b.Context(), pod); err != nil {
		b.Fatal(err)
	}
	return *throughput.Value
}

func (m *manualRun) logs(b *testing.B, pod string) []byte {
	b.Helper()
	stream, err := cluster.Clientset.CoreV1().Pods(m.namespace).GetLogs(pod, &corev1.PodLogOptions{}).Stream(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	out, err := io.ReadAll(stream)
	if err != nil {
		b.Fatal(err)
	}
	return out
}

// pod has what kubectl run cannot say in flags: node, limits, files and user.
func (m *manualRun) pod(b *testing.B) map[string]any {
	b.Helper()
	shape := &v1alpha1.InstanceShape{}
	if err := cluster.API.Get(b.Context(), client.ObjectKey{Name: "kind-client"}, shape); err != nil {
		b.Fatal(err)
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
