package benchmarkrun

import (
	"bytes"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// reader may read runs and ConfigMaps of a namespace by their names, and nothing else.
func allowReader(t *testing.T, namespace, user string) {
	t.Helper()
	allowRules(t, namespace, user,
		rbacv1.PolicyRule{APIGroups: []string{"assay.dev"}, Resources: []string{"benchmarkruns"}, Verbs: []string{"get"}},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get"}},
	)
}

// `kubectl assay verify` with the rights of a reader: what it says of a run that goes on, of one
// that holds, of one that was changed, and of one that it may not read.
func TestVerifyCommand(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	held, open := gatedClient(t, delivers(always(9)))
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: held})
	run := newRun(t, ns)
	create(t, run)
	allowReader(t, ns, "reader")
	config := server.Kubeconfig(t, "reader", ns)
	verify := func(want int, says string, args ...string) {
		t.Helper()
		var out bytes.Buffer
		if got := cli.Main(append([]string{"verify", "--kubeconfig", config}, args...), &out, &out); got != want || !strings.Contains(out.String(), says) {
			t.Errorf("%v ended with %d, want %d with %q:\n%s", args, got, want, says, out.String())
		}
	}
	verify(exit.Problem, "has not ended", "run")
	open()
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	verify(exit.OK, "verified", "run")
	verify(exit.OK, "1 part of the plan, 1 of the records (3 attempts), 1 of the summary, 4 results", "run", "-n", ns, "--head", got.Status.Integrity.Head)
	verify(exit.Differs, "the head that was noted is f00", "run", "--head", "f00")
	verify(exit.Problem, "not found", "another")
	verify(exit.Problem, "missing: RUN|BUNDLE")
	other := server.Kubeconfig(t, "nobody", ns)
	verify(exit.Problem, "forbidden", "run", "--kubeconfig", other)
	result := contract.ResultName(contract.TrialName("run", 2, 0), 0)
	edit(t, ns, result, flip(contract.KeyRaw))
	verify(exit.Differs, "tampered: ConfigMap "+result+": raw.tar.gz", "run")
	if err := server.API.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: result}}); err != nil {
		t.Fatal(err)
	}
	verify(exit.Differs, "lost: ConfigMap "+result+": it was deleted", "run")
	got.Status.Integrity = nil
	if err := server.API.Status().Update(t.Context(), got); err != nil {
		t.Fatal(err)
	}
	verify(exit.Problem, "has no status.integrity", "run")
}
