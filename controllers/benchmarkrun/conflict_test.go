package benchmarkrun

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/contract"
)

func TestForeignObjectIsNotTouched(t *testing.T) {
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	foreign := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: contract.TargetName("run", "db"), Namespace: ns},
		StringData: map[string]string{"mine": "yes"},
	}
	if err := server.API.Create(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	run := newRun(t, ns)
	create(t, run)
	got := failedWith(t, run, v1alpha1.ReasonChildConflict)
	if m := message(got); !strings.Contains(m, foreign.Name) {
		t.Errorf("the message does not name the object: %s", m)
	}
	if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(foreign), foreign); err != nil || string(foreign.Data["mine"]) != "yes" {
		t.Errorf("the foreign Secret was touched: %v %v", err, foreign.Data)
	}
}

func message(run *v1alpha1.BenchmarkRun) string {
	for _, c := range run.Status.Conditions {
		if c.Type == v1alpha1.ConditionFailed {
			return c.Message
		}
	}
	return ""
}

// A run that is applied again right after its deletion waits for the remains of
// the deleted one, and never takes them for its own.
func TestRunOfTheSameNameWaitsForTheOldOne(t *testing.T) {
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	run := newRun(t, ns)
	owner := metav1.NewControllerRef(&v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: run.Name, UID: "of-the-deleted-run"}},
		v1alpha1.GroupVersion.WithKind("BenchmarkRun"))
	old := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Name: contract.TargetName("run", "db"), Namespace: ns, OwnerReferences: []metav1.OwnerReference{*owner},
	}}
	if err := server.API.Create(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns})
	create(t, run)
	await(t, run, "waiting for the old one", func(r *v1alpha1.BenchmarkRun) bool {
		for _, c := range r.Status.Conditions {
			if c.Type == v1alpha1.ConditionTargetsReady && strings.Contains(c.Message, "earlier run of the same name") {
				return true
			}
		}
		return false
	})
	// The garbage collector, which is not here, deletes it in the end.
	if err := server.API.Delete(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 3)
}
