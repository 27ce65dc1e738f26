// Package e2e tells the stories of Assay on a real cluster, with the operator
// installed by its chart, real databases and the real sysbench. Run it by
// `make e2e` (core stories) or `make e2e-full` (all of them).
package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/validity"
)

var (
	api       client.Client
	clientset *kubernetes.Clientset
)

// managerNamespace is where hack/e2e.sh installs the chart.
const managerNamespace = "assay-system"

func TestMain(m *testing.M) {
	if err := connect(); err != nil {
		fmt.Fprintln(os.Stderr, "the end-to-end stories need a cluster (make e2e):", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func connect() error {
	cfg, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	cfg.QPS, cfg.Burst = 200, 400
	scheme := runtime.NewScheme()
	add := runtime.NewSchemeBuilder(v1alpha1.AddToScheme, corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme,
		rbacv1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme)
	if err := add.AddToScheme(scheme); err != nil {
		return err
	}
	if clientset, err = kubernetes.NewForConfig(cfg); err != nil {
		return err
	}
	api, err = client.New(cfg, client.Options{Scheme: scheme})
	return err
}

// newNamespace has the strictest Pod Security Standard.
func newNamespace(t *testing.T) string {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "assay-e2e-", Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}}
	if err := api.Create(t.Context(), ns); err != nil {
		t.Fatalf("creating a namespace: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() && os.Getenv("ASSAY_E2E_KEEP") != "" {
			return
		}
		if err := api.Delete(context.Background(), ns); err != nil {
			t.Errorf("deleting the namespace: %v", err)
		}
	})
	return ns.Name
}

// apply creates a run from YAML.
func apply(t *testing.T, namespace, text string) *v1alpha1.BenchmarkRun {
	t.Helper()
	run := &v1alpha1.BenchmarkRun{}
	if err := yaml.UnmarshalStrict([]byte(text), run); err != nil {
		t.Fatalf("the run is no YAML: %v", err)
	}
	run.Namespace = namespace
	if err := api.Create(t.Context(), run); err != nil {
		t.Fatalf("creating the run: %v", err)
	}
	return run
}

// awaitRun reads the run until it has ended.
func awaitRun(t *testing.T, run *v1alpha1.BenchmarkRun, limit time.Duration) *v1alpha1.BenchmarkRun {
	t.Helper()
	return awaitState(t, run, limit, "ended", func(r *v1alpha1.BenchmarkRun) bool {
		return condition(r, v1alpha1.ConditionComplete) != nil || condition(r, v1alpha1.ConditionFailed) != nil
	})
}

func awaitState(t *testing.T, run *v1alpha1.BenchmarkRun, limit time.Duration, what string, holds func(*v1alpha1.BenchmarkRun) bool) *v1alpha1.BenchmarkRun {
	t.Helper()
	got := &v1alpha1.BenchmarkRun{}
	last := ""
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if err := api.Get(t.Context(), client.ObjectKeyFromObject(run), got); err != nil {
			t.Logf("reading the run: %v", err)
			continue
		}
		if line := string(got.Status.Phase) + " " + got.Status.Progress.Text + " " + message(got, v1alpha1.ConditionReconciling); line != last {
			t.Log(line)
			last = line
		}
		if holds(got) {
			return got
		}
	}
	status, _ := json.MarshalIndent(got.Status, "", "  ")
	t.Fatalf("the run had not %s within %s:\n%s", what, limit, status)
	return nil
}

func condition(r *v1alpha1.BenchmarkRun, kind string) *metav1.Condition {
	c := apimeta.FindStatusCondition(r.Status.Conditions, kind)
	if c == nil || c.Status != metav1.ConditionTrue {
		return nil
	}
	return c
}

func message(r *v1alpha1.BenchmarkRun, kind string) string {
	if c := apimeta.FindStatusCondition(r.Status.Conditions, kind); c != nil {
		return c.Message
	}
	return ""
}

// complete fails the test unless the run is complete and valid. Where the machine of the tests
// was busy with something else, trials are disturbed, and that is said rightly.
func complete(t *testing.T, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	disturbed := false
	for _, f := range run.Status.Findings {
		disturbed = disturbed || f.Severity == string(validity.Disturbed)
		if f.Severity == string(validity.Invalid) || f.Severity == string(validity.Disturbed) && !byTheMachine(f.Check) {
			t.Fatalf("not valid: %s: %s", f.Check, f.Message)
		}
	}
	c := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionValid)
	unusable := disturbed && c != nil && c.Reason == v1alpha1.ReasonNoUsableTrial
	if unusable {
		t.Logf("the machine was busy with something else: %s", c.Message)
	}
	if condition(run, v1alpha1.ConditionComplete) == nil || condition(run, v1alpha1.ConditionValid) == nil && !unusable {
		status, _ := json.MarshalIndent(run.Status, "", "  ")
		t.Fatalf("not complete and valid:\n%s", status)
	}
}

