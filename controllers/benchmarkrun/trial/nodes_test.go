package trial

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// A node that vanished before the trial was recorded does not hide the nodes of the other
// clients.
func TestOneVanishedNodeDoesNotHideTheOthers(t *testing.T) {
	on := func(node string) contract.Result {
		res := contract.Result{Client: contract.Client{Node: node}}
		res.Client.Machine.CPUModel = "cpu of " + node
		return res
	}
	node := func(name string) *corev1.Node { return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}} }
	known := decision.Known{}.
		With(decision.GetNode{Name: "gone"}, decision.Absent{}).
		With(decision.GetNode{Name: "b"}, node("b")).
		With(decision.GetNode{Name: "c"}, node("c")).
		With(decision.GetNode{Name: "silent"}, node("silent"))
	ask := known.Ask()
	end := End{
		Results: []contract.Result{on("a"), on("gone"), on("b"), on(""), on("b"), on("c")},
		Pods:    []*corev1.Pod{{Spec: corev1.PodSpec{NodeName: "b"}}, {Spec: corev1.PodSpec{NodeName: "silent"}}},
	}
	got := ClientNodes([]v1alpha1.NodeInfo{{Name: "a"}}, end, ask)
	want := []v1alpha1.NodeInfo{{Name: "a", CPUModel: "cpu of a"}, {Name: "b", CPUModel: "cpu of b"}, {Name: "c", CPUModel: "cpu of c"}, {Name: "silent"}}
	if diff := cmp.Diff(want, got); diff != "" || !ask.Complete() {
		t.Errorf("nodes (-want +got), open questions %v:\n%s", ask.Missing(), diff)
	}
}
