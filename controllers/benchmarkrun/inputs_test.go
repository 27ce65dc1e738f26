package benchmarkrun

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/resources"

	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// makeConfigMap makes a ConfigMap of the user.
func makeConfigMap(t *testing.T, namespace, name string, data map[string]string) *corev1.ConfigMap {
	t.Helper()
	cm := &corev1.ConfigMap{Data: data}
	cm.Name, cm.Namespace = name, namespace
	if err := server.API.Create(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	return cm
}

// customRun is a run of a user's own tool, with files and two parameters.
func customRun(r *v1alpha1.BenchmarkRun) {
	r.Spec.Workload = v1alpha1.Workload{Custom: &v1alpha1.CustomWorkload{
		Image: "tool:1", ImagePullPolicy: corev1.PullNever, ImagePullSecrets: []corev1.LocalObjectReference{{Name: "pull"}},
		Files: &v1alpha1.ConfigMapFiles{Name: "files"}, Run: v1alpha1.CustomPhase{Command: []string{"tool", "$(mode)"}},
		Parameters: map[string]string{"rows": "10", "mode": "a"}, DataParameters: []string{"rows"}, Format: "Result",
	}}
}

// A custom tool runs from the image of the user, with the agent beside it, the files as
// they were when the run was accepted, and parameters as axes.
func TestCustomToolRuns(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	files := makeConfigMap(t, ns, "files", map[string]string{"query.sql": "SELECT 1"})
	startManager(t, ns, nil)
	told := &diary{}
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(func(trial contract.Trial) *contract.Result {
		// What the user does to the ConfigMap now is too late.
		files.Data = map[string]string{"query.sql": "SELECT 2"}
		if err := server.API.Update(t.Context(), files); err != nil {
			t.Errorf("changing the files: %v", err)
		}
		return delivers(always(5))(trial)
	})})
	run := newRun(t, ns, customRun, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Design.Blocks, r.Spec.Retain = 1, v1alpha1.RetainAlways
		r.Spec.Matrix = []v1alpha1.Axis{{Name: "mode", Values: texts("a", "b")}}
	})
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 2)

	in := got.Status.Resolved.Inputs
	want := resources.DigestOf(map[string][]byte{"query.sql": []byte("SELECT 1")})
	if in == nil || in.ConfigMap != "run-inputs" || in.SHA256 != want || got.Status.Resolved.RunnerImage != "tool:1" {
		t.Fatalf("resolved %+v, inputs %+v, want SHA-256 %s", got.Status.Resolved, in, want)
	}
	copied := &corev1.ConfigMap{}
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "run-inputs"}, copied); err != nil {
		t.Fatal(err)
	}
	if copied.Data["query.sql"] != "SELECT 1" || copied.Immutable == nil || !*copied.Immutable {
		t.Errorf("the copy: %+v", copied)
	}
	var modes []string
	for _, trial := range told.phase(contract.PhaseRun) {
		modes = append(modes, string(trial.Workload))
	}
	slices.Sort(modes)
	if len(modes) != 2 || !contains(modes[0], `"mode":"a"`) || !contains(modes[1], `"mode":"b"`) {
		t.Errorf("workloads %q", modes)
	}
	checkCustomPod(t, ns)
}

// checkCustomPod looks at the pod template of a trial's Job.
func checkCustomPod(t *testing.T, namespace string) {
	t.Helper()
	job := &batchv1.Job{}
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "run-trial-00000"}, job); err != nil {
		t.Fatal(err)
	}
	pod := job.Spec.Template.Spec
	agent, tool := pod.Containers[0], pod.Containers[1]
	if agent.Image != "agent:1" || agent.Command[0] != "/assay-agent" {
		t.Errorf("the agent: %s %v", agent.Image, agent.Command)
	}
	if tool.Image != "tool:1" || tool.ImagePullPolicy != corev1.PullNever || tool.Command[0] != "/assay/agent/assay-agent" {
		t.Errorf("the tool: %s %s %v", tool.Image, tool.ImagePullPolicy, tool.Command)
	}
	if len(pod.InitContainers) != 1 || pod.InitContainers[0].Image != "agent:1" {
		t.Errorf("init containers: %+v", pod.InitContainers)
	}
	if diff := cmp.Diff([]corev1.LocalObjectReference{{Name: "pull"}}, pod.ImagePullSecrets); diff != "" {
		t.Errorf("pull secrets (-want +got):\n%s", diff)
	}
	mounted := slices.ContainsFunc(agent.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == contract.DirInputs && m.ReadOnly })
	volume := slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool { return v.ConfigMap != nil && v.ConfigMap.Name == "run-inputs" })
	if !mounted || !volume {
		t.Errorf("the inputs are not mounted: %+v, %+v", agent.VolumeMounts, pod.Volumes)
	}
}

// A copy of the inputs that is gone ends the run before a trial measures anything else.
func TestLostInputsEndTheRun(t *testing.T) {
	ns := server.Namespace(t)
	makeConfigMap(t, ns, "files", map[string]string{"query.sql": "SELECT 1"})
	startManager(t, ns, nil)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		if isTrial(trial, 0) {
			cm := &corev1.ConfigMap{}
			cm.Name, cm.Namespace = "run-inputs", ns
			if err := server.API.Delete(t.Context(), cm); err != nil {
				t.Errorf("deleting the inputs: %v", err)
			}
		}
		return delivers(always(5))(trial)
	}})
	run := newRun(t, ns, customRun)
	create(t, run)
	got := failedWith(t, run, v1alpha1.ReasonInputsLost)
	if got.Status.Progress.Succeeded != 1 {
		t.Errorf("%d trials, want the one before", got.Status.Progress.Succeeded)
	}
}

// The same experiment has the same hash under another name, and another one with other
// files.
func TestSpecHashCoversTheInputs(t *testing.T) {
	ns := server.Namespace(t)
	files := makeConfigMap(t, ns, "files", map[string]string{"query.sql": "SELECT 1"})
	startManager(t, ns, nil)
	hash := func(name string) string {
		run := newRun(t, ns, customRun, func(r *v1alpha1.BenchmarkRun) { r.Name, r.Spec.Suspend = name, true })
		create(t, run)
		got := await(t, run, "accepted", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.SpecHash != "" })
		if c := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionFailed); c.Status == metav1.ConditionTrue {
			t.Fatalf("%s: %s", c.Reason, c.Message)
		}
		return got.Status.SpecHash
	}
	first, second := hash("first"), hash("second")
	files.Data["query.sql"] = "SELECT 2"
	if err := server.API.Update(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	if third := hash("third"); first != second || first == third {
		t.Errorf("hashes %.8s, %.8s, and with other files %.8s", first, second, third)
	}
}
