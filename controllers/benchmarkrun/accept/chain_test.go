package accept

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// planPart that the room wants to write.
func planPart(t *testing.T, res Result) *corev1.ConfigMap {
	t.Helper()
	for _, action := range res.Actions {
		if c, is := action.(decision.Create); is && c.Object.GetName() == contract.PlanName("run", 0) {
			return c.Object.(*corev1.ConfigMap)
		}
	}
	t.Fatalf("no plan is written: %+v", res.Actions)
	return nil
}

// A manager died between the plan and the status. Its plan is kept when it is the same, and
// written again when another version made it.
func TestPlanOfAPassThatDied(t *testing.T) {
	w := newWorld()
	same := planPart(t, w.decide(t))
	w.exists(same)
	if got := planPart(t, w.decide(t)); got.Name != same.Name {
		t.Errorf("the same plan is not kept")
	}
	other := resources.Journal(w.in.Run, same.Name, contract.KeyPlan, []byte("of another version"))
	other.UID = "7"
	w.exists(other)
	res := w.decide(t)
	deletes, is := res.Actions[0].(decision.Delete)
	if _, waits := res.State.(decision.Waiting); !waits || !is || deletes.Object.GetUID() != "7" || res.Status.Plan != nil {
		t.Errorf("a plan that differs: %+v, %+v, plan %+v", res.State, res.Actions, res.Status.Plan)
	}
	foreign := other.DeepCopy()
	foreign.OwnerReferences = nil
	w.exists(foreign)
	planPart(t, w.decide(t)) // the writer finds the conflict
}

// A status from which the chain was removed gets it back: what is stored of the plan, whatever it is. Records that are not
// chained to it are then found.
func TestChainFollowsFromTheStoredPlan(t *testing.T) {
	for name, stored := range map[string]func([]byte) []byte{
		"the plan as it was written": func(b []byte) []byte { return b },
		"something else":             func([]byte) []byte { return []byte("no part at all") },
	} {
		w := newWorld(accepted(t))
		part := w.objects[decision.Named[*corev1.ConfigMap](contract.PlanName("run", 0))].(*corev1.ConfigMap)
		part.BinaryData[contract.KeyPlan] = stored(part.BinaryData[contract.KeyPlan])
		w.in.Run.Status.Integrity = nil
		want := &v1alpha1.IntegrityStatus{PlanSHA256: contract.Digest(part.BinaryData[contract.KeyPlan])}
		if diff := cmp.Diff(want, w.decide(t).Status.Integrity); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
