package trial

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// A run that failed, and whose tables are being dropped, fails again: what failed must not
// stop the clean-up to begin once more.
func TestFailedRunDoesNotStopItsCleanUp(t *testing.T) {
	c := newCluster()
	c.in.Run.Spec.Targets = append(c.in.Run.Spec.Targets, v1alpha1.Target{Name: "ext", External: &v1alpha1.ExternalTarget{Host: "h", Port: 3306}})
	name := contract.CleanupName("run", "ext")
	c.in.Children.Jobs = map[string]*batchv1.Job{name: {ObjectMeta: metav1.ObjectMeta{Name: name}}}
	measured := func(reason string) {
		c.in.Run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionMeasured, Status: metav1.ConditionFalse, Reason: reason, Message: "m"}}
	}
	measured(v1alpha1.ReasonInputsLost)
	if got, want := begin(c.in, c.e, decision.Known{}.Ask()).State, decision.FailWith(v1alpha1.ReasonInputsLost, "m"); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	measured(v1alpha1.ReasonProgressing)
	if got, fails := begin(c.in, c.e, decision.Known{}.Ask()).State.(decision.Failed); fails {
		t.Errorf("the status did not say that it failed: %+v", got)
	}
}
