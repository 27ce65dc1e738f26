package e2e

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// readsWhatExists measures on a target with tables: they are looked at, and nothing is loaded or dropped. A client that stands does both.
func readsWhatExists(t *testing.T, ns, target string, pods v1alpha1.ClientPods) {
	t.Helper()
	name := "reads-" + strings.ToLower(string(pods))
	text := strings.Replace(cluster.RunYAML(name, target, short), "oltp_read_write", "oltp_read_only", 1)
	text = strings.Replace(text, "design: {", "design: {clientPods: "+string(pods)+", ", 1)
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.Beside(text)), 2*time.Minute)
	cluster.Complete(t, got)
	looked := cluster.Stored(t, ns, contract.LoadName(name, "db"), 0)
	if looked.Data == nil || len(looked.Data.Tables) == 0 || looked.Data.Tables[0].Rows == 0 || looked.Tool.ExitCode != nil {
		t.Errorf("looking at what is there: %+v, %+v", looked.Data, looked.Tool)
	}
	if st := got.Status.Targets[0]; st.CleanupResult != "" || len(st.Load) > 0 {
		t.Errorf("something was loaded or dropped: %+v", st)
	}
	look, first := claimant(t, ns, contract.LoadName(name, "db")), claimant(t, ns, contract.TrialName(name, 0, 0))
	if same := pods == v1alpha1.ClientPodsStanding; look == "" || same != (look == first) {
		t.Errorf("pod %s looked, and pod %s measured", look, first)
	}
}

// claimant is the pod of the first client of an execution.
func claimant(t *testing.T, ns, execution string) string {
	t.Helper()
	var cm corev1.ConfigMap
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: contract.ResultName(execution, 0)}, &cm); err != nil {
		t.Fatal(err)
	}
	pod, _, _ := strings.Cut(cm.Annotations[v1alpha1.AnnotationClaimedBy], "/")
	return pod
}
