// Package e2e tells the stories of Assay on a real cluster, with the operator
// installed by its chart, real databases and the real sysbench. Run it by
// `make e2e` (core stories) or `make e2e-full` (all of them).
package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

func TestMain(m *testing.M) { os.Exit(cluster.Main(m)) }

// managerNamespace is where hack/e2e.sh installs the chart.
const managerNamespace = "assay-system"

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
	c := cluster.Condition(run, v1alpha1.ConditionFailed)
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
		if err := cluster.API.List(t.Context(), list, client.InNamespace(namespace)); err != nil {
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
	err := cluster.API.List(t.Context(), &pods, client.InNamespace(managerNamespace), client.MatchingLabels{"app.kubernetes.io/name": "assay"})
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
	if err := cluster.API.Delete(t.Context(), pod, client.GracePeriodSeconds(0)); client.IgnoreNotFound(err) != nil {
		t.Errorf("deleting the manager's pod: %v", err)
	}
}