// byTheMachine: the finding is about others on the machine of the tests.
func byTheMachine(check string) bool {
	return slices.Contains([]string{"neighbours", "steal", "node-memory-pressure"}, check)
}

// accounted says whether all of so many trials are behind an entry of the summary, or were left
// out for what others did on the machine; and a number that tells of them.
func accounted(e v1alpha1.SummaryEntry, planned int32) (value string, ok bool) {
	n := e.TrialCount
	for _, out := range e.LeftOut {
		if out.Reason == v1alpha1.LeftOutDisturbed || out.Reason == v1alpha1.LeftOutBlockDisturbed {
			n += out.TrialCount
		}
	}
	value = e.Median
	if value == "" && e.WithDisturbed != nil {
		value = e.WithDisturbed.Median
	}
	return value, n == planned && e.PlannedTrialCount == planned
}

// failedWith fails the test unless the run failed with the reason.
func failedWith(t *testing.T, run *v1alpha1.BenchmarkRun, reason string) {
	t.Helper()
	c := condition(run, v1alpha1.ConditionFailed)
	if c == nil || c.Reason != reason {
		status, _ := json.MarshalIndent(run.Status, "", "  ")
		t.Fatalf("want a failure with reason %s:\n%s", reason, status)
	}
	t.Logf("%s: %s", c.Reason, c.Message)
}

// leftovers are all objects of a namespace that no namespace has by itself.
func leftovers(t *testing.T, namespace string) []string {
	t.Helper()
	var out []string
	for _, list := range []client.ObjectList{
		&v1alpha1.BenchmarkRunList{}, &appsv1.StatefulSetList{}, &batchv1.JobList{}, &corev1.PodList{}, &corev1.ServiceList{},
		&corev1.SecretList{}, &corev1.ConfigMapList{}, &corev1.PersistentVolumeClaimList{}, &networkingv1.NetworkPolicyList{},
		&policyv1.PodDisruptionBudgetList{}, &rbacv1.RoleList{}, &rbacv1.RoleBindingList{}, &corev1.ServiceAccountList{},
	} {
		if err := api.List(t.Context(), list, client.InNamespace(namespace)); err != nil {
			t.Fatal(err)
		}
		items, err := apimeta.ExtractList(list)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range items {
			obj := o.(client.Object)
			if obj.GetName() != "kube-root-ca.crt" && obj.GetName() != "default" {
				out = append(out, fmt.Sprintf("%T %s", obj, obj.GetName()))
			}
		}
	}
	return out
}

// eventually waits until nothing is wrong any more.
func eventually(t *testing.T, limit time.Duration, wrong func() string) {
	t.Helper()
	what := ""
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if what = wrong(); what == "" {
			return
		}
	}
	t.Errorf("still so after %s: %s", limit, what)
}

// managerPod is the one pod of the manager; nil while there is none.
func managerPod(t *testing.T) *corev1.Pod {
	t.Helper()
	var pods corev1.PodList
	err := api.List(t.Context(), &pods, client.InNamespace(managerNamespace), client.MatchingLabels{"app.kubernetes.io/name": "assay"})
	if err != nil {
		t.Logf("looking for the manager: %v", err)
		return nil
	}
	for i := range pods.Items {
		if pods.Items[i].DeletionTimestamp.IsZero() {
			return &pods.Items[i]
		}
	}
	return nil
}

func running(pod *corev1.Pod) bool {
	s := pod.Status.ContainerStatuses
	return len(s) == 1 && s[0].State.Running != nil
}

// killManager sends SIGKILL to the manager's process, which a deletion of the pod
// would not, and then deletes the pod, so that its successor starts without the
// kubelet's back-off. The nodes of the cluster are containers of that name.
func killManager(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	out, err := exec.Command("docker", "exec", pod.Spec.NodeName, "pkill", "-KILL", "-x", "manager").CombinedOutput()
	if err != nil {
		// It may have ended by itself just now.
		t.Logf("killing the manager on %s: %v: %s", pod.Spec.NodeName, err, out)
	}
	if err := api.Delete(t.Context(), pod, client.GracePeriodSeconds(0)); client.IgnoreNotFound(err) != nil {
		t.Errorf("deleting the manager's pod: %v", err)
	}
}
